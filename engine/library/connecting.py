"""Connections to the library's file, and the messages for SQLite's errors. Used within this package."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import QueuePool

from engine.errors import Remedy, RemedyKind, UserError

BUSY_SECONDS = 5.0
_BEGIN, _READ_ONLY = "spindle_begin", "spindle_read_only"
_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_OF_THE_STATEMENT = (
    0,
    sqlite3.SQLITE_ERROR,
    sqlite3.SQLITE_TOOBIG,
    sqlite3.SQLITE_CONSTRAINT,
    sqlite3.SQLITE_MISMATCH,
    sqlite3.SQLITE_MISUSE,
    sqlite3.SQLITE_RANGE,
)
_SENTENCES = {
    sqlite3.SQLITE_BUSY: "is locked by another program; close that program, or try again",
    sqlite3.SQLITE_FULL: "has no space left on its disk; free some",
    sqlite3.SQLITE_READONLY: "can't be written: permission denied",
    sqlite3.SQLITE_CANTOPEN: "can't be opened: check the permissions of its folder",
    sqlite3.SQLITE_CORRUPT: "is damaged; restart Spindle, which moves it aside and starts a new one",
    sqlite3.SQLITE_NOTADB: "is damaged; restart Spindle, which moves it aside and starts a new one",
}
_ELSEWHERE = (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN)


def connect(path: Path, *, busy_seconds: float = BUSY_SECONDS, foreign_keys: bool = True, wal: bool = True) -> Engine:
    """An engine on the library at ``path``, which the caller must dispose of.

    Every commit is durable (WAL, synchronous FULL), and a connection waits up to ``busy_seconds`` for another program's
    transaction. The driver's implicit transactions are switched off. Without ``wal`` the library is one file that can
    be copied and read anywhere, but readers and writers wait for each other.
    """
    url = URL.create("sqlite+pysqlite", database=str(path))
    engine = create_engine(url, connect_args={"timeout": busy_seconds})

    @event.listens_for(engine, "connect")
    def _prepare(connection: sqlite3.Connection, _record: Any) -> None:
        connection.execute(f"PRAGMA journal_mode = {'WAL' if wal else 'DELETE'}")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute(f"PRAGMA foreign_keys = {'ON' if foreign_keys else 'OFF'}")

    return _configured(engine)


def connect_in_memory(name: str) -> Engine:
    """An engine on an empty library in memory, which is lost when the process ends."""
    from engine.library.tables import metadata

    def open_memory() -> sqlite3.Connection:
        uri = f"file:{name}?mode=memory&cache=shared"
        return sqlite3.connect(uri, uri=True, timeout=BUSY_SECONDS, check_same_thread=False)

    engine = _configured(create_engine("sqlite+pysqlite://", creator=open_memory, poolclass=QueuePool))
    metadata.create_all(engine)  # a connection stays in the pool, and with it what is in memory
    return engine


def connect_to_read(path: Path, *, uri: str = "", reason: str = "") -> Engine:
    """An engine that can neither write to the library at ``path`` nor create it; the caller must dispose of it.

    ``uri`` is one of those of ``read_only_uri``; ``reason`` says why the library can't be written.
    """

    def open_file() -> sqlite3.Connection:
        connection = sqlite3.connect(
            uri or read_only_uri(path), uri=True, timeout=BUSY_SECONDS, check_same_thread=False
        )
        connection.execute("PRAGMA query_only = ON")
        return connection

    url = URL.create("sqlite+pysqlite", database=str(path))
    return _configured(
        create_engine(url, creator=open_file, poolclass=QueuePool, execution_options={_READ_ONLY: reason})
    )


def read_only_uri(path: Path, *, immutable: bool = False, exclusive: bool = False) -> str:
    """The URI to open a file for reading: while others may write it, as a file that nobody changes (``immutable``), or
    with the WAL index in memory and other processes locked out (``exclusive``)."""
    ways = "vfs=unix-excl" if exclusive else "mode=ro&immutable=1" if immutable else "mode=ro"
    return f"{path.absolute().as_uri()}?{ways}"


def _configured(engine: Engine) -> Engine:
    """Switch off the driver's implicit transactions, and define the SQL function ``casefold``."""

    @event.listens_for(engine, "connect")
    def _prepare(connection: sqlite3.Connection, _record: Any) -> None:
        connection.isolation_level = None
        connection.create_function("casefold", 1, str.casefold, deterministic=True)

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        connection.exec_driver_sql(connection.get_execution_options().get(_BEGIN, "BEGIN"))

    return engine


@contextmanager
def read_transaction(engine: Engine) -> Iterator[Connection]:
    """A transaction that sees one state of the library; raises ``UserError`` when the file can't be read."""
    with translated_errors(engine), engine.begin() as connection:
        yield connection


@contextmanager
def write_transaction(engine: Engine) -> Iterator[Connection]:
    """A transaction that may write and is durable when the block ends; raises ``UserError`` when the file can't be
    written.

    It takes the write lock when it begins: SQLite does not let a reader that becomes a writer wait for the lock.
    """
    if reason := engine.get_execution_options().get(_READ_ONLY):
        raise UserError(f"the library {engine.url.database} is open for reading only: {reason}.")
    immediate = engine.execution_options(**{_BEGIN: "BEGIN IMMEDIATE"})
    with translated_errors(engine), immediate.begin() as connection:
        yield connection


@contextmanager
def translated_errors(engine: Engine) -> Iterator[None]:
    """Raise errors of file and disk as ``UserError``; errors of the statement itself are not changed."""
    try:
        yield
    except (DBAPIError, sqlite3.Error) as error:
        if not is_io_error(error):
            raise
        raise refused(Path(str(engine.url.database)), error) from error


def is_io_error(error: BaseException) -> bool:
    """Whether an error is caused by the file or the disk, and may pass, rather than by the data to be written."""
    return _code(error) not in _OF_THE_STATEMENT


def refused(path: Path, error: BaseException) -> UserError:
    """The message to the user about SQLite's ``error`` on the library at ``path``."""
    code = _code(error)
    trouble = _SENTENCES.get(code) or f"failed: {_of_sqlite(error)}; check its disk and try again"
    if code in _ELSEWHERE:
        return UserError(f"the library {path} {trouble}", remedy=Remedy(kind=RemedyKind.OTHER_HOME))
    return UserError(f"the library {path} {trouble}.")


def is_damage(error: sqlite3.Error) -> bool:
    """Whether the error means that the file is not a database, or a damaged one."""
    return _code(error) in _DAMAGED


def _code(error: BaseException) -> int:
    """SQLite's primary error code: the lower byte of the extended one; 0 if the error isn't SQLite's."""
    return getattr(_of_sqlite(error), "sqlite_errorcode", 0) & 0xFF


def _of_sqlite(error: BaseException) -> BaseException:
    """SQLite's own error, which SQLAlchemy may have wrapped."""
    return error.orig if isinstance(error, DBAPIError) and error.orig is not None else error
