import threading

import pytest

from engine.databases.parallel_jobs import run_in_parallel
from engine.errors import Cancelled
from tests.waiting import wait_until


def test_two_jobs_are_done_at_a_time() -> None:
    both_at_once = threading.Barrier(2, timeout=20)
    done: list[int] = []

    def job(number: int) -> None:
        if number < 2:
            both_at_once.wait()
        done.append(number)

    run_in_parallel([lambda number=number: job(number) for number in range(4)], threading.Event())
    assert sorted(done) == [0, 1, 2, 3]


def test_failing_job_stops_the_others_and_raises_its_error() -> None:
    stop = threading.Event()

    def fails() -> None:
        raise RuntimeError("the disk is full")

    def heeds() -> None:
        wait_until(stop.is_set, "the failure stops the others")
        raise Cancelled

    with pytest.raises(RuntimeError, match="the disk is full"):
        run_in_parallel([heeds, fails, heeds], stop)


def test_cancelled_jobs_raise_cancelled() -> None:
    def cancelled() -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        run_in_parallel([cancelled, cancelled], threading.Event())
