"""The pace of collectors."""

import threading
import time

from engine.collect.clock import ticks, utc_now


def test_ticks_keep_their_pace_and_leave_out_what_comes_too_late() -> None:
    stop, at = threading.Event(), []
    began = time.monotonic()
    for number, _ in enumerate(ticks(0.05, stop)):
        at.append(time.monotonic() - began)
        if number == 1:
            stop.wait(0.12)  # over two intervals
        if number == 3:
            stop.set()
    intervals = [int(each / 0.05) for each in at]
    assert len(set(intervals)) == 4, "one in each interval at most"
    assert intervals[2] >= 3, "those in which nobody waited are left out"


def test_no_tick_follows_the_stop() -> None:
    stop = threading.Event()
    stop.set()
    assert list(ticks(1.0, stop)) == []


def test_the_clock_goes_on_with_the_monotonic_one() -> None:
    first, before = utc_now(), time.monotonic()
    assert utc_now() - first >= 0
    assert abs((utc_now() - time.monotonic()) - (first - before)) < 0.05
