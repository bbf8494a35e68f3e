"""Connections for the long work on a store: statements that can be cancelled, with the errors sorted."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg

from engine.databases.database import Timeouts
from engine.databases.postgresql.connection import connect_any
from engine.databases.postgresql.errors import classified_error
from engine.databases.progress import IsCancelled
from engine.errors import Cancelled, ErrorClass, TargetError
from engine.secrets import Secret
from engine.target.target import Target

Connection = psycopg.Connection[tuple[object, ...]]
_CHECK_EVERY_SECONDS = 0.1
_CANCEL_SECONDS = 5.0
# Long work takes its time, also where the server or the user's role has a time-out for everybody.
_NO_STATEMENT_TIMEOUT = "-c statement_timeout=0"


def connected(target: Target, secret: Secret | None, timeouts: Timeouts, *, options: str) -> Connection:
    """A connection in autocommit to the target's first host that takes writes; raises ``TargetError``."""
    raw, _ = connect_any(target, secret, timeouts, options=options)
    raw.nonblocking = 1  # as psycopg's own connect leaves it
    connection: Connection = psycopg.Connection(raw)
    connection.autocommit = True
    return connection


@contextmanager
def opened(
    target: Target, secret: Secret | None, timeouts: Timeouts, *, schema: str = "public"
) -> Iterator[Connection]:
    """A connection in autocommit to the target's first host that takes writes; raises ``TargetError``.

    Names without a schema are those of ``schema``.
    """
    connection = connected(target, secret, timeouts, options=f"{_NO_STATEMENT_TIMEOUT} -c search_path={schema}")
    try:
        with _classifying(connection):
            yield connection
    finally:
        connection.close()


def one(connection: Connection, query: str) -> tuple[Any, ...]:
    """The first row of a query; raises ``TargetError`` if there is none."""
    row = connection.execute(query.encode()).fetchone()
    if row is None:
        raise TargetError(ErrorClass.OTHER, f"the server gave no row for: {query}")
    return row


@contextmanager
def cancelling(connection: Connection, cancelled: IsCancelled) -> Iterator[None]:
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


def _watch(connection: Connection, cancelled: IsCancelled, done: threading.Event) -> None:
    while not done.wait(_CHECK_EVERY_SECONDS):
        if cancelled():
            try:
                connection.cancel_safe(timeout=_CANCEL_SECONDS)
            except psycopg.Error:
                continue  # repeated until the statement has ended


@contextmanager
def _classifying(connection: Connection) -> Iterator[None]:
    try:
        yield
    except psycopg.Error as error:
        raise classified_error(str(error), error.sqlstate or "", usable=not connection.closed) from error
