"""What every store says when it will not do what it was asked to: errors to raise, in the same words for every DBMS."""

from engine.errors import UserError
from engine.remedies import Remedy, RemedyKind
from engine.target.target import Target


def no_store(target: Target) -> UserError:
    return UserError(
        f"Database '{target.database}' holds no store",
        remedy=Remedy(kind=RemedyKind.BUILD_STORE, target=target.url),
    )


def partly_built(target: Target) -> UserError:
    return UserError(
        f"The store in database '{target.database}' is only partly built",
        remedy=Remedy(kind=RemedyKind.FINISH_STORE, target=target.url),
    )


def partly_reset(target: Target) -> UserError:
    return UserError(
        f"The last reset of the store in database '{target.database}' was interrupted",
        remedy=Remedy(kind=RemedyKind.FINISH_RESET, target=target.url),
    )


def complete_store_in_the_way(target: Target, size: str) -> UserError:
    """A build was not told that it may replace what is there."""
    return UserError(
        f"Database '{target.database}' already holds a {size} store",
        remedy=Remedy(kind=RemedyKind.REPLACE_STORE, target=target.url, size=size),
    )


def strangers_in_the_way(target: Target, kind: str, name: str) -> UserError:
    """Nothing is built over a table, procedure or trigger (``kind``) that Spindle did not make."""
    return UserError(
        f"Database '{target.database}' already holds a {kind} '{name}' that Spindle did not make",
        remedy=Remedy(kind=RemedyKind.OTHER_DATABASE),
    )


def nothing_to_drop(target: Target) -> UserError:
    return UserError(f"Database '{target.database}' holds no store of Spindle; there is nothing to drop.")


def newer_format(store_format: int) -> UserError:
    """A newer Spindle has built the store, in a way of its own."""
    return UserError(
        f"The store is of format {store_format}, newer than this version of Spindle supports; use the newer version."
    )


def no_layout(places_its_files: str) -> UserError:
    """A file layout was given to a DBMS that ``places_its_files`` itself, as a clause says it."""
    return UserError(f"a file layout is given, and {places_its_files}; leave it out: it is for SQL Server only.")
