"""Runs batches on an administrator's connection and reads all of their results.

An error may follow a batch's first results, and the server aborts BACKUP and RESTORE when the client stops reading
their messages; so every result is read.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import pyodbc

from engine.databases.odbc.connection import OdbcConnection
from engine.errors import ErrorClass, TargetError


def run_all(connection: OdbcConnection, batches: Iterable[str]) -> None:
    for batch in batches:
        connection.query(batch)


def one(connection: OdbcConnection, query: str, *values: object) -> tuple[Any, ...]:
    """The first row of a query; raises ``TargetError`` when there is none."""
    rows = connection.query(query, *values)
    if not rows:
        raise TargetError(ErrorClass.OTHER, f"the server gave no row for: {' '.join(query.split())}")
    return tuple(rows[0])


def query_if_permitted(connection: OdbcConnection, query: str, *values: object) -> list[Any] | None:
    """The rows of a query that this user, or this version of the server, may be refused; ``None`` when it is.

    A lost connection is raised as ever.
    """
    try:
        return connection.query(query, *values)
    except TargetError as error:
        if error.error_class is not ErrorClass.OTHER:
            raise
        return None


@contextmanager
def transaction(connection: OdbcConnection) -> Iterator[None]:
    """Statements inside are committed together, or not at all; raises ``TargetError`` when the commit fails."""
    set_autocommit(connection, on=False)
    try:
        yield
        commit(connection)
    except BaseException:
        with suppress(pyodbc.Error):  # what went wrong before is what counts
            connection.raw.rollback()
        raise
    finally:
        with suppress(pyodbc.Error):  # a connection that is lost has no mode
            connection.raw.autocommit = True


def set_autocommit(connection: OdbcConnection, *, on: bool) -> None:
    """Whether each statement is a transaction of its own; raises ``TargetError``."""
    _classified(connection, lambda: setattr(connection.raw, "autocommit", on))


def commit(connection: OdbcConnection) -> None:
    """Commit what was done since the last commit; raises ``TargetError``."""
    _classified(connection, connection.raw.commit)


def _classified(connection: OdbcConnection, work: Callable[[], None]) -> None:
    try:
        work()
    except pyodbc.Error as error:
        raise connection.classified(error) from None
