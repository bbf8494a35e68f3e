"""The record of a store in SQL Server, its row in ``spindle_store``; and what prevents a new store."""

from typing import Any

from engine.databases.mssql.definition import SqlServerDefinition
from engine.databases.mssql.running import one
from engine.databases.odbc.connection import OdbcConnection
from engine.databases.store_record import STORE_TABLE, StoreRecord, record_of
from engine.target.target import Target

_MARKED = "SELECT OBJECT_ID(N'dbo.spindle_store', N'U')"
_RECORD = "SELECT * FROM dbo.spindle_store"
_IN_THE_WAY = """\
SELECT TOP (1) CASE o.type
    WHEN 'U' THEN 'table' WHEN 'TR' THEN 'trigger' WHEN 'SO' THEN 'sequence' ELSE 'procedure' END, o.name
FROM sys.objects AS o
WHERE o.schema_id = SCHEMA_ID(N'dbo') AND o.name IN ({names})
ORDER BY o.name
"""


def record_in(connection: OdbcConnection, target: Target, definition: SqlServerDefinition) -> StoreRecord | None:
    """The record of the store in a connection's database; ``None`` if there is none. Raises ``UserError``."""
    if one(connection, _MARKED)[0] is None:
        return None
    row = connection.first_row(_RECORD)
    return None if row is None else record_of(row, target, definition.workload)


def is_reset_begun(record: StoreRecord) -> bool:
    """Whether the store was complete, and a reset of it has ended in between."""
    return not record.is_complete and bool(record.counts)


def store_identity(definition: SqlServerDefinition) -> str:
    """The query for when the store was built or last reset, and its ``StoreState.high_water``; no row if it is only
    partly built.
    """
    high_water = definition.qualified(definition.high_water)
    built_at = "CONVERT(nvarchar(27), built_at, 126) + N'Z'"
    return f"SELECT {built_at}, ({high_water}) FROM dbo.spindle_store WHERE state = 'complete'"  # noqa: S608


def foreign_object(connection: OdbcConnection, definition: SqlServerDefinition) -> tuple[str, str] | None:
    """Kind and name of an object that has a name of the store's, where there is no store."""
    names = (
        *definition.made_tables,
        *definition.procedures,
        *definition.helpers,
        *definition.triggers,
        *definition.sequences,
        STORE_TABLE,
    )
    rows: list[Any] = connection.query(_IN_THE_WAY.format(names=", ".join(f"N'{name}'" for name in names)))
    return tuple(rows[0]) if rows else None
