"""The gate at which connected users wait for the clock to start: as in DVD Store 2, nobody places orders before.

So users that still have to connect find an idle server, however many there are. Behind the gate the users of all client
processes begin one after the other at an even pace. The first order of a connection costs the server more than any
other (PostgreSQL has to plan every statement for each connection): if hundreds of users began at once, everything else
on the server's machine would wait for a considerable part of a second.
"""

import itertools
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from engine.driver.timebase import NEVER

# Two processors that are under load as well cannot plan the first orders of hundreds of users faster than that.
BEGIN_PER_SECOND = 38
MOST_SPREAD_SECONDS = 20.0
_SHORT_WARMUP_SECONDS = 2.0


@dataclass(frozen=True, kw_only=True)
class Pace:
    """When the users of one process begin: the first so many real seconds after the gate opens, then one after each
    ``every_seconds``."""

    first_seconds: float = 0.0
    every_seconds: float = 0.0


ALL_AT_ONCE = Pace()


def paces_of(users: Sequence[int], warmup_seconds: float) -> list[Pace]:
    """The paces of processes with so many ``users`` each.

    The last user begins within ``MOST_SPREAD_SECONDS``, and within the warm-up unless that is shorter than 2 seconds.
    """
    within = min(max(warmup_seconds, _SHORT_WARMUP_SECONDS), MOST_SPREAD_SECONDS)
    spread = min(sum(users) / BEGIN_PER_SECOND, within)
    return [
        Pace(first_seconds=spread / each * place / len(users), every_seconds=spread / each)
        for place, each in enumerate(users)
    ]


class StartGate:
    """Opened once, by the client process. Users wait at it, on their threads or in their loops, and begin in the order
    of their arrival, at the pace with which it is opened.

    ``report_begin`` is called once, on the first user's thread, with how many seconds after its moment it begins.
    """

    def __init__(self, stop: threading.Event, report_begin: Callable[[float], object] = lambda _: None) -> None:
        self._stop = stop
        self._report_begin = report_begin
        self._places = itertools.count()
        self._is_open = False
        self._first_at = NEVER
        self._every_seconds = 0.0
        self._changed = threading.Condition()

    def open(self, moment: float, pace: Pace = ALL_AT_ONCE) -> None:
        """Let the users through from a moment of the monotonic clock on; a moment in the past opens it at once."""
        with self._changed:
            self._first_at = moment + pace.first_seconds
            self._every_seconds = pace.every_seconds
            self._is_open = True
            self._changed.notify_all()

    def take_place(self) -> int:
        """The place in the queue, from 0, of a user that arrives now; from any thread."""
        return next(self._places)

    def begins_at(self, place: int) -> float:
        """When the user in a place begins: a moment of the monotonic clock.

        Infinite as long as it is not known when the gate opens.
        """
        return self._first_at + place * self._every_seconds

    def pass_through(self, place: int) -> None:
        """The user in a place begins now; from any thread."""
        if place == 0:
            self._report_begin(time.monotonic() - self.begins_at(place))

    def wait(self) -> None:
        """Take the next place; return when that user may begin, or the run is stopped.

        To stop the run, the gate has to be opened as well.
        """
        place = self.take_place()
        with self._changed:
            self._changed.wait_for(lambda: self._is_open)
            while not self._stop.is_set() and (pause := self.begins_at(place) - time.monotonic()) > 0:
                self._changed.wait(pause)
        if not self._stop.is_set():
            self.pass_through(place)
