"""Verifying a built store, shared by all DBMSs: the sequence of checks, those of its objects, and their form."""

from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.databases.definition import Check
from engine.databases.progress import IsCancelled, Progress, ReportProgress
from engine.errors import Cancelled
from engine.figure_text import whole

if TYPE_CHECKING:
    from engine.databases.definition import StoreDefinition
    from engine.databases.snapshot import Reader


@dataclass(frozen=True, kw_only=True)
class ObjectQueries:
    """How a DBMS finds the objects of a store: FROM clauses that have one row for the object ``{name}``.

    ``{table}`` is the table of an index. With ``triggers_have_functions``, each trigger has a function of its name.
    """

    table: str
    index: str
    reference: str
    procedure: str
    trigger: str
    triggers_have_functions: bool = False


def object_checks(
    definition: "StoreDefinition", reader: "Reader", queries: ObjectQueries
) -> dict[str, Callable[[], list[Check]]]:
    """The groups of checks that the objects of a store exist."""

    def found(kind: str, query: str, names: Iterable[str], table: str = "") -> list[Check]:
        return [equal(f"{kind} {name}", 1, reader.count(query.format(name=name, table=table))) for name in names]

    functions = definition.triggers if queries.triggers_have_functions else ()
    routines = (*definition.procedures, *definition.helpers, *functions)
    return {
        "tables": lambda: found("table", queries.table, definition.tables),
        "indexes": lambda: [
            *(check for table, index in definition.indexes for check in found("index", queries.index, [index], table)),
            *found("reference", queries.reference, definition.references),
        ],
        "procedures": lambda: [
            *found("procedure", queries.procedure, routines),
            *found("trigger", queries.trigger, definition.triggers),
        ],
    }


def check_all(
    checks: Mapping[str, Callable[[], list[Check]]],
    cancelling: Callable[[], AbstractContextManager[None]],
    report_progress: ReportProgress,
    cancelled: IsCancelled,
) -> list[Check]:
    """Run groups of checks, keyed by what they check, within ``cancelling``; raises ``Cancelled``.

    The first group checks that all objects exist; if one is missing, the other groups are left out.
    """
    found: list[Check] = []
    for number, (what, check) in enumerate(checks.items()):
        if cancelled():
            raise Cancelled
        report_progress(Progress(doing=f"checking {what}", share=number / len(checks)))
        with cancelling():
            found += check()
        if number == 0 and not all(each.ok for each in found):
            break
    report_progress(Progress(doing="checked", share=1.0))
    return found


def equal(what: str, expected: int, found: int) -> Check:
    """A check that two numbers are the same."""
    return Check(what=what, expected=whole(expected), found=whole(found), ok=expected == found)
