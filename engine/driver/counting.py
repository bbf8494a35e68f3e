"""Counts the steps and orders of the present second, and how long each took.

All users of a client process count here, some ten thousand times a second: where there is a C compiler, the compiled
module (``_counting.c``) does it in a tenth of the time. Called by ``engine.driver.tally``.
"""

import threading
import time
from collections.abc import Callable
from typing import NamedTuple, Protocol

from engine.histogram import bucket_of
from engine.workloads.dvdstore.user import Step

_MICRO = 1_000_000

# In the order of the lists below.
STEPS = (Step.LOGIN, Step.NEW_CUSTOMER, Step.BROWSE, Step.PURCHASE)


class Counted(NamedTuple):
    """The counts of one second; times are whole microseconds, a histogram has the count of each bucket.

    The lists have an entry for each of ``STEPS``.
    """

    orders: int
    order_us: int
    rollbacks: int
    order_us_max: int
    histogram: dict[int, int]
    step_counts: list[int]
    steps_us: list[int]
    step_histograms: list[dict[int, int]]


class Counting(Protocol):
    """Counts what ends before the clock reaches ``ends``; at the first count after that it calls ``roll``.

    ``roll``, passed to the constructor, takes all seconds that are over and advances ``ends``. Thread-safe.
    """

    ends: float

    def step(self, step: Step, seconds: float) -> None: ...

    def order(self, seconds: float, *, rolled_back: bool) -> None: ...

    def take(self) -> Counted:
        """What was counted since the last call."""
        ...


def new_counting(roll: Callable[[], None], clock: Callable[[], float], lock: threading.RLock) -> Counting:
    """The compiled counting if there is one, else the plain one; ``roll`` holds ``lock`` while it takes a second."""
    try:
        from engine.driver import _counting
    except ImportError:
        return PlainCounting(roll, clock, lock)
    return _counting.Counting(STEPS, roll, None if clock is time.monotonic else clock)


_PLACES = {step: place for place, step in enumerate(STEPS)}


class PlainCounting:
    """Implements ``Counting`` in Python.

    Response times are put into their histogram buckets at once and not when the second is over: little may be left to
    do then, since the sample is due.
    """

    def __init__(self, roll: Callable[[], None], clock: Callable[[], float], lock: threading.RLock) -> None:
        self.ends = 0.0
        self._roll = roll
        self._clock = clock
        self._lock = lock
        self._begin_anew()

    def _begin_anew(self) -> None:
        self._orders, self._order_us, self._rollbacks, self._order_us_max = 0, 0, 0, 0
        self._histogram: dict[int, int] = {}
        self._step_counts = [0] * len(STEPS)
        self._steps_us = [0] * len(STEPS)
        self._step_histograms: list[dict[int, int]] = [{} for _ in STEPS]

    def step(self, step: Step, seconds: float) -> None:
        place, microseconds = _PLACES[step], round(seconds * _MICRO)
        bucket = bucket_of(microseconds)
        with self._lock:
            if self._clock() >= self.ends:
                self._roll()
            histogram = self._step_histograms[place]
            histogram[bucket] = histogram.get(bucket, 0) + 1
            self._step_counts[place] += 1
            self._steps_us[place] += microseconds

    def order(self, seconds: float, *, rolled_back: bool) -> None:
        microseconds = round(seconds * _MICRO)
        bucket = bucket_of(microseconds)
        with self._lock:
            if self._clock() >= self.ends:
                self._roll()
            self._histogram[bucket] = self._histogram.get(bucket, 0) + 1
            self._orders += 1
            self._order_us += microseconds
            self._rollbacks += rolled_back
            self._order_us_max = max(self._order_us_max, microseconds)

    def take(self) -> Counted:
        taken = Counted(
            orders=self._orders,
            order_us=self._order_us,
            rollbacks=self._rollbacks,
            order_us_max=self._order_us_max,
            histogram=self._histogram,
            step_counts=self._step_counts,
            steps_us=self._steps_us,
            step_histograms=self._step_histograms,
        )
        self._begin_anew()
        return taken
