"""A session whose calls are begun and ended apart: what a user loop needs of a DBMS, to serve many users on one thread.

``engine.databases.database.Database.sessions_are_polled`` says whose sessions are such.
"""

from enum import Enum, auto
from typing import Any, Final, Literal, Protocol

from engine.databases.database import Session
from engine.databases.rounds import Rounds
from engine.dvdstore.user import Script


class _NotYet(Enum):
    PENDING = auto()


Pending = Literal[_NotYet.PENDING]
PENDING: Final = _NotYet.PENDING
"""What an answer is that has not come whole."""


class PolledSession(Session, Protocol):
    """One thread asks and takes the answers; the properties are for any."""

    @property
    def asked_at(self) -> float:
        """When the call under way was sent, by the monotonic clock; infinite when there is none."""
        ...

    @property
    def arrived(self) -> float:
        """When the last answer came to this machine, by ``engine.databases.arrival.wall_clock``; 0 if unknown."""
        ...

    def join(self, rounds: Rounds, who: object, script: Script) -> None:
        """Have rounds wait for this session's answers, and serve somebody's script where they can.

        They go on to do so until they are told to remove its ``fileno``.
        """
        ...

    def fileno(self) -> int:
        """The socket to wait on for something to read; it stays the same as long as the session is usable."""
        ...

    def prepare(self, verb: str, arguments: tuple[Any, ...]) -> None:
        """Make a call of the method ``verb`` ready to be sent; nothing is sent yet."""
        ...

    def ask(self) -> None:
        """Send the call that was prepared; never waits for the server."""
        ...

    def answer(self) -> "Any | Pending":
        """What the method that was asked for gives, once all of it has come; ``PENDING`` until then, without waiting.

        To be called when there is something to read.
        """
        ...
