"""Asking a campaign in progress to stop, and its clock."""

import threading
import time
from typing import Protocol


class Stopping:
    """Whether the user wants the campaign to stop: asked once, in order; asked again, at once. Thread-safe.

    ``ask`` may be called by a signal handler.
    """

    def __init__(self) -> None:
        self._asked = 0
        self._event = threading.Event()

    def ask(self) -> None:
        self._asked += 1
        self._event.set()

    def is_asked(self) -> bool:
        return self._asked > 0

    def is_urgent(self) -> bool:
        return self._asked > 1

    def wait(self, seconds: float) -> None:
        """Wait for so long, or until it is asked."""
        self._event.wait(seconds)


class Clock(Protocol):
    """The time that idle times and deadlines are measured by."""

    def monotonic(self) -> float: ...

    def wait(self, seconds: float) -> None: ...


class RealClock:
    """The system's clock; a wait ends early when the campaign is to stop."""

    def __init__(self, stopping: Stopping) -> None:
        self.wait = stopping.wait

    def monotonic(self) -> float:
        return time.monotonic()
