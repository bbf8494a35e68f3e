"""Short turns, as the kernel itself tells them."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import pytest

from engine.driver.turns import USERS_TURN_AMONG_MANY_US, take_short_turns, users_turn_us, users_turns
from tests.engine.driver.kernel_turns import needs_turns, own_turn_us

T = TypeVar("T")


def _on_a_thread(work: Callable[[], T]) -> T:
    """Turns are the thread's own: the tests' keeps what it has."""
    with ThreadPoolExecutor(1) as threads:
        return threads.submit(work).result(timeout=60)


@needs_turns
def test_a_thread_gets_the_turns_that_it_asks_for_and_no_other_does() -> None:
    before = own_turn_us()

    def asked() -> float | None:
        take_short_turns(250)
        return own_turn_us()

    assert _on_a_thread(asked) == 250
    assert own_turn_us() == before


@needs_turns
def test_threads_that_it_starts_have_them_too() -> None:
    def asked() -> float | None:
        take_short_turns(250)
        return _on_a_thread(own_turn_us)

    assert _on_a_thread(asked) == 250


@pytest.mark.skipif(not hasattr(os, "sched_setscheduler"), reason="no scheduling policies on this system")
def test_a_thread_that_somebody_gave_another_policy_keeps_it() -> None:
    def asked() -> int:
        os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))
        take_short_turns(250)
        return os.sched_getscheduler(0)

    assert _on_a_thread(asked) == os.SCHED_BATCH


@needs_turns
@pytest.mark.parametrize(
    ("preempting", "policy", "turn_us"),
    [(True, "SCHED_OTHER", 450), (False, "SCHED_BATCH", USERS_TURN_AMONG_MANY_US)],
)
def test_users_that_are_started_have_their_turns_and_preempt_only_if_they_may(
    preempting: bool, policy: str, turn_us: int
) -> None:
    def asked() -> tuple[int, float | None, int]:
        with users_turns(450, preempting=preempting):
            theirs = _on_a_thread(lambda: (os.sched_getscheduler(0), own_turn_us()))
        return *theirs, os.sched_getscheduler(0)

    assert _on_a_thread(asked) == (getattr(os, policy), turn_us, os.SCHED_OTHER)


@pytest.mark.skipif(not hasattr(os, "sched_setscheduler"), reason="no scheduling policies on this system")
def test_a_policy_that_somebody_gave_is_there_also_after_users_were_started() -> None:
    def asked() -> int:
        os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))
        with users_turns(450, preempting=False):
            pass
        return os.sched_getscheduler(0)

    assert _on_a_thread(asked) == os.SCHED_BATCH


def test_users_of_more_processes_than_processors_have_shorter_turns() -> None:
    alone, among_many = users_turn_us(1, 2), users_turn_us(24, 2)
    assert users_turn_us(2, 2) == users_turn_us(24, 24) == alone
    assert users_turn_us(3, 2) == among_many < alone
