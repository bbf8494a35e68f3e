"""A connection for the lease of a store over ODBC; the statements are each DBMS's own."""

from contextlib import suppress
from dataclasses import replace
from typing import Any

import pyodbc

from engine.databases.database import Timeouts
from engine.databases.lease import LeaseSql, LeaseTable
from engine.databases.odbc.connecting import connect_any
from engine.databases.odbc.connection import OdbcConnection
from engine.databases.odbc.dialect import Dialect
from engine.secrets import Secret
from engine.target.target import Target

_STATEMENT_SECONDS = 60.0  # a user of the lease who has less time cuts the connection


def open_lease(
    dialect: Dialect, sql: LeaseSql, target: Target, secret: Secret | None, timeouts: Timeouts
) -> LeaseTable:
    """The lease of the store in a target's database, on its first host that takes writes; raises ``TargetError``."""
    connection, _ = connect_any(dialect, target, secret, replace(timeouts, statement_seconds=_STATEMENT_SECONDS))
    return LeaseTable(_Link(connection), sql)


class _Link:
    """Implements ``engine.databases.lease.LeaseLink``."""

    def __init__(self, connection: OdbcConnection) -> None:
        self._connection = connection

    def query(self, statement: str, *values: object) -> list[Any]:
        return self._connection.query(statement, *values)

    def execute(self, statement: str, *values: object) -> None:
        cursor = self._connection.cursor()
        try:
            self._connection.execute(cursor, statement, *values)
            self._connection.result_sets(cursor)
        finally:
            if self._connection.usable:  # otherwise a cancel may still be at it
                with suppress(pyodbc.Error):
                    cursor.close()

    def cut(self) -> None:
        self._connection.cut()

    def close(self) -> None:
        self._connection.close()
