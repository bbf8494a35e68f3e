"""Reads a DVD Store in SQL Server for an audit: orders and lines by ranges of ids, in one consistent state.

Where the database allows snapshot isolation, the audit reads a snapshot and disturbs nobody. By default it does not,
and benchmarks are run like that, since row versions make every write more expensive. Then the audit holds shared locks
on the tables that it reads until it is done, and writers wait.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pyodbc

from engine.databases.database import IsCancelled, Timeouts
from engine.databases.mssql.definition import SqlServerDefinition
from engine.databases.mssql.dialect import SqlServerDialect
from engine.databases.mssql.scripts import batches_of
from engine.databases.mssql.store_record import store_identity
from engine.databases.odbc.admin import cancelling, opened
from engine.databases.odbc.connection import OdbcConnection
from engine.databases.stored_orders import (
    ORDER_TYPE,
    Cents,
    HistorySums,
    Lines,
    Orders,
    prices_by_product,
    unpacked_lines,
)
from engine.secrets import Secret
from engine.target.target import Target

_ALLOWS_SNAPSHOTS = "SELECT snapshot_isolation_state FROM sys.databases WHERE database_id = DB_ID()"
_ON = 1


@contextmanager
def auditing(
    target: Target, secret: Secret | None, timeouts: Timeouts, definition: SqlServerDefinition, cancelled: IsCancelled
) -> Iterator["SqlServerAuditor"]:
    """An auditor of the store in a database, on the first of the target's hosts that takes writes."""
    dialect = SqlServerDialect(lock_seconds=timeouts.statement_seconds)
    with opened(dialect, target, secret, timeouts) as connection:
        auditor = SqlServerAuditor(connection, definition, cancelled)
        auditor.begin()
        yield auditor


class SqlServerAuditor:
    """Implements ``engine.databases.database.Auditor``; closing its connection ends its transaction."""

    most_ids = 2**16

    def __init__(self, connection: OdbcConnection, definition: SqlServerDefinition, cancelled: IsCancelled) -> None:
        self._connection = connection
        self._definition = definition
        self._cancelled = cancelled

    def begin(self) -> None:
        """From here on, everything is of one moment; without a store there is nothing to hold."""
        ((state,),) = self._rows(_ALLOWS_SNAPSHOTS)
        if state == _ON:
            self._rows("SET TRANSACTION ISOLATION LEVEL SNAPSHOT; BEGIN TRANSACTION; SELECT 1")
        elif self._has_store():
            self._rows(self._statement("audit_locks"))

    def state(self) -> tuple[str, int] | None:
        rows = self._rows(store_identity(self._definition)) if self._has_store() else []
        return (str(rows[0][0]), int(rows[0][1])) if rows else None

    def prices(self) -> Cents:
        return prices_by_product(self._rows("SELECT prod_id, CAST(price * 100 AS int) FROM dbo.products"))

    def orders(self, after: int, to: int) -> Orders:
        rows = self._rows(self._statement("audit_orders"), after, to)
        return np.fromiter(map(tuple, rows), ORDER_TYPE, len(rows))

    def lines(self, after: int, to: int) -> Lines:
        rows = self._rows(self._statement("audit_lines"), after, after, to)
        return unpacked_lines(np.fromiter((row[0] for row in rows), np.int64, len(rows)), after)

    def history(self, after: int, to: int) -> HistorySums:
        (row,) = self._rows(self._statement("audit_history"), after, to)
        return HistorySums.of(row)

    def products_off(self) -> int:
        ((count,),) = self._rows(self._statement("audit_sales"))
        return int(count)

    def _has_store(self) -> bool:
        ((known,),) = self._rows("SELECT OBJECT_ID(N'dbo.spindle_store', N'U')")
        return known is not None

    def _statement(self, script: str) -> str:
        (batch,) = batches_of(self._definition.script(script))
        return batch

    def _rows(self, statement: str, *values: int) -> list[pyodbc.Row]:
        with cancelling(self._connection, self._cancelled):
            return self._connection.query(statement, *values)
