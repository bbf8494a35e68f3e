"""The checks of a store in SQL Server: its tables, indexes, searches and procedures, and those of its workload."""

from collections.abc import Mapping

from engine.databases.checking import check_all, equal
from engine.databases.database import Check, IsCancelled, ReportProgress
from engine.databases.definition import Reader
from engine.databases.mssql.definition import SqlServerDefinition
from engine.databases.mssql.running import one
from engine.databases.mssql.substitutes import has_words
from engine.databases.odbc.admin import cancelling
from engine.databases.odbc.connection import OdbcConnection


def reader_of(connection: OdbcConnection, definition: SqlServerDefinition) -> Reader:
    return Reader(lambda query: one(connection, definition.qualified(query))[0])


def checked(
    connection: OdbcConnection,
    definition: SqlServerDefinition,
    counts: Mapping[str, int],
    report_progress: ReportProgress,
    cancelled: IsCancelled,
) -> list[Check]:
    """Look at a complete store; raises ``Cancelled``. When a table is missing, the rest can't be looked at."""
    reader = reader_of(connection, definition)
    objects = {
        "tables": lambda: _tables(reader, definition),
        "indexes": lambda: [*_indexes(reader, definition), *_searches(connection, reader, definition)],
        "procedures": lambda: _procedures(reader, definition),
    }
    checks = definition.all_checks(objects, reader, counts)
    return check_all(checks, lambda: cancelling(connection, cancelled), report_progress, cancelled)


def _tables(reader: Reader, definition: SqlServerDefinition) -> list[Check]:
    place = "sys.tables WHERE schema_id = SCHEMA_ID(N'dbo') AND name = "
    return [equal(f"table {name}", 1, reader.count(f"{place}N'{name}'")) for name in definition.tables]


def _indexes(reader: Reader, definition: SqlServerDefinition) -> list[Check]:
    valid = (
        "sys.indexes AS i INNER JOIN sys.tables AS t ON t.object_id = i.object_id"
        " WHERE t.schema_id = SCHEMA_ID(N'dbo') AND i.is_disabled = 0 AND i.name = "
    )
    kept = "sys.foreign_keys WHERE schema_id = SCHEMA_ID(N'dbo') AND is_disabled = 0 AND is_not_trusted = 0 AND name = "
    return [
        *(equal(f"index {name}", 1, reader.count(f"{valid}N'{name}'")) for _, name in definition.indexes),
        *(equal(f"reference {name}", 1, reader.count(f"{kept}N'{name}'")) for name in definition.references),
    ]


def _searches(connection: OdbcConnection, reader: Reader, definition: SqlServerDefinition) -> list[Check]:
    """What the searched columns are found by: the full-text index, or where there is none the table of words."""
    search = definition.text_search
    if search is None:
        return []
    if has_words(connection, search):
        key = definition.tables[search.table].order[0]
        missing = (
            f"dbo.{search.table} AS p WHERE NOT EXISTS"  # noqa: S608 - our own names
            f" (SELECT 1 FROM dbo.{search.words_table} AS w WHERE w.{key} = p.{key})"
        )
        return [equal(f"{search.table} without words", 0, reader.count(missing))]
    text = (
        "sys.fulltext_indexes AS f INNER JOIN sys.fulltext_index_columns AS c ON c.object_id = f.object_id"
        f" WHERE f.is_enabled = 1 AND f.object_id = OBJECT_ID(N'dbo.{search.table}')"
        " AND COL_NAME(c.object_id, c.column_id) = "
    )
    return [equal(f"full text of {name}", 1, reader.count(f"{text}N'{name}'")) for name in search.columns]


def _procedures(reader: Reader, definition: SqlServerDefinition) -> list[Check]:
    place = "sys.procedures WHERE schema_id = SCHEMA_ID(N'dbo') AND name = "
    trigger = "sys.triggers WHERE OBJECT_SCHEMA_NAME(object_id) = N'dbo' AND is_disabled = 0 AND name = "
    procedures = (*definition.procedures, *definition.helpers)
    return [
        *(equal(f"procedure {name}", 1, reader.count(f"{place}N'{name}'")) for name in procedures),
        *(equal(f"trigger {name}", 1, reader.count(f"{trigger}N'{name}'")) for name in definition.triggers),
    ]
