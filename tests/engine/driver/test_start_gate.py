import threading
import time
from collections.abc import Iterator
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.driver.start_gate import AT_ONCE, LEAST_SPREAD_SECONDS, MOST_SPREAD_SECONDS, StartGate, spread_of
from tests.waiting import wait_until

OPENS_AT = 1000.0
SPREAD_SECONDS = 4.0


def opened_gate(users: int, first_orders: int = 0) -> StartGate:
    gate = StartGate(threading.Event(), users)
    gate.open(OPENS_AT, SPREAD_SECONDS)
    for _ in range(first_orders):
        gate.first_order_is_over()
    return gate


def test_nobody_begins_before_it_is_known_when_the_gate_opens() -> None:
    assert StartGate(threading.Event(), 3).turn_of(0) == float("inf")


@given(st.integers(1, 500), st.data())
def test_turns_come_in_order_the_first_at_once_and_the_last_in_time(users: int, data: st.DataObject) -> None:
    first_orders = data.draw(st.integers(0, users))
    gate = opened_gate(users, first_orders)
    turns = [gate.turn_of(place) for place in range(users)]
    assert turns[: AT_ONCE + first_orders] == [OPENS_AT] * min(users, AT_ONCE + first_orders)
    assert all(before < after for before, after in pairwise(turns[max(0, AT_ONCE + first_orders - 1) :]))
    assert turns[-1] <= OPENS_AT + SPREAD_SECONDS


@given(st.integers(1, 100_000), st.integers(0, 1_000), st.floats(0, 86_400))
def test_more_users_begin_over_a_longer_time_within_limits(users: int, more: int, warmup_seconds: float) -> None:
    spread = spread_of(users, warmup_seconds)
    assert LEAST_SPREAD_SECONDS <= spread <= spread_of(users + more, warmup_seconds) <= MOST_SPREAD_SECONDS
    assert spread <= max(warmup_seconds, LEAST_SPREAD_SECONDS)


def test_few_users_begin_soon_and_hundreds_take_their_time() -> None:
    assert spread_of(8, 60) == LEAST_SPREAD_SECONDS
    assert LEAST_SPREAD_SECONDS < spread_of(300, 60) < spread_of(600, 60) < MOST_SPREAD_SECONDS
    assert spread_of(768, 60) == MOST_SPREAD_SECONDS


def test_all_users_begin_within_a_short_warm_up() -> None:
    assert spread_of(768, 5) == 5
    assert spread_of(768, 0) == LEAST_SPREAD_SECONDS


@pytest.fixture
def waiting() -> Iterator[tuple[StartGate, list[int]]]:
    """A gate with five users at it, and the numbers of those that have come through; only first orders let them."""
    stop, through = threading.Event(), list[int]()
    gate = StartGate(stop, 5)

    def user(number: int) -> None:
        gate.wait()
        through.append(number)

    threads = [threading.Thread(target=user, args=(number,)) for number in range(5)]
    for thread in threads:
        thread.start()
    yield gate, through
    stop.set()
    gate.open(0.0)
    for thread in threads:
        thread.join()
    assert len(through) == 5, "whoever stops lets everybody through"


def test_each_first_order_lets_another_one_through(waiting: tuple[StartGate, list[int]]) -> None:
    gate, through = waiting
    assert not through
    gate.open(time.monotonic(), spread_seconds=10_000.0)
    for expected in (AT_ONCE, AT_ONCE + 1, AT_ONCE + 2):
        wait_until(lambda expected=expected: len(through) == expected, f"{expected} are through")
        gate.first_order_is_over()
