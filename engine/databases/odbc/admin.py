"""Connections for the long work on a store: statements that can be cancelled, with the errors sorted."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from engine.databases.database import Timeouts
from engine.databases.odbc.connecting import connect_any
from engine.databases.odbc.connection import OdbcConnection
from engine.databases.odbc.dialect import Dialect
from engine.databases.progress import IsCancelled
from engine.errors import Cancelled, TargetError
from engine.secrets import Secret
from engine.target.target import Target

_CHECK_EVERY_SECONDS = 0.1
_CANCEL_SECONDS = 5.0
_NEVER = float("inf")


@contextmanager
def opened(
    dialect: Dialect, target: Target, secret: Secret | None, timeouts: Timeouts, *, autocommit: bool = True
) -> Iterator[OdbcConnection]:
    """A connection to the target's first host that accepts writes, whose statements have no time-out.

    The dialect gets infinite ``timeouts.statement_seconds``. Raises ``TargetError``.
    """
    patient = replace(timeouts, statement_seconds=_NEVER)
    connection, _ = connect_any(dialect, target, secret, patient, autocommit=autocommit)
    try:
        yield connection
    finally:
        connection.close()


@contextmanager
def cancelling(connection: OdbcConnection, cancelled: IsCancelled) -> Iterator[None]:
    """Statements inside are cancelled on the server when ``cancelled`` says yes; then ``Cancelled`` is raised.

    A server that does not heed it within five seconds loses the connection.
    """
    watch = _Watch(connection, cancelled)
    watch.start()
    try:
        yield
    except TargetError:
        if watch.has_cancelled:
            raise Cancelled from None
        raise
    finally:
        watch.end()


class _Watch(threading.Thread):
    """Asks ten times a second whether the work is to be cancelled, and sees to it that it is."""

    def __init__(self, connection: OdbcConnection, cancelled: IsCancelled) -> None:
        super().__init__(name="cancel-watch", daemon=True)
        self.has_cancelled = False
        self._connection = connection
        self._cancelled = cancelled
        self._done = threading.Event()

    def run(self) -> None:
        cut_at = _NEVER
        while not self._done.wait(_CHECK_EVERY_SECONDS):
            if not self._cancelled():
                continue
            cut_at = min(cut_at, time.monotonic() + _CANCEL_SECONDS)
            self.has_cancelled = True
            if time.monotonic() >= cut_at:
                self._connection.cut()
            else:
                self._connection.cancel()  # repeated until the statement has ended

    def end(self) -> None:
        self._done.set()
        self.join(timeout=2 * _CANCEL_SECONDS)
