"""The rounds of a user loop: waiting, repeatedly, for those of many sockets that have something to read.

The compiled module (``exchange/_rounds.c``), where there is one, also serves the users whose answer is a normal one: it
resumes the user's script and sends its next request. So a user loop costs hardly more than the scripts of its users.
Think times are then handled there as well.
"""

import select
import selectors
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, Protocol

from engine.databases.exchange import compiled
from engine.workload.actions import Action, Call, Pause, PauseKind, Script

# The size of the buffer for the ready sockets of one poll: usually few are, and others come with the next poll.
_MOST_AT_ONCE = 64

Left = tuple[Any, Action | Exception | None]
"""A user left to the loop, with the reason: ``None`` (something to read), or what its script has yielded or raised."""


class Rounds(Protocol):
    """Sockets by file number, each with its user; the wake-up socket has ``None``. For one thread.

    While a turn is under way, the compiled rounds raise ``RuntimeError`` for every other method that would change them,
    from another thread as from a script that they serve.
    """

    @property
    def answers_waited(self) -> float | None:
        """For how many seconds in total answers had arrived before they were read here; ``None`` if unknown."""
        ...

    def add(
        self, fileno: int, who: object, script: Script | None = None, exchange: object = None,
        calls: Mapping[str, Any] | None = None, /,
    ) -> None:  # fmt: skip
        """Wait for data; with a compiled exchange, and its calls by their methods' names, serve the script."""
        ...

    def remove(self, fileno: int, who: object, /) -> None:
        """Remove a socket, even if it was closed and its number is another user's by now."""
        ...

    def turn(self, seconds: float | None, until: float, is_stopping: bool, /) -> list[Left]:
        """Wait and serve, round after round, until a user is left to the loop or ``seconds`` are over.

        Returns soon after ``until``, a moment of the monotonic clock, even if answers are waiting. While the loop
        ``is_stopping``, no user begins another order: those that would think are left to the loop, with their pause.
        """
        ...

    def close(self) -> None: ...


def new_rounds(thinking: object, working: object) -> Rounds:
    """The compiled rounds if there are any, otherwise the plain ones.

    While a user thinks in them, its ``connection.state`` is ``thinking`` and ``waits_since`` a moment of the monotonic
    clock; afterwards they are ``working`` and infinity.
    """
    made = _compiled()
    return WaitingRounds() if made is None else made(Call, Pause, PauseKind.THINK, thinking, working)


def are_compiled() -> bool:
    """Whether there are compiled rounds, which serve users themselves."""
    return _compiled() is not None


def _compiled() -> Callable[[type[Call], type[Pause], PauseKind, object, object], Rounds] | None:
    return getattr(compiled, "Rounds", None)  # the module may be there without them: they take Linux's epoll


class WaitingRounds:
    """Implements ``Rounds`` in Python: leaves every user to the loop.

    Uses Linux's epoll directly: ``selectors`` makes an object for each event, which takes as long as reading an answer.
    """

    answers_waited = None

    def __init__(self) -> None:
        self._epoll = select.epoll() if hasattr(select, "epoll") else _Selected()
        self._who: dict[int, object] = {}

    def add(self, fileno: int, who: object, *_: object) -> None:
        self._epoll.register(fileno, _READ)
        self._who[fileno] = who

    def remove(self, fileno: int, who: object) -> None:
        if fileno in self._who and self._who[fileno] is who:
            del self._who[fileno]
            with suppress(OSError, KeyError):
                self._epoll.unregister(fileno)

    def turn(self, seconds: float | None, _until: float, _is_stopping: bool) -> list[Left]:
        who = self._who  # without a socket that was closed while a copy of its descriptor was open: epoll reports it
        return [(who[fileno], None) for fileno, _ in self._epoll.poll(seconds, _MOST_AT_ONCE) if fileno in who]

    def close(self) -> None:
        self._epoll.close()


class _Selected:
    """The needed part of ``select.epoll`` on other systems."""

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
