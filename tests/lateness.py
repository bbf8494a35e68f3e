"""Measures how late this machine wakes a thread during a test, as the tolerance for measured outages."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

_EVERY_SECONDS = 0.02


class Lateness:
    """``worst_seconds`` is the longest that a wake-up came too late so far."""

    def __init__(self) -> None:
        self.worst_seconds = 0.0
        self._over = threading.Event()

    def measure(self) -> None:
        due = time.monotonic() + _EVERY_SECONDS
        while not self._over.wait(max(0.0, due - time.monotonic())):
            now = time.monotonic()
            self.worst_seconds = max(self.worst_seconds, now - due)
            due = now + _EVERY_SECONDS

    def end(self) -> None:
        self._over.set()


@contextmanager
def measured_lateness() -> Iterator[Lateness]:
    """Measures meanwhile."""
    lateness = Lateness()
    thread = threading.Thread(target=lateness.measure, name="lateness")
    thread.start()
    try:
        yield lateness
    finally:
        lateness.end()
        thread.join()
