"""The checks of a store in MariaDB or MySQL: its tables, indexes and procedures, and those of its workload."""

from collections.abc import Mapping

from engine.databases.checking import check_all, equal
from engine.databases.database import Check, IsCancelled, ReportProgress
from engine.databases.definition import Reader, StoreDefinition
from engine.databases.mariadb.sql_text import in_own_words
from engine.databases.odbc.admin import cancelling
from engine.databases.odbc.connection import OdbcConnection


def reader_of(connection: OdbcConnection) -> Reader:
    return Reader(lambda query: connection.query(in_own_words(query))[0][0])


def checked(
    connection: OdbcConnection,
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
    place = "information_schema.tables WHERE table_schema = database() AND engine = 'InnoDB' AND table_name = "
    return [equal(f"table {name}", 1, reader.count(f"{place}'{name}'")) for name in definition.tables]


def _indexes(reader: Reader, definition: StoreDefinition) -> list[Check]:
    place = "information_schema.statistics WHERE table_schema = database() AND seq_in_index = 1"
    kept = "information_schema.referential_constraints WHERE constraint_schema = database() AND constraint_name = "

    def found(table: str, index: str) -> int:
        own = "PRIMARY" if index == f"{table}_pkey" else index
        return reader.count(f"{place} AND table_name = '{table}' AND index_name = '{own}'")

    return [
        *(equal(f"index {index}", 1, found(table, index)) for table, index in definition.indexes),
        *(equal(f"reference {name}", 1, reader.count(f"{kept}'{name}'")) for name in definition.references),
    ]


def _procedures(reader: Reader, definition: StoreDefinition) -> list[Check]:
    place = "information_schema.routines WHERE routine_schema = database() AND routine_name = "
    trigger = "information_schema.triggers WHERE trigger_schema = database() AND trigger_name = "
    return [
        *(
            equal(f"procedure {name}", 1, reader.count(f"{place}'{name}'"))
            for name in (*definition.procedures, *definition.helpers)
        ),
        *(equal(f"trigger {name}", 1, reader.count(f"{trigger}'{name}'")) for name in definition.triggers),
    ]
