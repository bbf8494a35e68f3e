"""An emulated user that a loop drives: its state in the loop, and its connecting, on a thread of a pool."""

import threading
import time
from collections.abc import Iterator
from typing import Protocol

from engine.databases.polled_session import PolledSession
from engine.driver.connector_pool import ConnectorPool
from engine.driver.timebase import NEVER
from engine.driver.user_connection import UserConnection, UserState
from engine.workload.actions import Pause, Script


class Loop(Protocol):
    """What a user needs from the loop that drives it; implemented by ``engine.driver.user_loop``."""

    stop: threading.Event

    def add(self, user: "LoopUser") -> None:
        """Add a user; to be called before the loop starts."""
        ...

    def connected(self, user: "LoopUser", seconds: float | None) -> None:
        """A user has connected, or reconnected after ``seconds``, or has given up; from any thread."""
        ...

    @property
    def thread_id(self) -> int | None: ...


class LoopUser:
    """Implements ``engine.driver.user_pool.User``; ``loop`` drives it. Errors but ``TargetError`` end this user."""

    __slots__ = (
        "_attempts",
        "_call_seconds",
        "_connectors",
        "_loop",
        "_starts_at",
        "connection",
        "failure",
        "fileno",
        "is_alive",
        "paused",
        "script",
        "session",
        "waits_since",
    )

    def __init__(
        self,
        *,
        connection: UserConnection[PolledSession],
        script: Script,
        starts_at: float,
        call_seconds: float,
        loop: Loop,
        connectors: ConnectorPool,
    ) -> None:
        self.connection = connection
        self.script = script
        self.failure: Exception | None = None
        self.is_alive = True
        self.session: PolledSession | None = None
        self.paused: Pause | None = None
        self.waits_since = NEVER  # while it pauses or reconnects
        self.fileno = -1
        self._starts_at = starts_at
        self._call_seconds = call_seconds
        self._loop = loop
        self._connectors = connectors
        self._attempts: Iterator[float] = connection.opening()

    def start(self) -> None:
        self._loop.add(self)
        self._connectors.add(self._starts_at, self._attempt)

    @property
    def thread_id(self) -> int | None:
        return self._loop.thread_id

    @property
    def busy_since(self) -> float:
        session = self.connection.session
        if self.waits_since != NEVER or session is None:
            return self.waits_since
        return session.sent_at

    def cut_if_overdue(self, now: float) -> float:
        session = self.connection.session  # read first: by the time of the cut it may have been replaced
        ends = NEVER if session is None else session.sent_at + self._call_seconds
        if now < ends:
            return ends
        self.connection.cut(session, f"no answer within {self._call_seconds:g} s; the connection was cut")
        return NEVER

    def cut(self, because: str) -> None:
        self.connection.cut(self.connection.session, because)

    def reconnect(self) -> None:
        """Reconnect on the pool's threads; the loop is notified."""
        self.waits_since = time.monotonic()
        self._attempts = self.connection.reopening()
        self._connectors.add(self.waits_since, self._attempt)

    def _attempt(self) -> float | None:
        """Make an attempt to connect: the moment of the next one, or ``None`` when the loop has been notified."""
        pause_seconds = None
        try:
            pause_seconds = next(self._attempts, None)
        except Exception as error:
            self.failure = error
        now = time.monotonic()
        if pause_seconds is not None:
            return now + pause_seconds
        is_first = self.waits_since == NEVER
        if is_first and self.connection.session is not None:
            self.connection.state = UserState.THINKING
        self._loop.connected(self, None if is_first else now - self.waits_since)
        return None
