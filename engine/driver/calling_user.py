"""What users have in common that make one call at a time and wait for it: on a thread, or in a loop of ``asyncio``."""

import time
from typing import Generic

from engine.driver.timebase import NEVER
from engine.driver.user_connection import BaseConnection, S, UserState
from engine.workload.actions import Outcome, Pause, PauseKind


class CallingUser(Generic[S]):
    """The deadline of the present call, which may take ``call_seconds``, and since when the user has been pausing."""

    def __init__(self, connection: BaseConnection[S], call_seconds: float) -> None:
        self.connection = connection
        self.failure: Exception | None = None
        self._call_seconds = call_seconds
        self._call_ends = NEVER
        self._waits_since = NEVER  # while it pauses or reconnects

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

    def _begin_pause(self, pause: Pause) -> float:
        """A user that waits before a retry is still working on its transaction; a thinking or inactive one has none.

        Returns the present moment.
        """
        if pause.kind.is_between:
            is_thinking = pause.kind is PauseKind.THINK
            self.connection.state = UserState.THINKING if is_thinking else UserState.INACTIVE
        self._waits_since = time.monotonic()
        return self._waits_since

    def _end_pause(self, began: float) -> Outcome:
        self._waits_since = NEVER
        self.connection.state = UserState.WORKING
        return None, None, time.monotonic() - began
