"""Numbers of messages: what waits for its acknowledgement at the sender, and what the receiver has had already.

Plain arithmetic; the caller locks.
"""

from collections import deque
from collections.abc import Iterator

from engine.cluster.stream.frames import BrokenStream


class Outbox:
    """Messages that were sent, or wait to be, and are not acknowledged yet: at most ``most_bytes`` of them.

    When there is no room, the oldest is dropped; the receiver notices that its number is missing.
    """

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._waiting: deque[bytes] = deque()
        self._bytes = 0
        self._first = 1

    @property
    def waiting(self) -> int:
        """How many messages are not acknowledged."""
        return len(self._waiting)

    def put(self, payload: bytes) -> int:
        """Number a message, from 1."""
        self._waiting.append(payload)
        self._bytes += len(payload)
        number = self._first + len(self._waiting) - 1
        while self._bytes > self._most_bytes and len(self._waiting) > 1:
            self._drop()
        return number

    def acknowledge(self, number: int) -> None:
        """Everything up to this number has arrived. Raises ``BrokenStream`` for a number that was never given."""
        if number >= self._first + len(self._waiting):
            raise BrokenStream(f"an acknowledgement of message {number}, which was not sent")
        while self._waiting and self._first <= number:
            self._drop()

    def after(self, number: int) -> Iterator[tuple[int, bytes]]:
        """The messages that are still here with numbers above this one, in order."""
        for index in range(max(0, number + 1 - self._first), len(self._waiting)):
            yield self._first + index, self._waiting[index]

    def _drop(self) -> None:
        self._bytes -= len(self._waiting.popleft())
        self._first += 1


class Inbox:
    """What has been received: everything up to ``received``, but for ``missing`` messages that the sender dropped."""

    def __init__(self) -> None:
        self.received = 0
        self.missing = 0

    def take(self, number: int) -> bool:
        """A message has come; returns whether it is new. One that was sent again after a reconnection is not."""
        if number <= self.received:
            return False
        self.missing += number - self.received - 1
        self.received = number
        return True
