"""The record of a store in SQL Server, its row in ``spindle_store``; and what prevents a new store."""

from typing import Any, NamedTuple

from engine.databases.checking import CALLED_PROCEDURES, STORE_TABLES
from engine.databases.mssql.running import one
from engine.databases.mssql.substitutes import WORDS
from engine.databases.mssql.verify import TRIGGER
from engine.databases.odbc.connection import OdbcConnection
from engine.databases.refusals import foreign_object_in_the_way, newer_format, no_store, partly_built, partly_reset
from engine.target.target import Target

STORE_FORMAT = 1
_MARKED = "SELECT OBJECT_ID(N'dbo.spindle_store', N'U')"
_BUILT = """\
SELECT state, db_size, seed, customers, orders, format, made_database, salt, backup_file, order_lines
FROM dbo.spindle_store
"""
_IN_THE_WAY = """\
SELECT TOP (1) CASE o.type WHEN 'U' THEN 'table' WHEN 'TR' THEN 'trigger' ELSE 'procedure' END, o.name
FROM sys.objects AS o
WHERE o.schema_id = SCHEMA_ID(N'dbo') AND o.name IN ({names})
ORDER BY o.name
"""


class Built(NamedTuple):
    """The one row of ``spindle_store``; ``customers`` and ``orders`` are the built counts."""

    state: str
    size: str
    seed: int
    customers: int
    orders: int
    made_database: bool
    salt: bytes
    backup_file: str
    order_lines: int

    @property
    def is_complete(self) -> bool:
        return self.state == "complete"

    @property
    def is_reset_begun(self) -> bool:
        """Whether it was complete, and a reset of it has ended in between; only a complete store knows its lines."""
        return not self.is_complete and self.order_lines > 0


def built_in(connection: OdbcConnection) -> Built | None:
    """The store's record in the database; ``None`` if there is none."""
    if one(connection, _MARKED)[0] is None:
        return None
    rows = connection.query(_BUILT)
    if not rows:
        return None
    state, size, seed, customers, orders, store_format, made_database, salt, backup_file, lines = rows[0]
    if store_format > STORE_FORMAT:
        raise newer_format(store_format)
    return Built(state, size, seed, customers, orders, bool(made_database), bytes(salt), backup_file or "", lines)


def require_complete(connection: OdbcConnection, target: Target) -> Built:
    """The complete store in a connection's database; raises ``UserError`` when there is none."""
    built = built_in(connection)
    if built is None:
        raise no_store(target)
    if built.is_reset_begun:
        raise partly_reset(target)
    if not built.is_complete:
        raise partly_built(target)
    return built


def refuse_foreign_objects(connection: OdbcConnection, target: Target) -> None:
    """Never build over tables and procedures that Spindle did not make."""
    names = (*STORE_TABLES, *CALLED_PROCEDURES, TRIGGER, "spindle_store", WORDS)
    rows: list[Any] = connection.query(_IN_THE_WAY.format(names=", ".join(f"N'{name}'" for name in names)))
    if rows:
        raise foreign_object_in_the_way(target, *rows[0])
