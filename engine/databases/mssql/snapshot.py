"""A snapshot of a store in SQL Server, for an audit.

Where the database allows snapshot isolation, the audit reads a snapshot and disturbs nobody. By default it does not,
and benchmarks are run like that, since row versions make every write more expensive. Then the audit holds shared locks
on the tables that it reads until it is done, and writers wait.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np
import pyodbc

from engine.databases.database import Timeouts
from engine.databases.mssql.definition import SqlServerDefinition
from engine.databases.mssql.dialect import SqlServerDialect
from engine.databases.mssql.scripts import batches_of
from engine.databases.mssql.store_record import store_identity
from engine.databases.odbc.admin import cancelling, opened
from engine.databases.odbc.connection import OdbcConnection
from engine.databases.progress import IsCancelled
from engine.databases.snapshot import Snapshot
from engine.secrets import Secret
from engine.target.target import Target
from engine.workload.rows.randomness import Whole

_ALLOWS_SNAPSHOTS = "SELECT snapshot_isolation_state FROM sys.databases WHERE database_id = DB_ID()"
_ON = 1


@contextmanager
def snapshot_of(
    target: Target, secret: Secret | None, timeouts: Timeouts, definition: SqlServerDefinition, cancelled: IsCancelled
) -> Iterator["SqlServerSnapshot"]:
    """A snapshot of the store in a database, on the first of the target's hosts that takes writes."""
    dialect = SqlServerDialect(lock_seconds=timeouts.statement_seconds)
    with opened(dialect, target, secret, timeouts) as connection:
        snapshot = SqlServerSnapshot(connection, definition, cancelled)
        snapshot.begin()
        yield snapshot


class SqlServerSnapshot(Snapshot):
    """A snapshot, or tables that are held; closing the connection ends its transaction."""

    most_ids = 2**16

    def __init__(self, connection: OdbcConnection, definition: SqlServerDefinition, cancelled: IsCancelled) -> None:
        super().__init__()
        self._connection = connection
        self._definition = definition
        self._cancelled = cancelled

    def begin(self) -> None:
        """From here on, everything is of one moment; without a store there is nothing to hold."""
        if self.value(_ALLOWS_SNAPSHOTS) == _ON:
            self.rows("SET TRANSACTION ISOLATION LEVEL SNAPSHOT; BEGIN TRANSACTION; SELECT 1")
        elif self._has_store():
            (batch,) = batches_of(self._definition.script("audit_locks"))
            self.rows(batch)

    def identity(self) -> tuple[str, int] | None:
        rows = self.rows(store_identity(self._definition)) if self._has_store() else []
        return (str(rows[0][0]), int(rows[0][1])) if rows else None

    def rows(self, query: str) -> list[pyodbc.Row]:
        with cancelling(self._connection, self._cancelled):
            return self._connection.query(self._definition.qualified(query))

    def numbers(self, query: str, columns: Sequence[str], after: int, to: int) -> Iterator[tuple[int, Sequence[Whole]]]:
        rows = self.rows(query.format(after=int(after), to=int(to)))
        yield after, tuple(np.array([tuple(row) for row in rows], dtype=np.int64).reshape(-1, len(columns)).T)

    def _has_store(self) -> bool:
        return self.value("SELECT OBJECT_ID(N'dbo.spindle_store', N'U')") is not None
