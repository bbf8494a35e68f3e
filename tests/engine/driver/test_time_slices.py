"""Short turns, as the kernel itself tells them."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import pytest

from engine.driver.time_slices import SHARED_TIME_SLICE_US, set_time_slice, user_time_slice_us, user_time_slices
from tests.engine.driver.kernel_time_slices import needs_time_slices, own_time_slice_us

T = TypeVar("T")


def _on_a_thread(work: Callable[[], T]) -> T:
    """Turns are the thread's own: the tests' keeps what it has."""
    with ThreadPoolExecutor(1) as threads:
        return threads.submit(work).result(timeout=60)


@needs_time_slices
def test_time_slice_applies_only_to_the_calling_thread() -> None:
    before = own_time_slice_us()

    def asked() -> float | None:
        set_time_slice(250)
        return own_time_slice_us()

    assert _on_a_thread(asked) == 250
    assert own_time_slice_us() == before


@needs_time_slices
def test_started_threads_inherit_the_time_slice() -> None:
    def asked() -> float | None:
        set_time_slice(250)
        return _on_a_thread(own_time_slice_us)

    assert _on_a_thread(asked) == 250


@pytest.mark.skipif(not hasattr(os, "sched_setscheduler"), reason="no scheduling policies on this system")
def test_existing_scheduling_policy_is_kept() -> None:
    def asked() -> int:
        os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))
        set_time_slice(250)
        return os.sched_getscheduler(0)

    assert _on_a_thread(asked) == os.SCHED_BATCH


@needs_time_slices
@pytest.mark.parametrize(
    ("preempting", "policy", "time_slice_us"),
    [(True, "SCHED_OTHER", 450), (False, "SCHED_BATCH", SHARED_TIME_SLICE_US)],
)
def test_started_users_have_time_slices_and_preemption_policy(
    preempting: bool, policy: str, time_slice_us: int
) -> None:
    def asked() -> tuple[int, float | None, int]:
        with user_time_slices(450, preempting=preempting):
            theirs = _on_a_thread(lambda: (os.sched_getscheduler(0), own_time_slice_us()))
        return *theirs, os.sched_getscheduler(0)

    assert _on_a_thread(asked) == (getattr(os, policy), time_slice_us, os.SCHED_OTHER)


@pytest.mark.skipif(not hasattr(os, "sched_setscheduler"), reason="no scheduling policies on this system")
def test_scheduling_policy_is_kept_after_starting_users() -> None:
    def asked() -> int:
        os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))
        with user_time_slices(450, preempting=False):
            pass
        return os.sched_getscheduler(0)

    assert _on_a_thread(asked) == os.SCHED_BATCH


def test_users_of_more_processes_than_processors_have_shorter_turns() -> None:
    alone, among_many = user_time_slice_us(1, 2), user_time_slice_us(24, 2)
    assert user_time_slice_us(2, 2) == user_time_slice_us(24, 24) == alone
    assert user_time_slice_us(3, 2) == among_many < alone
