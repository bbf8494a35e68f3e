"""The gate where connected users wait for the clock to start: as in DVD Store 2, nobody orders before.

So the users still to come find a server that is free to let them in, however many there are. Behind the gate they begin
one after the other: each when another one has placed its first order, and in any case soon. A server works longer on
the first order of a connection than on any other (PostgreSQL plans every statement anew for each); were hundreds of
users to begin at once, whoever else wants a processor of its machine would wait for a good part of a second.
"""

import itertools
import threading
import time

AT_ONCE = 1
LEAST_SPREAD_SECONDS, MOST_SPREAD_SECONDS = 2.0, 20.0
# Hundreds of first orders that begin faster than that are more than two processors plan beside a load.
_BEGIN_PER_SECOND = 38


def spread_of(users: int, warmup_seconds: float) -> float:
    """How many seconds after the first of a run's users the last one begins at the latest: within the warm-up, if that
    is not shorter than the least."""
    most = min(max(LEAST_SPREAD_SECONDS, warmup_seconds), MOST_SPREAD_SECONDS)
    return min(max(LEAST_SPREAD_SECONDS, users / _BEGIN_PER_SECOND), most)


class StartGate:
    """Opened once, by the client; its ``users`` wait at it, on their threads or in their loop, in the order of their
    coming.

    ``AT_ONCE`` of them begin when it is opened, the others one for each first order that is over, and at the latest
    spread evenly over the seconds that whoever opens it says.
    """

    def __init__(self, stop: threading.Event, users: int) -> None:
        self._stop = stop
        self._users = users
        self._places = itertools.count()
        self._first_orders = 0
        self._is_open = False
        self._opens_at = float("inf")
        self._spread_seconds = LEAST_SPREAD_SECONDS
        self._changed = threading.Condition()

    def open(self, moment: float, spread_seconds: float = LEAST_SPREAD_SECONDS) -> None:
        """Let the users through from a moment of the monotonic clock on; one that is over opens at once."""
        with self._changed:
            self._opens_at = moment
            self._spread_seconds = spread_seconds
            self._is_open = True
            self._changed.notify_all()

    def first_order_is_over(self) -> None:
        """A user has placed its first order, or given it up: another one may begin."""
        with self._changed:
            self._first_orders += 1
            self._changed.notify_all()

    def turn_of(self, place: int) -> float:
        """When the user who came as number ``place``, from 0, begins: a moment of the monotonic clock.

        Infinite as long as it is not known when the gate opens; it comes nearer with every first order that is over.
        """
        waiting_for = max(0, place + 1 - AT_ONCE - self._first_orders)
        return self._opens_at + waiting_for * self._spread_seconds / self._users

    def wait(self) -> None:
        """Take the next place, and return when its turn has come, or the run is stopped.

        Whoever stops has to open the gate as well.
        """
        place = next(self._places)
        with self._changed:
            self._changed.wait_for(lambda: self._is_open)
            while not self._stop.is_set() and (pause := self.turn_of(place) - time.monotonic()) > 0:
                self._changed.wait(pause)
