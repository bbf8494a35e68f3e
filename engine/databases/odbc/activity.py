"""Asking one server for its activity over ODBC; what is asked is the DBMS's own."""

from collections.abc import Callable

from engine.databases.activity import ANSWER_SECONDS, CONNECT_SECONDS, ServerActivity
from engine.databases.database import Timeouts
from engine.databases.odbc.connecting import connect_any
from engine.databases.odbc.connection import OdbcConnection
from engine.databases.odbc.dialect import Dialect
from engine.errors import TargetError
from engine.secrets import Secret
from engine.target.target import Target


class OdbcActivity:
    """Implements ``engine.databases.activity.ActivityReader``; of several hosts it asks the one that takes writes."""

    def __init__(
        self,
        dialect: Dialect,
        target: Target,
        secret: Secret | None,
        ask: Callable[[OdbcConnection], ServerActivity],
    ) -> None:
        self._dialect, self._target, self._secret, self._ask = dialect, target, secret, ask
        self._connection: OdbcConnection | None = None

    def read(self) -> ServerActivity:
        try:
            if self._connection is None:
                timeouts = Timeouts(connect_seconds=CONNECT_SECONDS, statement_seconds=ANSWER_SECONDS)
                self._connection, _ = connect_any(self._dialect, self._target, self._secret, timeouts)
            return self._ask(self._connection)
        except TargetError:
            self.close()
            raise

    def close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.discard()
