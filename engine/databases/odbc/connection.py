"""One open ODBC connection: its calls with the errors sorted, and the cut that ends a call which hangs."""

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import pyodbc

from engine.databases.odbc.dialect import Dialect
from engine.databases.odbc.failure import failure_of
from engine.databases.odbc.sockets import SOCKET_REGISTRY, DriverSocket
from engine.errors import TargetError
from engine.secrets import Secret
from engine.target.target import Host

_CLOSE_SECONDS = 1.0
_CANCEL_SECONDS = 5.0
# Asked for the next result after CREATE PROCEDURE … BEGIN … END, MariaDB's driver (3.1) ends the process. Its server
# sends nothing behind a result without rows.
_MARIADBS_DRIVER = "maodbc"


class OdbcConnection:
    """A connection of pyodbc's to one host, for one thread at a time; ``cut`` and ``cancel`` are for any other one.

    Every call raises the dialect's ``TargetError``; after one that is not usable the connection can only be closed.
    """

    def __init__(
        self,
        raw: pyodbc.Connection,
        host: Host,
        dialect: Dialect,
        *,
        secret: Secret | None = None,
        socket: DriverSocket | None = None,
    ) -> None:
        self.raw = raw
        self.host = host
        self.dialect = dialect
        self.rows_received = 0  # of all calls so far
        self._secrets = (secret,) if secret is not None else ()
        self._socket = socket
        self._call_lock = threading.Lock()
        self._in_call: pyodbc.Cursor | None = None
        self._cancelling: threading.Thread | None = None
        self._is_lost = False
        self._ends_without_rows = _MARIADBS_DRIVER in str(raw.getinfo(pyodbc.SQL_DRIVER_NAME))

    @property
    def usable(self) -> bool:
        return not self._is_lost

    def cursor(self) -> pyodbc.Cursor:
        """A new cursor. It keeps what the driver has prepared for as long as the same statement is executed again."""
        try:
            return self.raw.cursor()
        except pyodbc.Error as error:
            raise self.classified(error) from None

    @contextmanager
    def calling(self, cursor: pyodbc.Cursor) -> Iterator[None]:
        """A cursor's call to the server, which can be cancelled meanwhile; pyodbc's errors leave it sorted."""
        self._in_call = cursor
        try:
            yield
        except pyodbc.Error as error:
            raise self.classified(error) from None
        finally:
            self._end()

    def execute(self, cursor: pyodbc.Cursor, statement: str, *values: object) -> pyodbc.Cursor:
        with self.calling(cursor):
            return cursor.execute(statement, *values)

    def execute_many(self, cursor: pyodbc.Cursor, statement: str, rows: Sequence[Sequence[object]]) -> None:
        """Execute a statement for each of the rows, as fast as the cursor's ``fast_executemany`` says."""
        with self.calling(cursor):
            cursor.executemany(statement, rows)

    def all_rows(self, cursor: pyodbc.Cursor) -> list[Any]:
        """The rows of the first result set, after whatever row counts; everything behind it is taken too.

        An error of the server's may come behind the rows, and the connection is free only after the last of it.
        """
        sets = self.result_sets(cursor)
        return sets[0] if sets else []

    def result_sets(self, cursor: pyodbc.Cursor) -> list[list[Any]]:
        """The rows of every result set that is still to come; statements that only count rows have none."""
        sets = []
        with self.calling(cursor):
            while True:
                if cursor.description is not None:
                    sets.append(cursor.fetchall())
                if not self.has_next(cursor):
                    return sets

    def has_next(self, cursor: pyodbc.Cursor) -> bool:
        """Go to the statement's next result, if there is one; to be called within ``calling``."""
        if self._ends_without_rows and cursor.description is None:
            return False
        return bool(cursor.nextset())

    def call(self, cursor: pyodbc.Cursor, statement: str, *values: object) -> list[Any]:
        """Execute a statement on a cursor that is kept for it; the rows of its first result set."""
        self.execute(cursor, statement, *values)
        rows = self.all_rows(cursor)
        self.rows_received += len(rows)
        return rows

    def query(self, statement: str, *values: object) -> list[Any]:
        """Execute a statement once; the rows of its first result set."""
        cursor = self.cursor()
        try:
            self.execute(cursor, statement, *values)
            return self.all_rows(cursor)
        finally:
            if self.usable:  # otherwise a cancel may still be at it, and closing the connection closes it too
                with suppress(pyodbc.Error):
                    cursor.close()

    def first_row(self, statement: str, *values: object) -> dict[str, Any] | None:
        """Execute a statement once; the first row of its first result set by the names of its columns."""
        rows = self.query(statement, *values)
        return (
            {str(column[0]): value for column, value in zip(rows[0].cursor_description, rows[0], strict=True)}
            if rows
            else None
        )

    def classified(self, error: pyodbc.Error) -> TargetError:
        """The ``TargetError`` of a pyodbc exception, with the password masked in its text."""
        failure = failure_of(error, self._secrets)
        usable = self.usable and not failure.sqlstate.startswith("08")
        error_found = self.dialect.error(failure, usable=usable)
        self._is_lost = self._is_lost or not error_found.usable
        return error_found

    def cut(self) -> None:
        """End the connection during a call that hangs; safe from any thread, waits for no network.

        If there is no socket that can be shut down, the driver is to cancel the call, and its own time-outs apply.
        """
        self._is_lost = True
        if self._socket is None or not self._socket.shut_down():
            self.cancel()

    def cancel(self) -> None:
        """Ask the server to cancel the call in progress, if any; safe from any thread, never waits."""
        with self._call_lock:
            if self._in_call is not None and (self._cancelling is None or not self._cancelling.is_alive()):
                self._cancelling = threading.Thread(
                    target=_cancel, args=(self._in_call,), name="odbc-cancel", daemon=True
                )
                self._cancelling.start()

    def _end(self) -> None:
        """The call is over. A cancel that is still at it would hit the next one, or a cursor that is closed by then."""
        with self._call_lock:
            self._in_call = None
            cancelling, self._cancelling = self._cancelling, None
        if cancelling is None:
            return
        if self.usable:
            cancelling.join(_CANCEL_SECONDS)
        if cancelling.is_alive():
            self._is_lost = True
            self._cancelling = cancelling

    def close(self) -> None:
        """Close the connection; a server that has fallen silent holds this up for a second at most."""
        closing = self._closing()
        closing.join(_CLOSE_SECONDS)
        if closing.is_alive():
            self.cut()

    def discard(self) -> None:
        """Cut the connection and close it on a separate thread; does not wait for the network."""
        self.cut()
        self._closing()

    def _closing(self) -> threading.Thread:
        if self._is_lost:
            self.cut()
        closing = threading.Thread(
            target=_close, args=(self.raw, self._socket, self._cancelling), name="odbc-close", daemon=True
        )
        closing.start()
        return closing

    def __repr__(self) -> str:
        return f"<connection to {self.host}>"


def _cancel(cursor: pyodbc.Cursor) -> None:
    with suppress(pyodbc.Error):
        cursor.cancel()


def _close(raw: pyodbc.Connection, socket: DriverSocket | None, cancelling: threading.Thread | None) -> None:
    if cancelling is not None:
        cancelling.join()
    with suppress(pyodbc.Error):
        raw.close()
    if socket is not None:
        SOCKET_REGISTRY.release(socket)
