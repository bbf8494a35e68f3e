"""The sources of readings, one module each, and which of them read a machine by a way to reach it."""

from engine.collect.source import Source
from engine.errors import UserError
from engine.secrets import Secret


def sources_of(
    access: object, secret: Secret | None, *, machine: str, interval_seconds: float = 1.0
) -> tuple[Source, ...]:
    """The sources that read ``machine`` (its name in the inventory) by one of its accesses.

    ``interval_seconds`` is what is asked for; a source that is slower has its own. Nothing is connected yet. Raises
    ``UserError`` for an access that nothing reads.
    """
    raise UserError(f"{machine}: nothing reads a machine by {type(access).__name__}.")
