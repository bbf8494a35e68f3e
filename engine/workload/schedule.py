"""Response times as intended by the users' schedule: how long orders waited that a stall delayed.

Emulated users are closed-loop: the next order begins one think time after the last has ended. An undisturbed user
places an order every think time + response time; while one order hangs, those that become due meanwhile are neither
placed nor measured (coordinated omission). Here each of them gets the time from when it was due to the end of the
stall. ``engine.driver.tally`` computes this second by second, outside the users' threads.

Source of the idea: G. Tene, HdrHistogram (``recordValueWithExpectedInterval``), which derives the waits from the
recorded value; here they are the real waits of the users, including failed attempts and lost connections.
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
    """How long, in seconds, an order took from when its first attempt was due until it succeeded.

    ``unmeasured_seconds`` is the part that is not in the order's response time: failed attempts, or a price look-up and
    taken usernames that took longer than the rest. 0 is the ordinary course; infinity is an order that has not
    succeeded, whose ``seconds`` are those until now.
    """

    seconds: float
    unmeasured_seconds: float


class Part(NamedTuple):
    """The orders of a delay that were due ``since_seconds`` after the first one, or later."""

    delay: Delay
    since_seconds: float


def overdue_orders(delay: Delay, period_seconds: float, since_seconds: float = 0.0) -> Iterator[tuple[int, int]]:
    """The orders that became due during a delay, ``period_seconds`` apart: pairs of their wait in µs and their number.

    Orders that were due earlier than ``since_seconds`` after the first one are left out. Order k was due k × period
    after the first, k from 0. The order that was placed, which is counted separately, stands for the one whose wait was
    nearest to its response time: in the ordinary course the first. If its response time covers less, it never stands
    for the first, and where no other is left, it counts beside them. Orders with long waits are grouped at the middle
    of their waits, which is within 1 per cent of each, so that an outage of an hour takes some hundred pairs.
    """
    first, end = math.ceil(since_seconds / period_seconds), int(delay.seconds / period_seconds) + 1
    if delay.unmeasured_seconds == math.inf:
        placed = end
    else:
        placed = max(1, round(delay.unmeasured_seconds / period_seconds)) if delay.unmeasured_seconds else 0
    yield from _together(delay.seconds, period_seconds, first, min(placed, end))
    yield from _together(delay.seconds, period_seconds, max(first, placed + 1), end)


def _together(seconds: float, period_seconds: float, number: int, end: int) -> Iterator[tuple[int, int]]:
    """The orders from ``number`` on and before ``end``."""
    while number < end:
        longest = seconds - number * period_seconds
        together = min(max(1, int(longest / (_GRAIN * period_seconds))), end - number)
        middle = longest - (together - 1) * period_seconds / 2
        yield max(0, round(middle * _MICRO)), together
        number += together


class IntendedSchedule:
    """The schedule of one client's users; without think time there is none.

    The period is the mean think time + the mean response time of all seconds before the one to be computed, so that the
    orders that end a stall do not lengthen it; if there is no earlier second, of that second itself.
    """

    def __init__(self, think_seconds: float) -> None:
        self.think_seconds = think_seconds
        self._orders = 0
        self._order_us = 0

    def overdue(
        self, delays: Iterable[Delay], *, orders: int, order_us: int, parts: Iterable[Part] = ()
    ) -> bytes | None:
        """The packed histogram of a second's overdue orders, ``None`` without a schedule. Called in the order of the
        seconds.

        ``orders`` and ``order_us`` are those of the sample; ``parts`` are parts of further delays.
        """
        if not self.think_seconds:
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
            if delay.seconds < period and not delay.unmeasured_seconds:
                continue  # almost all: none was due meanwhile, and the sample is waited for
            _count(counts, overdue_orders(delay, period))
        for delay, since_seconds in parts:
            if delay.unmeasured_seconds < math.inf or self.is_stalled(delay.seconds):
                _count(counts, overdue_orders(delay, period, since_seconds))
        return pack(counts)

    def is_stalled(self, seconds: float) -> bool:
        """Whether an order that has been in progress for so long is no longer in its ordinary course."""
        return seconds > min(self._period(), _MEANS_UNDER_WAY * self._mean())

    def _period(self) -> float:
        return self.think_seconds + self._mean()

    def _mean(self) -> float:
        return self._order_us / self._orders / _MICRO if self._orders else 0.0


class OpenLoopSchedule(IntendedSchedule):
    """The schedule of an open loop, whose response times are those as intended already.

    Only what is still due when measuring ends is in no response time: if it has waited longer than transactions
    normally take, its wait counts beside them.
    """

    def __init__(self) -> None:
        super().__init__(0.0)

    def overdue(
        self, delays: Iterable[Delay], *, orders: int, order_us: int, parts: Iterable[Part] = ()
    ) -> bytes | None:
        self._orders += orders
        self._order_us += order_us
        counts: dict[int, int] = {}
        waits = (delay.seconds for delay, _ in parts if self.is_stalled(delay.seconds))
        _count(counts, ((round(seconds * _MICRO), 1) for seconds in waits))
        return pack(counts)

    def is_stalled(self, seconds: float) -> bool:
        return seconds > _MEANS_UNDER_WAY * self._mean()


def _count(counts: dict[int, int], overdue: Iterable[tuple[int, int]]) -> None:
    for waited_us, together in overdue:
        bucket = bucket_of(waited_us)
        counts[bucket] = counts.get(bucket, 0) + together
