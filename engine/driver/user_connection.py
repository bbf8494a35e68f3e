"""An emulated user's connection: opened with retries, reopened when it is lost, and cut by the main thread.

``opening`` and ``reopening`` make one attempt in each step, on a thread that may block, and yield the seconds to wait
before the next step; between two steps no thread is needed. ``cut`` and ``close`` are called from any thread.
"""

import random
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, TypeVar

from engine.databases.async_system import AsyncSession
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


S = TypeVar("S", bound=Session | AsyncSession)
Connect = Callable[[int, int], S]
"""Opens a session, or raises ``TargetError``. The arguments are the number of the host to try first, and the factor by
which the connection time-out is multiplied."""


@dataclass
class Attempts:
    """The attempts to open one connection: the next host to try, the factor of its time-out, and the longest pause."""

    first_host: int
    timeout_factor: int = 1
    longest_seconds: float = FIRST_BACK_OFF_SECONDS


class BaseConnection(Generic[S]):
    """A user's session, however it is opened: ``session`` is ``None`` when there is none; ``state`` is the user's, also
    set by what drives the user."""

    def __init__(self, *, rng: random.Random, tally: SecondTally, outage: Outage, stop: threading.Event) -> None:
        self.state = UserState.DOWN
        self.has_connected = False
        self.session: S | None = None
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

    def begin_opening(self) -> Attempts:
        """Close what is open, to open another one."""
        self.close()
        return Attempts(self._first_host)

    def failed(self, attempts: Attempts, error: TargetError) -> float:
        """An attempt has failed: count it; the seconds of a randomized exponential back-off before the next one."""
        self._tally.error(error)
        self._first_host += 1
        attempts.first_host = self._first_host
        self.state = UserState.RECONNECTING
        pause = self._rng.uniform(attempts.longest_seconds / 2, attempts.longest_seconds)
        attempts.longest_seconds = min(2 * attempts.longest_seconds, LONGEST_BACK_OFF_SECONDS)
        if error.error_class is ErrorClass.TIMEOUT:
            # An overloaded server would never serve users that always give up too early.
            attempts.timeout_factor = min(2 * attempts.timeout_factor, MOST_TIMEOUT_FACTOR)
        return pause

    def opened(self, session: S) -> None:
        """An attempt has succeeded."""
        with self._closing:
            self._cut_because = ""
            self.session = session
        self.has_connected = True
        self.state = UserState.WORKING

    def lost(self, at: float) -> None:
        """The connection was lost at a moment, and is being replaced."""
        self._outage.lost(at)
        self.state = UserState.RECONNECTING

    def back(self, lost_at: float) -> None:
        """The connection that was lost at that moment has been replaced."""
        self._outage.back(lost_at, time.monotonic())
        self._tally.reconnected()

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


class UserConnection(BaseConnection[S]):
    """A connection that a thread opens, which may block."""

    def __init__(
        self, connect: Connect[S], *, rng: random.Random, tally: SecondTally, outage: Outage, stop: threading.Event
    ) -> None:
        super().__init__(rng=rng, tally=tally, outage=outage, stop=stop)
        self._connect = connect

    def opening(self) -> Iterator[float]:
        """Connect with as many attempts as needed; there is a session at the end unless the run was stopped before.

        After each failed attempt it yields the seconds to wait.
        """
        attempts = self.begin_opening()
        while not self._stop.is_set():
            try:
                session = self._connect(attempts.first_host, attempts.timeout_factor)
            except TargetError as error:
                yield self.failed(attempts, error)
                continue
            self.opened(session)
            return

    def reopening(self) -> Iterator[float]:
        """Replace a connection that is lost at the moment of this call; otherwise as ``opening``."""
        if self._stop.is_set():
            return self.opening()
        lost_at = time.monotonic()
        self.lost(lost_at)
        return self._reopening(lost_at)

    def _reopening(self, lost_at: float) -> Iterator[float]:
        yield from self.opening()
        if self.session is not None:
            self.back(lost_at)
