"""The pace of collectors."""

import threading
import time

from engine.collect.clock import ticks, utc_now


def test_ticks_keep_their_pace_and_leave_out_what_comes_too_late() -> None:
    stop, at = threading.Event(), list[float]()
    began = time.monotonic()
    for number, _ in enumerate(ticks(0.05, stop)):
        at.append(time.monotonic() - began)
        if number == 1:
            stop.wait(0.12)  # over two intervals
        if number == 3:
            stop.set()
    assert len(at) == 4
    # Whatever delays the caller, no tick comes before its interval; in the second and third nobody waited.
    assert all(each >= 0.05 * interval for each, interval in zip(at, (0, 1, 4, 5), strict=True))


def test_no_tick_follows_the_stop() -> None:
    stop = threading.Event()
    stop.set()
    assert list(ticks(1.0, stop)) == []


def test_the_clock_goes_on_with_the_monotonic_one() -> None:
    before, first, after = time.monotonic(), utc_now(), time.monotonic()
    assert utc_now() - first >= 0
    later_before, later, later_after = time.monotonic(), utc_now(), time.monotonic()
    assert later - later_after <= first - before + 0.05
    assert first - after <= later - later_before + 0.05
