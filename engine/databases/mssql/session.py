"""One emulated user's connection to SQL Server: the hot path, as calls of procedures over ODBC.

``{CALL …}`` with parameter markers only is sent by the drivers as a remote procedure call: one round trip, nothing to
parse or prepare. No argument is ever null, because pyodbc would query the server for the type of a null; unused
arguments are left to the procedure's defaults. Autocommit and READ COMMITTED, SQL Server's default and DVD Store 2's:
each procedure has the transaction that it needs.
"""

import math
from typing import Any

import pyodbc

from engine.databases.database import Timeouts
from engine.databases.exchange.calls import CallTable
from engine.databases.mssql.dialect import SqlServerDialect
from engine.databases.odbc.connecting import connect_any
from engine.databases.odbc.connection import OdbcConnection
from engine.databases.odbc.rows import FetchedResult
from engine.secrets import Secret
from engine.target.target import Target

# The server ends a wait for a lock by itself, and says so; the driver gives up only what takes longer than that.
_DRIVER_WAITS_LONGER_SECONDS = 1.0


def open_session(
    target: Target, secret: Secret | None, timeouts: Timeouts, calls: CallTable, *, first_host: int = 0
) -> "SqlServerSession":
    """A session on a store whose procedures are there for this user; raises ``TargetError``."""
    procedures = [call.statement for call in calls.calls.values()]
    dialect = SqlServerDialect(lock_seconds=timeouts.statement_seconds, procedures=procedures)
    connection, _ = connect_any(dialect, target, secret, timeouts, first_host=first_host)
    try:
        connection.raw.timeout = math.ceil(timeouts.statement_seconds + _DRIVER_WAITS_LONGER_SECONDS)
    except pyodbc.Error as error:
        connection.close()
        raise connection.classified(error) from None
    return SqlServerSession(connection, calls)


class SqlServerSession:
    """Implements ``engine.databases.database.Session``; every call is one round trip, and a cursor of its own keeps
    what the driver knows of the statement.
    """

    __slots__ = ("_calls", "_connection", "_cursors", "host")

    def __init__(self, connection: OdbcConnection, calls: CallTable) -> None:
        self._calls = calls.calls
        self._connection = connection
        self._cursors: dict[str, pyodbc.Cursor] = {}
        self.host = connection.host

    def call(self, name: str, arguments: tuple[Any, ...]) -> Any:
        """Call a procedure with as many parameters as there are values: of the rows of its one result set, and whatever
        the server says behind them.
        """
        call = self._calls[name]
        values = arguments if call.values is None else call.values(*arguments)
        statement = f"{{CALL dbo.{call.statement} ({', '.join('?' * len(values))})}}"
        cursor = self._cursors.get(statement)
        if cursor is None:
            cursor = self._cursors[statement] = self._connection.cursor()
        assert call.read is not None, "every call of a table has a result"
        return call.read(FetchedResult(self._connection.call(cursor, statement, *values)))

    @property
    def received(self) -> tuple[int, int]:
        return self._connection.rows_received, 0

    def cut(self) -> None:
        self._connection.cut()

    def close(self) -> None:
        self._cursors.clear()
        self._connection.close()
