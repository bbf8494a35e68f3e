"""The gate where connected users wait for the clock to start: as in DVD Store 2, nobody orders before.

So the users still to come find a server that is free to let them in, however many there are. Behind the gate they begin
one after the other, at an even pace, the users of all client processes in turn. A server works longer on the first
order of a connection than on any other (PostgreSQL plans every statement anew for each); were hundreds of users to
begin at once, whoever else wants a processor of its machine would wait for a good part of a second.
"""

import itertools
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass

from engine.driver.timebase import NEVER

# Hundreds of first orders that begin faster than that are more than two processors plan beside a load.
BEGIN_PER_SECOND = 38
MOST_SPREAD_SECONDS = 20.0
_SHORT_WARMUP_SECONDS = 2.0


@dataclass(frozen=True, kw_only=True)
class Pace:
    """When the users of one process begin, in real seconds after the gate has opened: the first, and how much later
    each of the others."""

    first_seconds: float = 0.0
    every_seconds: float = 0.0


ALL_AT_ONCE = Pace()


def paces_of(users: Sequence[int], warmup_seconds: float) -> list[Pace]:
    """The paces of processes with so many users each: the last of all begins within ``MOST_SPREAD_SECONDS``, and within
    the warm-up, unless that is shorter than two seconds."""
    within = min(max(warmup_seconds, _SHORT_WARMUP_SECONDS), MOST_SPREAD_SECONDS)
    spread = min(sum(users) / BEGIN_PER_SECOND, within)
    return [
        Pace(first_seconds=spread / each * place / len(users), every_seconds=spread / each)
        for place, each in enumerate(users)
    ]


class StartGate:
    """Opened once, by the client process; users wait at it, on their threads or in their loops, in the order of their
    coming, and begin at the pace that whoever opens it says."""

    def __init__(self, stop: threading.Event) -> None:
        self._stop = stop
        self._places = itertools.count()
        self._is_open = False
        self._first_at = NEVER
        self._every_seconds = 0.0
        self._changed = threading.Condition()

    def open(self, moment: float, pace: Pace = ALL_AT_ONCE) -> None:
        """Let the users through from a moment of the monotonic clock on; one that is over opens at once."""
        with self._changed:
            self._first_at = moment + pace.first_seconds
            self._every_seconds = pace.every_seconds
            self._is_open = True
            self._changed.notify_all()

    def take_place(self) -> int:
        """The place, from 0, of a user who comes now; from any thread."""
        return next(self._places)

    def turn_of(self, place: int) -> float:
        """When the user in a place begins: a moment of the monotonic clock.

        Infinite as long as it is not known when the gate opens.
        """
        return self._first_at + place * self._every_seconds

    def wait(self) -> None:
        """Take the next place, and return when its turn has come, or the run is stopped.

        Whoever stops has to open the gate as well.
        """
        place = self.take_place()
        with self._changed:
            self._changed.wait_for(lambda: self._is_open)
            while not self._stop.is_set() and (pause := self.turn_of(place) - time.monotonic()) > 0:
                self._changed.wait(pause)
