"""A bounded pool of threads that open the connections of one client's users, each at its moment.

Opening a connection may block, so the loop that drives the users cannot do it. A thread is needed only while a
connection is being opened: neither for a user whose place in the ramp has not come, nor between two attempts. Each
client has a pool of its own, so that a server which does not answer delays no user of another client.
"""

import heapq
import itertools
import math
import threading
import time
from collections.abc import Callable

Attempt = Callable[[], float | None]
"""Makes one attempt, which may block; returns the moment of the next one, or ``None`` when none is needed.

It must not raise errors. Once the run is being stopped it must return ``None`` at once.
"""

_LEAST_THREADS = 32
_MOST_THREADS = 128


def threads_for(ramp_rate: float, connect_seconds: float) -> int:
    """The most threads of a client's pool, by Little's law: arrivals per second × seconds that each one takes.

    With that many, the first attempt of each user begins at its place in the ramp even if all earlier ones take the
    whole ``connect_seconds``. At least 32, so that a few connections that hang do not delay many others after a fault,
    and at most 128: more attempts at a time only compete for the server.
    """
    return min(max(math.ceil(ramp_rate * connect_seconds), _LEAST_THREADS), _MOST_THREADS)


class ConnectorPool:
    """Makes the attempts that are added, each at its moment of the monotonic clock, on at most ``most`` threads.

    Attempts that are due begin in the order of their moments. A thread is started when an attempt is pending and no
    other thread waits for it, and ends when there is nothing for it to wait for. Thread-safe.
    """

    def __init__(self, most: int, stop: threading.Event) -> None:
        self._most = most
        self._stop = stop
        self._pending: list[tuple[float, int, Attempt]] = []
        self._numbers = itertools.count()
        self._threads = 0
        self._has_waiter = False
        self._changed = threading.Condition()

    def add(self, moment: float, attempt: Attempt) -> None:
        """Make an attempt at a moment; at once, on the calling thread, when the run is being stopped.

        Raises ``RuntimeError`` if the system allows no thread for it.
        """
        with self._changed:
            if not self._stop.is_set():
                self._start_waiter()
                self._push(moment, attempt)
                return
        attempt()

    def end(self) -> None:
        """Make all pending attempts end; to be called once the stop event is set."""
        with self._changed:
            pending, self._pending = self._pending, []
            self._changed.notify()
        for _, _, attempt in pending:
            attempt()

    def _push(self, moment: float, attempt: Attempt) -> None:
        """Add an attempt to those pending; to be called with the lock."""
        heapq.heappush(self._pending, (moment, next(self._numbers), attempt))
        if self._pending[0][2] is attempt:
            self._changed.notify()

    def _start_waiter(self) -> None:
        """Start a thread that waits for the first pending attempt, if there is none; to be called with the lock."""
        if self._has_waiter or self._threads == self._most:
            return
        thread = threading.Thread(target=self._work, name="connector", daemon=True)
        try:
            thread.start()
        except RuntimeError:  # the system allows no more threads
            if not self._threads:
                raise
            return  # those that there are come to the attempt later
        self._threads += 1
        self._has_waiter = True

    def _work(self) -> None:
        attempt = self._await_first()
        while attempt is not None:
            attempt = self._continue(attempt, attempt())

    def _continue(self, attempt: Attempt, again_at: float | None) -> Attempt | None:
        """After an attempt: the next one for this thread, or ``None`` if the thread is not needed any more."""
        with self._changed:
            if again_at is not None:
                self._push(again_at, attempt)
            if self._has_waiter or not self._pending:
                self._threads -= 1
                return None
            self._has_waiter = True
        return self._await_first()

    def _await_first(self) -> Attempt | None:
        """Wait until the first pending attempt is due, and let another thread wait for the next one.

        ``None`` when nothing is pending any more: the thread then ends.
        """
        with self._changed:
            while self._pending and not self._stop.is_set() and (pause := self._pending[0][0] - time.monotonic()) > 0:
                self._changed.wait(pause)
            self._has_waiter = False
            if not self._pending:
                self._threads -= 1
                return None
            _, _, attempt = heapq.heappop(self._pending)
            if self._pending:
                self._start_waiter()
            return attempt
