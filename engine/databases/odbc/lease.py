"""A connection for the lease of a store over ODBC; the statements are each DBMS's own."""

from dataclasses import replace

from engine.databases.database import Timeouts
from engine.databases.lease import LeaseSql, LeaseTable
from engine.databases.odbc.connecting import connect_any
from engine.databases.odbc.dialect import Dialect
from engine.secrets import Secret
from engine.target.target import Target

_STATEMENT_SECONDS = 60.0  # a user of the lease who has less time cuts the connection


def open_lease(
    dialect: Dialect, sql: LeaseSql, target: Target, secret: Secret | None, timeouts: Timeouts
) -> LeaseTable:
    """The lease of the store in a target's database, on its first host that takes writes; raises ``TargetError``."""
    connection, _ = connect_any(dialect, target, secret, replace(timeouts, statement_seconds=_STATEMENT_SECONDS))
    return LeaseTable(connection, sql)
