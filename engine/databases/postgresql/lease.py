"""The lease of a store in PostgreSQL: its statements, and a connection of its own for them."""

import socket
from typing import Any

import psycopg

from engine.databases.database import Timeouts
from engine.databases.definition import StoreDefinition
from engine.databases.lease import LeaseSql, LeaseTable
from engine.databases.postgresql.admin import Connection, connected
from engine.databases.postgresql.errors import classified_error
from engine.databases.postgresql.scripts import script, statements
from engine.databases.postgresql.store_record import store_identity
from engine.secrets import Secret
from engine.target.target import Target

# A heartbeat need not survive a crash, and must neither flush the log nor wait for a standby.
_OPTIONS = "-c synchronous_commit=off -c statement_timeout=60s"


def _lease_sql(definition: StoreDefinition) -> LeaseSql:
    return LeaseSql(
        table="public.spindle_lease",
        found="SELECT to_regclass('public.spindle_store') IS NOT NULL, to_regclass('public.spindle_lease') IS NOT NULL",
        make=tuple(statements(script("lease"))),
        identity=store_identity(definition),
        added_above=definition.added_above,
        now="clock_timestamp()",
        since="extract(epoch FROM since)",
        silent_seconds="extract(epoch FROM clock_timestamp() - heartbeat_at)",
    )


def open_lease(target: Target, secret: Secret | None, timeouts: Timeouts, definition: StoreDefinition) -> LeaseTable:
    """The lease of the store in a target's database, on its first host that takes writes; raises ``TargetError``."""
    connection = connected(target, secret, timeouts, options=_OPTIONS)
    return LeaseTable(_LeaseConnection(connection), _lease_sql(definition))


class _LeaseConnection:
    """Implements ``engine.databases.lease.LeaseConnection``."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def query(self, statement: str, *values: object) -> list[Any]:
        try:
            cursor = self._connection.execute(statement.replace("?", "%s").encode(), values or None)
            return cursor.fetchall() if cursor.description is not None else []
        except psycopg.Error as error:
            usable = not self._connection.closed
            raise classified_error(str(error), error.sqlstate or "", usable=usable) from error

    def cut(self) -> None:
        try:
            with socket.fromfd(self._connection.fileno(), socket.AF_INET, socket.SOCK_STREAM) as copy:
                copy.shutdown(socket.SHUT_RDWR)
        except (OSError, psycopg.Error):
            return  # it was closed already: there is nothing to cut

    def close(self) -> None:
        self._connection.close()
