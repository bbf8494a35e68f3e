"""The errors of stores that reject a request, with the same texts for every DBMS."""

from engine.errors import Remedy, RemedyKind, UserError
from engine.figure_text import capitalised
from engine.target.kinds import kind_facts
from engine.target.target import Target


def no_store(target: Target) -> UserError:
    return UserError(
        f"{_place(target)} holds no store",
        remedy=Remedy(kind=RemedyKind.BUILD_STORE, target=target.url),
    )


def partly_built(target: Target) -> UserError:
    return UserError(
        f"The store in {_where(target)} is only partly built",
        remedy=Remedy(kind=RemedyKind.FINISH_STORE, target=target.url),
    )


def partly_reset(target: Target) -> UserError:
    return UserError(
        f"The last reset of the store in {_where(target)} was interrupted",
        remedy=Remedy(kind=RemedyKind.FINISH_RESET, target=target.url),
    )


def complete_store_in_the_way(target: Target, size: str) -> UserError:
    """A build may not replace the existing store without being allowed to."""
    return UserError(
        f"{_place(target)} already holds a {size} store",
        remedy=Remedy(kind=RemedyKind.REPLACE_STORE, target=target.url, size=size),
    )


def foreign_object_in_the_way(target: Target, kind: str, name: str) -> UserError:
    """A build does not replace a table, procedure or trigger (``kind``) that Spindle did not create."""
    return UserError(
        f"{_place(target)} already holds a {kind} '{name}' that Spindle did not make",
        remedy=Remedy(kind=RemedyKind.OTHER_DATABASE),
    )


def other_workload(target: Target, found: str, wanted: str) -> UserError:
    """The database holds the store of another workload, which nothing here can read or replace."""
    return UserError(
        f"{_place(target)} holds a store of workload '{found}', not '{wanted}'",
        remedy=Remedy(kind=RemedyKind.OTHER_WORKLOAD, target=target.url, name=found),
    )


def nothing_to_drop(target: Target) -> UserError:
    return UserError(f"{_place(target)} holds no store of Spindle; there is nothing to drop.")


def newer_format(store_format: int) -> UserError:
    """The store was built by a newer version of Spindle, in a newer format."""
    return UserError(
        f"The store is of format {store_format}, newer than this version of Spindle supports; use the newer version."
    )


def no_layout(places_its_files: str) -> UserError:
    """A file layout was given for a DBMS that places its files itself; the clause ``places_its_files`` says so."""
    return UserError(f"a file layout is given, and {places_its_files}; leave it out: it is for SQL Server only.")


def _where(target: Target) -> str:
    """What holds a store, in a sentence: ``database 'ds2'``."""
    return f"{kind_facts(target.kind).subject.holder} '{target.database}'"


def _place(target: Target) -> str:
    return capitalised(_where(target))
