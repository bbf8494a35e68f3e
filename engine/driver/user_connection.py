"""An emulated user's connection: opened with retries, reopened when it is lost, and cut by the main thread.

``opening`` and ``reopening`` make one attempt in each step, on a thread that may block, and yield the seconds to wait
before the next step; between two steps no thread is needed. ``cut`` and ``close`` are called from any thread.
"""

import random
import threading
import time
from collections.abc import Callable, Iterator
from enum import StrEnum
from typing import Generic, TypeVar

from engine.databases.database import Session
from engine.driver.outage import Outage
from engine.driver.tally import SecondTally
from engine.errors import ErrorClass, TargetError

FIRST_BACK_OFF_SECONDS = 0.05
LONGEST_BACK_OFF_SECONDS = 1.0
MOST_TIMEOUT_FACTOR = 4


class UserState(StrEnum):
    """What a user is doing; the names are those of ``Sample``."""

    DOWN = "down"
    WORKING = "working"
    THINKING = "thinking"
    INACTIVE = "inactive"
    RECONNECTING = "reconnecting"


S = TypeVar("S", bound=Session)
Connect = Callable[[int, int], S]
"""Opens a session, or raises ``TargetError``. The arguments are the number of the host to try first, and the factor by
which the connection time-out is multiplied."""


class UserConnection(Generic[S]):
    """``session`` is ``None`` when there is none; ``state`` is the user's, also set by what drives the user."""

    def __init__(
        self, connect: Connect[S], *, rng: random.Random, tally: SecondTally, outage: Outage, stop: threading.Event
    ) -> None:
        self.state = UserState.DOWN
        self.has_connected = False
        self.session: S | None = None
        self._connect = connect
        self._rng = rng
        self._tally = tally
        self._outage = outage
        self._stop = stop
        self._first_host = 0
        self._cut_because = ""
        self._closing = threading.Lock()
        self._received = (0, 0)  # of the sessions that are closed

    @property
    def received(self) -> tuple[int, int]:
        """The rows of all answers so far, and their bytes; from any thread."""
        (rows, size), session = self._received, self.session
        more_rows, more_size = (0, 0) if session is None else session.received
        return rows + more_rows, size + more_size

    def opening(self) -> Iterator[float]:
        """Connect with as many attempts as needed; there is a session at the end unless the run was stopped before.

        After each failed attempt it yields the seconds of a randomized exponential back-off.
        """
        self.close()
        longest, timeout_factor = FIRST_BACK_OFF_SECONDS, 1
        while not self._stop.is_set():
            try:
                session = self._connect(self._first_host, timeout_factor)
            except TargetError as error:
                self._tally.error(error)
                self._first_host += 1
                self.state = UserState.RECONNECTING
                yield self._rng.uniform(longest / 2, longest)
                longest = min(2 * longest, LONGEST_BACK_OFF_SECONDS)
                if error.error_class is ErrorClass.TIMEOUT:
                    # An overloaded server would never serve users that always give up too early.
                    timeout_factor = min(2 * timeout_factor, MOST_TIMEOUT_FACTOR)
                continue
            with self._closing:
                self._cut_because = ""
                self.session = session
            self.has_connected = True
            self.state = UserState.WORKING
            return

    def reopening(self) -> Iterator[float]:
        """Replace a connection that is lost at the moment of this call; otherwise as ``opening``."""
        if self._stop.is_set():
            return self.opening()
        lost_at = time.monotonic()
        self._outage.lost(lost_at)
        self.state = UserState.RECONNECTING
        return self._reopening(lost_at)

    def close(self) -> None:
        with self._closing:
            self._received, session, self.session = self.received, self.session, None
        if session is not None:
            session.close()

    def cut(self, session: S | None, because: str) -> None:
        """Cut a session if it is still the user's present one; the lock prevents a concurrent close."""
        with self._closing:
            if session is not None and session is self.session:
                self._cut_because = because
                session.cut()

    def as_seen(self, error: TargetError) -> TargetError:
        """The error to count: a call that we cut ourselves failed by its time-out, not by a lost connection."""
        if not self._cut_because:
            return error
        return TargetError(ErrorClass.TIMEOUT, self._cut_because, usable=False)

    def _reopening(self, lost_at: float) -> Iterator[float]:
        yield from self.opening()
        if self.session is not None:
            self._outage.back(lost_at, time.monotonic())
            self._tally.reconnected()
