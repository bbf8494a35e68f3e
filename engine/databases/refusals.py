"""What every store says when it will not do what it was asked to: errors to raise, in the same words for every DBMS."""

from engine.errors import UserError
from engine.target import Target


def no_store(target: Target) -> UserError:
    return UserError(
        f"Database '{target.database}' holds no store; build one with: spindle build --target {target.argument}"
    )


def partly_built(target: Target) -> UserError:
    return UserError(
        f"The store in database '{target.database}' is only partly built; finish it with:"
        f" spindle build --target {target.argument}"
    )


def partly_reset(target: Target) -> UserError:
    return UserError(
        f"A reset of the store in database '{target.database}' has not come to its end; finish it with:"
        f" spindle reset --target {target.argument}"
    )


def complete_store_in_the_way(target: Target, size: str) -> UserError:
    """A build was not told that it may replace what is there."""
    return UserError(
        f"Database '{target.database}' already holds a {size} store; add --replace to replace it, or run spindle"
        " reset to take it back to what was built."
    )


def strangers_in_the_way(target: Target, kind: str, name: str) -> UserError:
    """Nothing is built over a table, procedure or trigger (``kind``) that Spindle did not make."""
    return UserError(
        f"Database '{target.database}' already holds a {kind} '{name}' that Spindle did not make;"
        " choose another database in the target's URL."
    )


def nothing_to_drop(target: Target) -> UserError:
    return UserError(f"Database '{target.database}' holds no store of Spindle's; there is nothing to drop.")


def newer_format(store_format: int) -> UserError:
    """A newer Spindle has built the store, in a way of its own."""
    return UserError(f"The store is of format {store_format}, newer than this Spindle knows; use the newer one.")


def no_layout(places_its_files: str) -> UserError:
    """A file layout was given to a DBMS that ``places_its_files`` itself, as a clause says it."""
    return UserError(f"a file layout is given, and {places_its_files}; leave it out, it is SQL Server's.")
