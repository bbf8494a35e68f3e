"""Connections for the long work on a store: statements that can be cancelled, with the errors sorted."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg

from engine.databases.database import Cancelled as CancelledQuestion
from engine.databases.database import Timeouts
from engine.databases.postgresql.connection import connect_any, conninfo
from engine.databases.postgresql.errors import sorted_error
from engine.errors import Cancelled, ErrorClass, TargetError
from engine.secrets import Secret
from engine.target import Target

Connection = psycopg.Connection[tuple[object, ...]]
_ASK_EVERY_SECONDS = 0.1
_CANCEL_SECONDS = 5.0


def never() -> bool:
    """For work that nobody can cancel."""
    return False


@contextmanager
def opened(target: Target, secret: Secret | None, timeouts: Timeouts) -> Iterator[Connection]:
    """A connection in autocommit to the target's first host that takes writes; raises ``TargetError``."""
    raw, number = connect_any(target, secret, timeouts)
    raw.finish()  # the quick, cancellable look whether somebody answers; psycopg then makes its own connection
    with _sorting():
        connection: Connection = psycopg.connect(
            conninfo(target, target.hosts[number], secret, timeouts), autocommit=True
        )
    try:
        with _sorting():
            yield connection
    finally:
        connection.close()


@contextmanager
def cancelling(connection: Connection, cancelled: CancelledQuestion) -> Iterator[None]:
    """Statements inside are cancelled on the server when ``cancelled`` says yes; then ``Cancelled`` is raised."""
    done = threading.Event()
    watcher = threading.Thread(target=_watch, args=(connection, cancelled, done), name="cancel-watch", daemon=True)
    watcher.start()
    try:
        yield
    except psycopg.errors.QueryCanceled:
        if cancelled():
            raise Cancelled from None
        raise
    finally:
        done.set()
        watcher.join(timeout=2 * _CANCEL_SECONDS)


def _watch(connection: Connection, cancelled: CancelledQuestion, done: threading.Event) -> None:
    while not done.wait(_ASK_EVERY_SECONDS):
        if cancelled():
            try:
                connection.cancel_safe(timeout=_CANCEL_SECONDS)
            except psycopg.Error:
                continue  # asked again until the statement is over


@contextmanager
def _sorting() -> Iterator[None]:
    try:
        yield
    except psycopg.Error as error:
        sqlstate = error.sqlstate or ""
        lost = isinstance(error, psycopg.OperationalError) and not sqlstate
        if lost:
            raise TargetError(ErrorClass.CONNECTION_LOST, str(error).strip(), usable=False) from error
        raise sorted_error(str(error), sqlstate, usable=True) from error
