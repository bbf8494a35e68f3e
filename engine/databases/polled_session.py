"""A session whose requests are sent and answers read separately, for user loops that serve many users on one thread.

``engine.databases.database.Database.sessions_are_polled`` says which databases have such sessions.
"""

from enum import Enum, auto
from typing import Any, Final, Literal, Protocol

from engine.databases.database import Session
from engine.databases.rounds import Rounds
from engine.workload.actions import Script


class _NotYet(Enum):
    PENDING = auto()


Pending = Literal[_NotYet.PENDING]
PENDING: Final = _NotYet.PENDING
"""Returned instead of an answer that has not arrived completely."""


class PolledSession(Session, Protocol):
    """To be used by one thread; the properties may be read from any."""

    @property
    def sent_at(self) -> float:
        """When the present call was sent, by the monotonic clock; infinite if there is none."""
        ...

    @property
    def arrived(self) -> float:
        """When the last answer came to this machine, by ``engine.databases.arrival.wall_clock``; 0 if unknown."""
        ...

    def join(self, rounds: Rounds, who: object, script: Script) -> None:
        """Register with ``rounds``, which then wait for this session's answers and serve the user's script if they can.

        They do so until its ``fileno`` is removed from them.
        """
        ...

    def fileno(self) -> int:
        """The socket to wait on for something to read; it stays the same as long as the session is usable."""
        ...

    def prepare(self, name: str, arguments: tuple[Any, ...]) -> None:
        """Prepare a call of the session's table; nothing is sent yet."""
        ...

    def send(self) -> None:
        """Send the prepared call; never waits for the server."""
        ...

    def receive(self) -> "Any | Pending":
        """The result of the call once all of it has arrived, ``PENDING`` until then; does not block.

        To be called when there is something to read.
        """
        ...
