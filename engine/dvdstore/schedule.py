"""The response times as a user's schedule intended them: what a stall is charged to beside the one order that met it.

Emulated users are closed-loop: the next order begins think time after the last one has ended. An undisturbed user
places an order every think time + response time; while one of its orders hangs, those that were due meanwhile are
never begun, and never measured (coordinated omission). Here each of them gets the time from its due moment to the end
of the stall. ``engine.driver.tally`` asks second by second, away from the users.

Source of the idea: G. Tene, HdrHistogram (``recordValueWithExpectedInterval``), which derives the waits from the
recorded value; here they are the user's real ones, failed attempts and lost connections included.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from engine.histogram import bucket_of, pack

_GRAIN = 64
_MICRO = 1_000_000


class Delay(NamedTuple):
    """How long, in seconds, an order took from the moment at which its first attempt was due until it went through.

    ``has_failed``: an earlier attempt failed, so that the order's own measured time is not that of the first one.
    """

    seconds: float
    has_failed: bool


def overdue_orders(delay: Delay, period_seconds: float) -> Iterator[tuple[int, int]]:
    """The orders due during a delay, ``period_seconds`` apart: pairs of how long they waited, µs, and how many did.

    They were due at k × period after the first: k from 1, and from 0 when an earlier attempt failed. Orders that
    waited long are taken together at the middle of their waits, which is within 1 per cent of each, so that an outage
    of an hour takes some hundred pairs.
    """
    number = 0 if delay.has_failed else 1
    last = int(delay.seconds / period_seconds)
    while number <= last:
        longest = delay.seconds - number * period_seconds
        together = min(max(1, int(longest / (_GRAIN * period_seconds))), last - number + 1)
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

    def overdue(self, delays: Iterable[Delay], *, orders: int, order_us: int) -> bytes | None:
        """The packed histogram of a second's overdue orders, ``None`` without a schedule; seconds come in order.

        ``orders`` and ``order_us`` are the sample's.
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
            if delay.seconds < period and not delay.has_failed:
                continue  # almost all: none was due meanwhile, and the sample is waited for
            for waited_us, together in overdue_orders(delay, period):
                bucket = bucket_of(waited_us)
                counts[bucket] = counts.get(bucket, 0) + together
        return pack(counts)

    def _period(self) -> float:
        return self._think_seconds + (self._order_us / self._orders / _MICRO if self._orders else 0.0)
