"""Asks the primary again and again whether it answers, over its network, as a cluster manager would.

Called by the supervisor. The asking has a thread of its own, because a server that is frozen keeps the asker waiting.
"""

import socket
import threading
import time
from collections.abc import Callable

from engine.lab.configuration import HOST

# The wire protocol's SSLRequest: any server that can start a process for a connection answers it with one letter.
_QUESTION = b"\x00\x00\x00\x08\x04\xd2\x16\x2f"
_JOIN_SECONDS = 120.0


class Prober:
    """Asks on one port every so many seconds; ``misses`` counts the silences since the last answer."""

    def __init__(self, port: int, *, interval_seconds: float, on_miss: Callable[[], None]) -> None:
        """``on_miss`` is called in the asking thread."""
        self.misses = 0
        self._port = port
        self._interval_seconds = interval_seconds
        self._on_miss = on_miss
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._probe_over, name="lab-prober", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._ended.set()
        self._thread.join(_JOIN_SECONDS)

    def _probe_over(self) -> None:
        while not self._ended.is_set():
            began = time.monotonic()
            if is_answering(self._port, timeout_seconds=self._interval_seconds):
                self.misses = 0
            elif not self._ended.is_set():
                self.misses += 1
                self._on_miss()
            self._ended.wait(max(began + self._interval_seconds - time.monotonic(), 0.0))


def is_answering(port: int, *, timeout_seconds: float) -> bool:
    """Whether a server on a port of the loopback answers a new connection in time."""
    deadline = time.monotonic() + timeout_seconds
    try:
        with socket.create_connection((HOST, port), timeout_seconds) as connection:
            connection.sendall(_QUESTION)
            connection.settimeout(max(deadline - time.monotonic(), 0.001))
            return connection.recv(1) in (b"N", b"S")
    except OSError:
        return False
