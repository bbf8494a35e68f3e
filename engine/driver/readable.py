"""Which of many sockets have something to read: the question that a user loop asks in each of its rounds.

Linux's epoll is asked directly: ``selectors`` makes an object for each answer, which takes as long as reading it.
"""

import select
import selectors
from contextlib import suppress

# Each question has room made for its answers: for few, since few have come, and others are told in the next.
_MOST_AT_ONCE = 64


class Readable:
    """Sockets by their file numbers; for one thread."""

    def __init__(self) -> None:
        self._epoll = select.epoll() if hasattr(select, "epoll") else _Selected()

    def add(self, fileno: int) -> None:
        self._epoll.register(fileno, _READ)

    def remove(self, fileno: int) -> None:
        """Also of a socket that was closed meanwhile."""
        with suppress(OSError, KeyError):
            self._epoll.unregister(fileno)

    def wait(self, seconds: float | None) -> list[tuple[int, int]]:
        """Pairs whose first is the number of a socket that has something to read, or whose other end has gone.

        Returns at once when there is any, else after so many seconds, rounded up to whole milliseconds.
        """
        return self._epoll.poll(seconds, _MOST_AT_ONCE)

    def close(self) -> None:
        self._epoll.close()


class _Selected:
    """What there is of ``select.epoll`` elsewhere."""

    def __init__(self) -> None:
        self._selector = selectors.DefaultSelector()

    def register(self, fileno: int, events: int) -> None:
        self._selector.register(fileno, events)

    def unregister(self, fileno: int) -> None:
        self._selector.unregister(fileno)

    def poll(self, seconds: float | None, _: int) -> list[tuple[int, int]]:
        return [(key.fd, events) for key, events in self._selector.select(seconds)]

    def close(self) -> None:
        self._selector.close()


_READ = select.EPOLLIN if hasattr(select, "epoll") else selectors.EVENT_READ
