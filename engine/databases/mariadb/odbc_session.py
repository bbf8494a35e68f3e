"""One emulated user's connection to MariaDB or MySQL through ODBC, if a driver was chosen or nothing is compiled.

The driver keeps a statement prepared while its cursor executes the same text, so each procedure has a separate cursor.
The isolation level is the server's default (repeatable read unless changed), as with DVD Store 2: it is part of what is
measured, and is recorded with the run.
"""

from typing import Any

from engine.databases.database import Timeouts
from engine.databases.exchange.calls import CallTable
from engine.databases.mariadb.dialect import dialect_of
from engine.databases.mariadb.errors import INTERRUPTED, is_one_of
from engine.databases.mariadb.settings import COMMITTING, limits
from engine.databases.odbc.connecting import connect_any
from engine.databases.odbc.connection import OdbcConnection
from engine.databases.odbc.rows import FetchedResult
from engine.errors import TargetError
from engine.secrets import Secret
from engine.target.target import Target


def open_session(
    target: Target, secret: Secret | None, timeouts: Timeouts, calls: CallTable, *, first_host: int = 0
) -> "MariaDBSession":
    """A session on the first of the target's hosts that takes writes and has the store; raises ``TargetError``."""
    connection, _ = connect_any(dialect_of(target.kind), target, secret, timeouts, first_host=first_host)
    session = MariaDBSession(connection, calls)
    try:
        for setting in limits(target.kind, timeouts.statement_seconds):
            connection.query(f"SET SESSION {setting}")
        session.call(*calls.trial)
    except TargetError:
        session.close()
        raise
    return session


class MariaDBSession:
    """Implements ``engine.databases.database.Session``; every call is one round trip and one transaction."""

    __slots__ = ("_connection", "_cursors", "_table", "host")

    def __init__(self, connection: OdbcConnection, calls: CallTable) -> None:
        self.host = connection.host
        self._connection = connection
        self._table = calls
        self._cursors = {name: connection.cursor() for name in calls.calls}

    def call(self, name: str, arguments: tuple[Any, ...]) -> Any:
        """Call a procedure: of the rows of its one result, behind which the server says how the call ended."""
        call = self._table.calls[name]
        values = arguments if call.values is None else call.values(*arguments)
        assert call.read is not None, "every call of a table has a result"
        try:
            rows = self._connection.call(self._cursors[name], f"{{{call.statement}}}", *values)
        except TargetError as error:
            if error.usable and is_one_of(error, INTERRUPTED):
                raise self._settled(error, is_recorded=self._table.is_recorded(call)) from error
            raise
        return call.read(FetchedResult(rows))

    @property
    def received(self) -> tuple[int, int]:
        return self._connection.rows_received, 0

    def cut(self) -> None:
        self._connection.cut()

    def close(self) -> None:
        self._connection.close()

    def _settled(self, interrupted: TargetError, *, is_recorded: bool) -> TargetError:
        """What an interrupted call has come to. No handler of the procedure was asked, so its transaction may be open,
        and the next one would commit it: it is rolled back, unless the procedure of a recorded call was at its commit
        already.
        """
        if is_recorded:
            ((committing,),) = self._connection.query(COMMITTING)
            if committing is not None:
                return TargetError(interrupted.error_class, str(interrupted), code=interrupted.code, usable=False)
        self._connection.query("ROLLBACK")
        return interrupted
