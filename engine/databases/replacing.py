"""Replacing a complete store: whether the new one can be built next to it, and the errors if it can't.

Shared by the stores of all databases; where the new store is built depends on the DBMS.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from engine.errors import Remedy, RemedyKind, TargetError, UserError
from engine.figure_text import byte_size
from engine.target.target import Target

# Sorting for indexes, full-text indexes and the log come on top of tables and indexes.
_ROOM_FACTOR = 1.25
LOCK_TIMEOUT_FACTOR = 10
"""The swap waits so many times longer for locks than other statements: hours of building may depend on it."""


@dataclass(frozen=True, kw_only=True)
class Replacement:
    """What a build would replace: the complete store of ``scale`` on ``host``.

    ``obstacle`` is a clause that says why the new store can't be built next to it, so that it has to be deleted first;
    empty if there is no known obstacle.
    """

    scale: str
    host: str
    obstacle: str = ""

    @property
    def must_delete_first(self) -> bool:
        return bool(self.obstacle)


def room_obstacle(target: Target, size_bytes: Callable[[str], int], old: str, new: str, free_bytes: int | None) -> str:
    """Why there is no room for stores of both scales; empty if there is, or if the free space is unknown.

    Raises ``UserError`` if there would not be enough even without the old store.
    """
    if free_bytes is None:
        return ""
    least, freed = size_bytes(new), size_bytes(old)
    if least > free_bytes + freed:
        raise UserError(
            f"A {new} store needs about {byte_size(least)}, and where database '{target.database}' is only"
            f" {byte_size(free_bytes)} are free, and {byte_size(freed)} more without its {old} store; nothing was"
            " changed. Make room, or choose a smaller size."
        )
    needed = round(_ROOM_FACTOR * least)
    if needed <= free_bytes:
        return ""
    return (
        f"there is no room to build the new one beside it: it needs about {byte_size(needed)}, and"
        f" {byte_size(free_bytes)} are free"
    )


@contextmanager
def with_full_disk_remedy(target: Target, codes: frozenset[str]) -> Iterator[None]:
    """For a build next to the old store: an error with one of these codes (disk full) gets a remedy."""
    try:
        yield
    except TargetError as error:
        if error.code not in codes:
            raise
        raise UserError(
            f"There is no room for the new store beside the one that database '{target.database}' holds"
            f" ({error.cause.rstrip('.')})",
            remedy=Remedy(kind=RemedyKind.DELETE_STORE_FIRST, name=target.database),
        ) from error
