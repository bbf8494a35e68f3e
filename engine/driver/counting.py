"""Counts the transactions of the present second and their steps, and how long each took.

All users of a client process count here, some ten thousand times a second: where there is a C compiler, the compiled
module (``_counting.c``) does it in a tenth of the time. Called by ``engine.driver.tally``.
"""

import threading
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from engine.histogram import bucket_of, pack

_MICRO = 1_000_000


class CountedType(NamedTuple):
    """The counts of one type of transaction or step in one second.

    How many there were, the sum and the largest of their whole microseconds, and their histogram as
    ``engine.histogram.pack`` makes it.
    """

    n: int
    sum_us: int
    max_us: int
    histogram: bytes


class Counted(NamedTuple):
    """The counts of one second: of each type in the order of the ids that the counting was made with."""

    rollbacks: int
    types: Sequence[CountedType]


class Counting(Protocol):
    """Counts what ends before the clock reaches ``ends``; at the first count after that it calls ``roll``.

    ``roll``, passed to the constructor, takes all seconds that are over and advances ``ends``. Thread-safe. An id that
    is none of the types' raises ``KeyError``.
    """

    ends: float

    def step(self, step: str, seconds: float, /) -> None: ...

    def transaction(self, transaction: str, seconds: float, /, *, rolled_back: bool) -> None: ...

    def take(self) -> Counted:
        """What was counted since the last call, as a tuple of ``Counted``'s fields."""
        ...


def new_counting(
    ids: tuple[str, ...], roll: Callable[[], None], clock: Callable[[], float], lock: threading.RLock
) -> Counting:
    """The compiled counting if there is one, else the plain one; ``roll`` holds ``lock`` while it takes a second."""
    try:
        from engine.driver import _counting
    except ImportError:
        return PlainCounting(ids, roll, clock, lock)
    return _counting.Counting(ids, roll, None if clock is time.monotonic else clock)


class _Type:
    __slots__ = ("count", "histogram", "max_us", "sum_us")

    def __init__(self) -> None:
        self.count = self.sum_us = self.max_us = 0
        self.histogram: dict[int, int] = {}


class PlainCounting:
    """Implements ``Counting`` in Python.

    Response times are put into their histogram buckets at once: when the second is over, its sample is due.
    """

    def __init__(
        self, ids: tuple[str, ...], roll: Callable[[], None], clock: Callable[[], float], lock: threading.RLock
    ) -> None:
        self.ends = 0.0
        self._roll = roll
        self._clock = clock
        self._lock = lock
        self._ids = ids
        self._begin_anew()

    def _begin_anew(self) -> None:
        self._rollbacks = 0
        self._types = {each: _Type() for each in self._ids}

    def step(self, step: str, seconds: float, /) -> None:
        self._count(step, seconds, rollbacks=0)

    def transaction(self, transaction: str, seconds: float, /, *, rolled_back: bool) -> None:
        self._count(transaction, seconds, rollbacks=int(rolled_back))

    def _count(self, name: str, seconds: float, rollbacks: int) -> None:
        microseconds = round(seconds * _MICRO)
        bucket = bucket_of(microseconds)
        with self._lock:
            if self._clock() >= self.ends:
                self._roll()
            counted = self._types[name]
            counted.histogram[bucket] = counted.histogram.get(bucket, 0) + 1
            counted.count += 1
            counted.sum_us += microseconds
            counted.max_us = max(counted.max_us, microseconds)
            self._rollbacks += rollbacks

    def take(self) -> Counted:
        types = [
            CountedType(each.count, each.sum_us, each.max_us, pack(each.histogram)) for each in self._types.values()
        ]
        taken = Counted(self._rollbacks, types)
        self._begin_anew()
        return taken
