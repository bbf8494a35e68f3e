"""The rounds of a user loop: its question, again and again, which of many sockets have something to read.

Where there is a compiled module (``exchange/_rounds.c``), the rounds themselves serve whoever's answer came as it
should: that user's script goes on and asks what it says next. A user loop so hardly costs more than the scripts of its
users. A pause to think is then theirs as well.
"""

import select
import selectors
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, Protocol

from engine.databases.exchange import compiled
from engine.dvdstore.user import Action, Call, Pause, PauseKind, Script

# Each question has room made for its answers: for few, since few have come, and others are told in the next.
_MOST_AT_ONCE = 64

Left = tuple[Any, Action | Exception | None]
"""Who is left to the loop, and why: there is something to read (``None``), or what the script says or has raised."""


class Rounds(Protocol):
    """Sockets by their file numbers, each of somebody, all but the waker's of users; for one thread.

    While a turn is under way, the compiled rounds raise ``RuntimeError`` for every other method that would change them,
    from another thread as from a script that they serve.
    """

    @property
    def answers_waited(self) -> float | None:
        """The seconds, in sum, for which answers that were served here had come before; ``None`` if nobody knows."""
        ...

    def add(
        self, fileno: int, who: object, script: Script | None = None, exchange: object = None,
        calls: Mapping[str, Any] | None = None, /,
    ) -> None:  # fmt: skip
        """Wait for what comes; with a compiled exchange, and its calls by their verbs, serve the script."""
        ...

    def remove(self, fileno: int, who: object, /) -> None:
        """Also of a socket that was closed meanwhile, whose number may be somebody else's by now."""
        ...

    def turn(self, seconds: float | None, until: float, is_stopping: bool, /) -> list[Left]:
        """Wait and serve, round after round, until somebody is left to the loop or so many seconds are over.

        Returns soon after ``until``, a moment of the monotonic clock, though others may wait. While the loop
        ``is_stopping``, nobody begins another order: whoever thinks is left to the loop, with its pause.
        """
        ...

    def close(self) -> None: ...


def new_rounds(thinking: object, working: object) -> Rounds:
    """The better ones of those that there are.

    Whoever thinks in them has the one ``connection.state`` and a moment of the monotonic clock in ``waits_since``, and
    afterwards the other and infinity.
    """
    made = _compiled()
    return WaitingRounds() if made is None else made(Call, Pause, PauseKind.THINK, thinking, working)


def are_compiled() -> bool:
    """Whether there are rounds that serve users by themselves."""
    return _compiled() is not None


def _compiled() -> Callable[[type[Call], type[Pause], PauseKind, object, object], Rounds] | None:
    return getattr(compiled, "Rounds", None)  # the module may be there without them: they take Linux's epoll


class WaitingRounds:
    """Fulfils ``Rounds``, and leaves everybody to the loop.

    Linux's epoll is asked directly: ``selectors`` makes an object for each answer, which takes as long as reading it.
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
        return [(self._who[fileno], None) for fileno, _ in self._epoll.poll(seconds, _MOST_AT_ONCE)]

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
