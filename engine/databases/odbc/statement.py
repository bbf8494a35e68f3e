"""One statement on one host, whatever its role, under a deadline that cuts the connection: for injections."""

import re
import threading
import time
from dataclasses import replace

import pyodbc

from engine.databases.database import Timeouts
from engine.databases.odbc.connecting import connect_any
from engine.databases.odbc.connection import OdbcConnection
from engine.databases.odbc.dialect import Dialect
from engine.errors import ErrorClass, TargetError
from engine.secrets import Secret
from engine.target.target import Host, Target

_CONNECT_SECONDS = 5.0
_CANCEL_SECONDS = 2.0
_LABELS = re.compile(r"^(?:\[[^\]]*\])+")
_MOST_ROWS = 20


def execute(
    dialect: Dialect,
    target: Target,
    host: Host,
    secret: Secret | None,
    statement: str,
    timeout_seconds: float,
) -> str:
    """Execute it in the target's database and return the server's messages, the rows' values, and row counts.

    At the time-out the server is asked to cancel it, so that it does not continue without a client. Raises
    ``TargetError``.
    """
    until = time.monotonic() + timeout_seconds
    timeouts = Timeouts(connect_seconds=min(_CONNECT_SECONDS, timeout_seconds), statement_seconds=timeout_seconds)
    alone = replace(target, hosts=(host,))
    connection, _ = connect_any(dialect, alone, secret, timeouts, writes=False)
    return _Statement(connection, statement).text(until)


class _Statement:
    """A statement on a separate thread, which closes the connection when the driver's call returns."""

    def __init__(self, connection: OdbcConnection, statement: str) -> None:
        self._connection = connection
        self._statement = statement
        self._output = ""
        self._error: Exception | None = None
        self._has_ended = threading.Event()

    def text(self, until: float) -> str:
        threading.Thread(target=self._run, name="odbc-statement", daemon=True).start()
        if not self._has_ended.wait(max(0.0, until - time.monotonic())):
            threading.Thread(target=self._give_up, name="odbc-give-up", daemon=True).start()
            host = self._connection.host
            raise TargetError(ErrorClass.TIMEOUT, f"Host {host} gave no answer to the statement in time.", usable=False)
        if self._error is not None:
            raise self._error
        return self._output

    def _give_up(self) -> None:
        """Cancel on the server first: a server that only loses its client may continue the statement."""
        self._connection.cancel()
        if not self._has_ended.wait(_CANCEL_SECONDS):
            self._connection.cut()

    def _run(self) -> None:
        try:
            self._output = self._executed()
        except Exception as error:
            self._error = error
        self._has_ended.set()
        self._connection.close()

    def _executed(self) -> str:
        connection = self._connection
        cursor = connection.cursor()
        connection.execute(cursor, self._statement)
        text: list[str] = []
        with connection.calling(cursor):
            while True:
                text += _texts(cursor)
                if not connection.has_next(cursor):
                    return "\n".join(text)


def _texts(cursor: pyodbc.Cursor) -> list[str]:
    """The server's output for one statement of a batch."""
    messages = [_LABELS.sub("", text) for _, text in cursor.messages or ()]
    if cursor.description is None:
        return [*messages, "done" if cursor.rowcount < 0 else f"{cursor.rowcount} rows affected"]
    rows = [", ".join("null" if value is None else str(value) for value in row) for row in cursor.fetchmany(_MOST_ROWS)]
    return [*messages, *rows]
