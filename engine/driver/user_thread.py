"""An emulated user on a separate thread with a blocking connection: it performs the actions that the script yields.

For databases whose drivers only block; ``engine.driver.user_loop`` drives the others. The main thread may read a user's
state and the deadline of its call at any time, and cut a connection whose server has stopped answering: a frozen server
does not enforce its own time-outs.
"""

import threading
import time
from collections.abc import Iterator

from engine.databases.database import Session
from engine.driver.calling_user import CallingUser
from engine.driver.start_gate import StartGate
from engine.driver.timebase import NEVER
from engine.driver.user_connection import UserConnection, UserState
from engine.errors import TargetError
from engine.workload.actions import Call, Outcome, Pause, Script


class UserThread(CallingUser[Session]):
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
        super().__init__(connection, call_seconds)
        self.connection: UserConnection[Session] = connection
        self._script = script
        self._starts_at = starts_at
        self._gate = gate
        self._stop = stop
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        self._thread.start()

    @property
    def thread_id(self) -> int | None:
        return self._thread.native_id

    @property
    def is_alive(self) -> bool:
        return self._thread.is_alive()

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
        if pause.seconds <= 0:
            return None, None, 0.0
        began = self._begin_pause(pause)
        self._stop.wait(pause.seconds)
        return self._end_pause(began)
