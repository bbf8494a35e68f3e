"""Replacing a complete store: whether the new one can be built beside it, and what is said when it can't.

Shared by the stores of all databases. Where the new store is built is each DBMS's own.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from engine.dvdstore.estimate import estimate
from engine.dvdstore.sizing import DbSize
from engine.errors import TargetError, UserError
from engine.figure_text import byte_size
from engine.remedies import Remedy, RemedyKind
from engine.target.target import Target

# Sorting for indexes, full-text indexes and the log come on top of tables and indexes.
_ROOM_FACTOR = 1.25
LOCK_PATIENCE = 10
"""The swap waits that many times longer for locks than other work: hours of building may depend on it."""


@dataclass(frozen=True, kw_only=True)
class Replacement:
    """What a build would do to the complete store that a database holds.

    ``size`` and ``host`` are those of the store that is there. ``obstacle`` is a clause that says why the new store
    can't be built beside it, so that it has to be deleted first; it is empty when nothing is known to be in the way.
    """

    size: DbSize
    host: str
    obstacle: str = ""

    @property
    def must_delete_first(self) -> bool:
        return bool(self.obstacle)


def room_obstacle(target: Target, old: DbSize, new: DbSize, free_bytes: int | None) -> str:
    """Why there is no room for both stores; empty when there is, or when the free room is not known.

    Raises ``UserError`` when even the room of the old store would not be enough.
    """
    if free_bytes is None:
        return ""
    least, freed = estimate(new).total_bytes, estimate(old).total_bytes
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
def naming_the_full_disk(target: Target, codes: frozenset[str]) -> Iterator[None]:
    """While a new store is built beside the old one: an error of these codes, no room, is told with what helps."""
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
