"""What an emulated user does next, as values: the actions that its script yields, and the outcomes that it is sent.

A script does no input or output. Whoever runs it (a loop, a thread, a test) performs each yielded ``Action`` and sends
back an ``Outcome``. One script so serves every way of waiting for a server.
"""

from collections.abc import Generator
from enum import Enum, auto
from typing import Any, NamedTuple

from engine.errors import TargetError


class PauseKind(Enum):
    """Why a user waits: between transactions, before it tries something again, or while it is not active."""

    THINK = auto()
    RETRY = auto()
    INACTIVE = auto()

    @property
    def is_between(self) -> bool:
        """Whether no transaction is under way."""
        return self is not PauseKind.RETRY


class Call(NamedTuple):
    """Make the session's call named ``name`` with ``arguments``."""

    name: str
    arguments: tuple[Any, ...]


class Pause(NamedTuple):
    """Wait. The pause to think follows every transaction, also when it is 0: only there, and while it is
    inactive, may a user be stopped."""

    seconds: float
    kind: PauseKind


class Reconnect(NamedTuple):
    """The connection can't be used any more: open another one, however long it takes."""


Action = Call | Pause | Reconnect
Outcome = tuple[Any, TargetError | None, float]
"""The result of an action, or the error instead, and the seconds that it took."""
Script = Generator[Action, Outcome, None]
"""A user's actions from the start of the load to its end; it ends only when it is closed."""
