"""The checks of a store in PostgreSQL: its tables, indexes, references and procedures, and those of its workload."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from engine.databases.checking import check_all, equal
from engine.databases.database import Check, IsCancelled, ReportProgress
from engine.databases.definition import Reader, StoreDefinition
from engine.databases.postgresql.admin import Connection, cancelling

_PUBLIC = "'public'::regnamespace"


def reader_of(connection: Connection) -> Reader:
    return Reader(partial(read_value, connection))


def read_value(connection: Connection, query: str) -> Any:
    """The first value of a query's only row."""
    row: Any = connection.execute(query.encode()).fetchone()
    return row[0]


def checked(
    connection: Connection,
    definition: StoreDefinition,
    counts: Mapping[str, int],
    report_progress: ReportProgress,
    cancelled: IsCancelled,
) -> list[Check]:
    """Look at a complete store; raises ``Cancelled``. When a table is missing, the rest can't be looked at."""
    reader = reader_of(connection)
    objects = {
        "tables": lambda: _tables(reader, definition),
        "indexes": lambda: _indexes(reader, definition),
        "procedures": lambda: _procedures(reader, definition),
    }
    checks = definition.all_checks(objects, reader, counts)
    return check_all(checks, lambda: cancelling(connection, cancelled), report_progress, cancelled)


def _tables(reader: Reader, definition: StoreDefinition) -> list[Check]:
    place = f"pg_class WHERE relkind = 'r' AND relnamespace = {_PUBLIC} AND relname = "
    return [equal(f"table {name}", 1, reader.count(f"{place}'{name}'")) for name in definition.tables]


def _indexes(reader: Reader, definition: StoreDefinition) -> list[Check]:
    valid = f"pg_class c JOIN pg_index i ON i.indexrelid = c.oid WHERE i.indisvalid AND c.relnamespace = {_PUBLIC}"
    kept = f"pg_constraint WHERE convalidated AND connamespace = {_PUBLIC}"
    return [
        *(
            equal(f"index {name}", 1, reader.count(f"{valid} AND c.relname = '{name}'"))
            for _, name in definition.indexes
        ),
        *(
            equal(f"reference {name}", 1, reader.count(f"{kept} AND conname = '{name}'"))
            for name in definition.references
        ),
    ]


def _procedures(reader: Reader, definition: StoreDefinition) -> list[Check]:
    place = f"pg_proc WHERE pronamespace = {_PUBLIC} AND proname = "
    trigger = "pg_trigger WHERE tgenabled IN ('O', 'A') AND NOT tgisinternal AND tgname = "
    routines = (*definition.procedures, *definition.helpers, *definition.triggers)
    return [
        *(equal(f"procedure {name}", 1, reader.count(f"{place}'{name}'")) for name in routines),
        *(equal(f"trigger {name}", 1, reader.count(f"{trigger}'{name}'")) for name in definition.triggers),
    ]
