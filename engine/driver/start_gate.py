"""The gate where connected users wait for the clock to start: as in DVD Store 2, nobody orders before.

So the users still to come find a server that is free to let them in, however many there are.
"""

import threading
import time


class StartGate:
    """Opened once, by the client; its users wait at it, on their threads or in their loop."""

    def __init__(self, stop: threading.Event) -> None:
        self._stop = stop
        self._is_known = threading.Event()
        self._opens_at = float("inf")

    @property
    def opens_at(self) -> float:
        """The moment on the monotonic clock; infinity as long as it is not known."""
        return self._opens_at

    def open(self, moment: float) -> None:
        """Let everybody through at a moment of the monotonic clock; one that is over opens at once."""
        self._opens_at = moment
        self._is_known.set()

    def wait(self) -> None:
        """Return when the gate is open, or the run is stopped: whoever stops has to open it as well."""
        self._is_known.wait()
        self._stop.wait(max(0.0, self._opens_at - time.monotonic()))
