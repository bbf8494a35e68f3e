"""An emulated user on a separate thread with a blocking connection: it performs the actions that the script yields.

For databases whose drivers only block; ``engine.driver.user_loop`` drives the others. The main thread may read a user's
state and the deadline of its call at any time, and cut a connection whose server has stopped answering: a frozen server
does not enforce its own time-outs.
"""

import threading
import time
from collections.abc import Iterator

from engine.databases.database import Session
from engine.driver.start_gate import StartGate
from engine.driver.timebase import NEVER
from engine.driver.user_connection import UserConnection, UserState
from engine.errors import TargetError
from engine.workload.actions import Call, Outcome, Pause, PauseKind, Script


class UserThread:
    """Implements ``engine.driver.user_pool.User``: from its start in the ramp, at ``starts_at``, to the run's stop.

    It places orders once the ``gate`` is open. Any error but a ``TargetError`` is an internal one: it ends this user
    and is kept in ``failure``.
    """

    def __init__(
        self,
        *,
        name: str,
        connection: UserConnection[Session],
        script: Script,
        starts_at: float,
        call_seconds: float,
        gate: StartGate,
        stop: threading.Event,
    ) -> None:
        self.connection = connection
        self.failure: Exception | None = None
        self._script = script
        self._starts_at = starts_at
        self._call_seconds = call_seconds
        self._gate = gate
        self._stop = stop
        self._call_ends = NEVER
        self._waits_since = NEVER  # while it pauses or reconnects
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        self._thread.start()

    @property
    def thread_id(self) -> int | None:
        return self._thread.native_id

    @property
    def is_alive(self) -> bool:
        return self._thread.is_alive()

    @property
    def busy_since(self) -> float:
        return self._waits_since if self._waits_since != NEVER else self._call_ends - self._call_seconds

    def cut_if_overdue(self, now: float) -> float:
        session = self.connection.session  # read first: by the time of the cut it may have been replaced
        ends = self._call_ends
        if now < ends:
            return ends
        self.connection.cut(session, f"no answer within {self._call_seconds:g} s; the connection was cut")
        return NEVER

    def cut(self, because: str) -> None:
        self.connection.cut(self.connection.session, because)

    def _run(self) -> None:
        if self._stop.wait(max(0.0, self._starts_at - time.monotonic())):
            return
        try:
            if self._connect(self.connection.opening()):
                self.connection.state = UserState.THINKING
                self._gate.wait()
                self.connection.state = UserState.WORKING
                if not self._stop.is_set():
                    self._live()
        except Exception as error:
            self.failure = error
        finally:
            self.connection.close()
            self.connection.state = UserState.DOWN

    def _live(self) -> None:
        action = next(self._script)
        while True:
            if isinstance(action, Call):
                outcome = self._perform(action)
            elif isinstance(action, Pause):
                outcome = self._pause(action)
                if action.kind.is_between and self._stop.is_set():
                    return
            else:
                began = self._waits_since = time.monotonic()
                if not self._connect(self.connection.reopening()):
                    return
                self._waits_since = NEVER
                outcome = (None, None, time.monotonic() - began)
            action = self._script.send(outcome)

    def _connect(self, attempts: Iterator[float]) -> bool:
        """Connect with as many attempts as needed; false if the run is stopped before."""
        for pause_seconds in attempts:
            self._stop.wait(pause_seconds)
        return self.connection.session is not None

    def _perform(self, call: Call) -> Outcome:
        session = self.connection.session
        assert session is not None, "a user that calls is connected"
        began = time.monotonic()
        self._call_ends = began + self._call_seconds
        try:
            result = session.call(call.name, call.arguments)
        except TargetError as error:
            return None, self.connection.as_seen(error), time.monotonic() - began
        else:
            return result, None, time.monotonic() - began
        finally:
            self._call_ends = NEVER

    def _pause(self, pause: Pause) -> Outcome:
        """A user that waits before a retry is still working on its order; a thinking or inactive one has none."""
        if pause.seconds <= 0:
            return None, None, 0.0
        if pause.kind.is_between:
            is_thinking = pause.kind is PauseKind.THINK
            self.connection.state = UserState.THINKING if is_thinking else UserState.INACTIVE
        began = self._waits_since = time.monotonic()
        self._stop.wait(pause.seconds)
        self._waits_since = NEVER
        self.connection.state = UserState.WORKING
        return None, None, time.monotonic() - began
