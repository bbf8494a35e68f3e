import threading
import time
from collections.abc import Iterator
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.driver.start_gate import BEGIN_PER_SECOND, MOST_SPREAD_SECONDS, Pace, StartGate, paces_of
from tests.waiting import wait_until

OPENS_AT = 1000.0
PROCESSES = st.lists(st.integers(1, 500), min_size=1, max_size=24)
WARMUPS = st.floats(0, 86_400)
# A gate, what stops its users, and the moments at which they came through.
Through = tuple[StartGate, threading.Event, list[float]]


def turns_of(users: int, pace: Pace) -> list[float]:
    """When so many users of a process begin, in seconds after the gate has opened."""
    gate = StartGate(threading.Event())
    gate.open(OPENS_AT, pace)
    return [gate.begins_at(place) - OPENS_AT for place in range(users)]


def all_turns(users: list[int], warmup_seconds: float) -> list[float]:
    paces = paces_of(users, warmup_seconds)
    return sorted(turn for each, pace in zip(users, paces, strict=True) for turn in turns_of(each, pace))


def test_users_wait_until_the_gate_time_is_known() -> None:
    assert StartGate(threading.Event()).begins_at(0) == float("inf")


def test_without_pace_all_users_begin_together() -> None:
    gate = StartGate(threading.Event())
    gate.open(OPENS_AT)
    assert {gate.begins_at(place) for place in range(3)} == {OPENS_AT}


@given(PROCESSES, WARMUPS)
def test_the_first_begins_at_once_and_the_last_within_the_warm_up(users: list[int], warmup_seconds: float) -> None:
    turns = all_turns(users, warmup_seconds)
    assert turns[0] == 0
    assert turns[-1] <= min(MOST_SPREAD_SECONDS, max(2.0, warmup_seconds))


@given(st.integers(1, 24), st.integers(1, 40))
def test_processes_of_the_same_size_let_their_users_begin_in_turn(processes: int, users: int) -> None:
    turns = all_turns([users] * processes, warmup_seconds=60)
    gaps = [after - before for before, after in pairwise(turns)]
    rate = max(BEGIN_PER_SECOND, processes * users / MOST_SPREAD_SECONDS)
    assert gaps == pytest.approx([1 / rate] * (processes * users - 1))


def test_start_pace_depends_on_the_number_of_users() -> None:
    assert all_turns([8], 60)[-1] < 0.25
    assert 15 < all_turns([32] * 24, 60)[-1] <= MOST_SPREAD_SECONDS
    assert all_turns([32] * 24, 5)[-1] <= 5


@pytest.fixture
def through() -> Iterator[Through]:
    """A gate with five users at it."""
    stop, through = threading.Event(), list[float]()
    gate = StartGate(stop)

    def user() -> None:
        gate.wait()
        through.append(time.monotonic())

    threads = [threading.Thread(target=user) for _ in range(5)]
    for thread in threads:
        thread.start()
    yield gate, stop, through
    stop.set()
    gate.open(0.0)
    for thread in threads:
        thread.join()
    assert len(through) == 5, "whoever stops lets everybody through"


def test_threaded_users_start_in_order(through: Through) -> None:
    gate, _, moments = through
    assert not moments
    opened = time.monotonic()
    gate.open(opened, Pace(first_seconds=0.05, every_seconds=0.05))
    wait_until(lambda: len(moments) == 5, "all are through")
    assert all(moment >= opened + 0.05 * place for place, moment in enumerate(moments, start=1))


def test_user_waits_for_its_turn_or_the_stop(through: Through) -> None:
    gate, stop, moments = through
    far_off = Pace(every_seconds=10_000.0)
    gate.open(time.monotonic(), far_off)
    wait_until(lambda: len(moments) == 1, "the first is through")
    stopped = time.monotonic()
    stop.set()
    gate.open(stopped, far_off)
    wait_until(lambda: len(moments) == 5, "the others are through")
    assert all(moment >= stopped for moment in moments[1:])
