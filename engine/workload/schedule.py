"""The response times as a user's schedule intended them: what a stall is charged to beside the one order that met it.

Emulated users are closed-loop: the next order begins think time after the last one has ended. An undisturbed user
places an order every think time + response time; while one of its orders hangs, those that were due meanwhile are
never begun, and never measured (coordinated omission). Here each of them gets the time from its due moment to the end
of the stall. ``engine.driver.tally`` asks second by second, away from the users.

Source of the idea: G. Tene, HdrHistogram (``recordValueWithExpectedInterval``), which derives the waits from the
recorded value; here they are the user's real ones, failed attempts and lost connections included.
"""

import math
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from engine.histogram import bucket_of, pack

_GRAIN = 64
_MICRO = 1_000_000
# Of an order under way nobody knows how long it will take: within so many mean response times it is in its course.
_MEANS_UNDER_WAY = 10


class Delay(NamedTuple):
    """How long, in seconds, an order took from the moment at which its first attempt was due until it went through.

    ``untold_seconds`` is how much of that the order's own response time does not tell: failed attempts, or a price
    look-up and taken usernames that took longer than all the rest. 0 is the ordinary course, infinity an order that did
    not go through: ``seconds`` are then those until now.
    """

    seconds: float
    untold_seconds: float


class Part(NamedTuple):
    """The orders of a delay that were due ``since_seconds`` after the first, or later."""

    delay: Delay
    since_seconds: float


def overdue_orders(delay: Delay, period_seconds: float, since_seconds: float = 0.0) -> Iterator[tuple[int, int]]:
    """The orders due during a delay, ``period_seconds`` apart: pairs of how long they waited, µs, and how many did.

    Only those due so many seconds after the first, or later. They were due at k × period after the first, k from 0. The
    order that was placed, which is counted by itself, stands for the one of these whose wait was nearest to its own
    response time: in the ordinary course the first. When its response time tells of less, it never stands for the
    first, and where that leaves none, it counts beside them. Orders that waited long are taken together at the middle
    of their waits, which is within 1 per cent of each, so that an outage of an hour takes some hundred pairs.
    """
    first, end = math.ceil(since_seconds / period_seconds), int(delay.seconds / period_seconds) + 1
    if delay.untold_seconds == math.inf:
        placed = end
    else:
        placed = max(1, round(delay.untold_seconds / period_seconds)) if delay.untold_seconds else 0
    yield from _together(delay.seconds, period_seconds, first, min(placed, end))
    yield from _together(delay.seconds, period_seconds, max(first, placed + 1), end)


def _together(seconds: float, period_seconds: float, number: int, end: int) -> Iterator[tuple[int, int]]:
    """Those from ``number`` on and below ``end``."""
    while number < end:
        longest = seconds - number * period_seconds
        together = min(max(1, int(longest / (_GRAIN * period_seconds))), end - number)
        middle = longest - (together - 1) * period_seconds / 2
        yield max(0, round(middle * _MICRO)), together
        number += together


class IntendedSchedule:
    """The schedule of one client's users; without think time there is none.

    The period is the mean think time + the mean response time of all seconds before the one that is asked about, so
    that the orders that end a stall don't stretch it; of that second itself as long as there is no other.
    """

    def __init__(self, think_seconds: float) -> None:
        self._think_seconds = think_seconds
        self._orders = 0
        self._order_us = 0

    def overdue(
        self, delays: Iterable[Delay], *, orders: int, order_us: int, parts: Iterable[Part] = ()
    ) -> bytes | None:
        """The packed histogram of a second's overdue orders, ``None`` without a schedule; seconds come in order.

        ``orders`` and ``order_us`` are the sample's; ``parts`` are of further delays.
        """
        if not self._think_seconds:
            return None
        if not self._orders:
            self._orders, self._order_us = orders, order_us
            period = self._period()
        else:
            period = self._period()
            self._orders += orders
            self._order_us += order_us
        counts: dict[int, int] = {}
        for delay in delays:
            if delay.seconds < period and not delay.untold_seconds:
                continue  # almost all: none was due meanwhile, and the sample is waited for
            _count(counts, overdue_orders(delay, period))
        for delay, since_seconds in parts:
            if delay.untold_seconds < math.inf or self.is_stalled(delay.seconds):
                _count(counts, overdue_orders(delay, period, since_seconds))
        return pack(counts)

    def is_stalled(self, seconds: float) -> bool:
        """Whether an order that has been under way for so long is out of its ordinary course."""
        return seconds > min(self._period(), _MEANS_UNDER_WAY * self._mean())

    def _period(self) -> float:
        return self._think_seconds + self._mean()

    def _mean(self) -> float:
        return self._order_us / self._orders / _MICRO if self._orders else 0.0


def _count(counts: dict[int, int], overdue: Iterable[tuple[int, int]]) -> None:
    for waited_us, together in overdue:
        bucket = bucket_of(waited_us)
        counts[bucket] = counts.get(bucket, 0) + together
