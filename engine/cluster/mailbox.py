"""Messages that one thread leaves for another, which waits for them with ``multiprocessing.connection.wait``."""

import multiprocessing
import threading
from collections import deque
from multiprocessing.connection import Connection
from typing import Any


class Mailbox:
    """``put`` and ``end`` may be called from any thread and do not wait; ``take`` from one thread only.

    ``waitable`` is ready when there is something to take, or the mailbox was ended.
    """

    def __init__(self) -> None:
        self.waitable: Connection[Any, Any]
        self.waitable, self._signal = multiprocessing.Pipe(duplex=False)
        self._messages: deque[object] = deque()
        self._is_ended = False
        self._is_signalled = False
        self._lock = threading.Lock()

    def put(self, *messages: object) -> None:
        """Add messages; without effect after the end."""
        with self._lock:
            if not self._is_ended:
                self._messages.extend(messages)
                self._wake()

    def end(self) -> None:
        """Nothing follows: ``take`` returns what is there, and raises ``EOFError`` after that."""
        with self._lock:
            self._is_ended = True
            self._wake()

    def take(self) -> tuple[object, ...]:
        """Everything that is there; waits if there is nothing. Raises ``EOFError`` after the end."""
        self.waitable.recv_bytes()
        with self._lock:
            messages = tuple(self._messages)
            self._messages.clear()
            self._is_signalled = False
            if self._is_ended:
                self._wake()
                if not messages:
                    raise EOFError
        return messages

    def close(self) -> None:
        """Free the pipe."""
        with self._lock:
            self._is_ended = True
            self._is_signalled = True  # no more signals
            self._signal.close()
            self.waitable.close()

    def _wake(self) -> None:
        """One byte at most is in the pipe, so that sending it never waits."""
        if not self._is_signalled:
            self._is_signalled = True
            self._signal.send_bytes(b"\0")
