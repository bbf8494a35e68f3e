"""An emulated user that a loop drives: its state in the loop, and its connecting, which may block."""

import threading
import time
from typing import Protocol

from engine.databases.polled_session import PolledSession
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
        "_call_seconds",
        "_loop",
        "_name",
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
        name: str,
        connection: UserConnection[PolledSession],
        script: Script,
        starts_at: float,
        call_seconds: float,
        loop: Loop,
    ) -> None:
        self.connection = connection
        self.script = script
        self.failure: Exception | None = None
        self.is_alive = True
        self.session: PolledSession | None = None
        self.paused: Pause | None = None
        self.waits_since = NEVER  # while it pauses or reconnects
        self.fileno = -1
        self._name = name
        self._starts_at = starts_at
        self._call_seconds = call_seconds
        self._loop = loop

    def start(self) -> None:
        self._loop.add(self)
        threading.Thread(target=self._connect, name=self._name, daemon=True).start()

    @property
    def thread_id(self) -> int | None:
        return self._loop.thread_id

    @property
    def busy_since(self) -> float:
        session = self.connection.session
        if self.waits_since != NEVER or session is None:
            return self.waits_since
        return session.asked_at

    def cut_if_overdue(self, now: float) -> float:
        session = self.connection.session  # read first: by the time of the cut it may have been replaced
        ends = NEVER if session is None else session.asked_at + self._call_seconds
        if now < ends:
            return ends
        self.connection.cut(session, f"no answer within {self._call_seconds:g} s; the connection was cut")
        return NEVER

    def cut(self, because: str) -> None:
        self.connection.cut(self.connection.session, because)

    def reconnect(self) -> None:
        """Reconnect on a thread of its own, which may block; the loop is notified."""
        self.waits_since = time.monotonic()
        threading.Thread(target=self._reconnect, name=self._name, daemon=True).start()

    def _connect(self) -> None:
        try:
            if not self._loop.stop.wait(max(0.0, self._starts_at - time.monotonic())) and self.connection.open():
                self.connection.state = UserState.THINKING
        except Exception as error:
            self.failure = error
        self._loop.connected(self, None)

    def _reconnect(self) -> None:
        began = time.monotonic()
        try:
            if not self.connection.reopen():
                self.connection.close()
        except Exception as error:
            self.failure = error
        self._loop.connected(self, time.monotonic() - began)
