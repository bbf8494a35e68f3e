"""A SQL Server of somebody's, named in ``SPINDLE_TEST_MSSQL``, as a database under test."""

import re
import shlex
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from types import MappingProxyType
from typing import Any

import pyodbc

from engine.databases import database_of
from engine.databases.database import Timeouts
from engine.databases.mssql.dialect import SqlServerDialect
from engine.databases.mssql.scripts import identifier, literal
from engine.databases.odbc.connection_string import connection_string
from engine.databases.odbc.drivers import driver_for
from engine.secrets import Secret
from engine.target.target import MSSQL, Target
from tests.engine.databases.contract.under_test import Run
from tests.waiting import wait_until

_CONNECT_SECONDS = 10
_COMMAND_SECONDS = 60
_START_SECONDS = 120.0


_FIRST_RECORD = """
CREATE TABLE dbo.spindle_store (
    one bit NOT NULL CONSTRAINT df_spindle_store_one DEFAULT 1 CONSTRAINT spindle_store_pkey PRIMARY KEY
        CONSTRAINT ck_spindle_store_one CHECK (one = 1),
    format int NOT NULL,
    state varchar(10) NOT NULL CONSTRAINT ck_spindle_store_state CHECK (state IN ('building', 'complete')),
    db_size varchar(20) NOT NULL,
    seed bigint NOT NULL,
    customers bigint NOT NULL,
    orders bigint NOT NULL,
    order_lines bigint NOT NULL CONSTRAINT df_spindle_store_order_lines DEFAULT 0,
    products bigint NOT NULL,
    made_database bit NOT NULL,
    built_at datetime2(6) NOT NULL CONSTRAINT df_spindle_store_built_at DEFAULT SYSUTCDATETIME(),
    salt varbinary(32) NOT NULL,
    backup_file nvarchar(400) NULL,
    notes nvarchar(2000) NULL
)
"""


class SqlServerUnderTest:
    """Fulfils ``tests.engine.databases.contract.under_test.MortalDatabase``.

    The server is this machine's, for the contract also calls it localhost; its user has to be an administrator.
    ``kill`` and ``start`` are the commands that do so, such as ``docker kill mssql``; each returns when it is done.
    """

    product = "SQL Server"
    damages: Mapping[str, str] = MappingProxyType(
        {
            "index": "DROP INDEX ix_prod_category ON products",
            "procedure": "DROP PROCEDURE browse_by_actor",
            "trigger": "DISABLE TRIGGER restock ON inventory",
        }
    )
    first_record = (_FIRST_RECORD, MappingProxyType({"salt": "0x000102030405060708090A0B0C0D0E0F"}))
    true = "1"

    def __init__(self, url: str, *, kill: str = "", start: str = "") -> None:
        self._kill, self._start = kill, start
        self._target, secret = Target.parse(url)
        assert secret is not None, "SPINDLE_TEST_MSSQL needs a password: mssql://sa:password@127.0.0.1:1433/master"
        self.secret: Secret = secret
        self.database = database_of(MSSQL)

    def target(self, name: str) -> Target:
        return self._target.with_database(name)

    def create(self, name: str) -> None:
        self.run("master", f"CREATE DATABASE {identifier(name)}")

    def copy(self, source: str, name: str) -> None:
        file = literal(f"{source}_copy.bak")
        self.run("master", f"BACKUP DATABASE {identifier(source)} TO DISK = {file} WITH INIT, FORMAT, COPY_ONLY")
        files = self.run(
            "master", f"SELECT name, physical_name FROM sys.master_files WHERE database_id = DB_ID({literal(source)})"
        )
        moves = ", ".join(
            f"MOVE {literal(logical)} TO {literal(_renamed(path, source, name))}" for logical, path in files
        )
        self.run("master", f"RESTORE DATABASE {identifier(name)} FROM DISK = {file} WITH REPLACE, {moves}")

    def drop(self, name: str) -> None:
        if self.exists(name):
            self.run("master", f"ALTER DATABASE {identifier(name)} SET SINGLE_USER WITH ROLLBACK IMMEDIATE")
            self.run("master", f"DROP DATABASE {identifier(name)}")

    def exists(self, name: str) -> bool:
        return bool(self.run("master", f"SELECT 1 FROM sys.databases WHERE name = {literal(name)}"))

    def tables(self, name: str) -> list[str]:
        kinds = "type IN ('U', 'V', 'P', 'FN', 'IF', 'TF')"
        found = self.run(name, f"SELECT name FROM sys.objects WHERE is_ms_shipped = 0 AND {kinds}")
        return sorted(table for (table,) in found)

    def siblings(self, name: str) -> list[str]:
        found = self.run(name, "SELECT name FROM sys.schemas WHERE name LIKE 'spindle%'") if self.exists(name) else []
        return [schema for (schema,) in found]

    def occupy_sibling(self, name: str) -> None:
        self.run(name, "CREATE SCHEMA spindle_replacement CREATE TABLE theirs (number integer)")

    def vacate_sibling(self, name: str) -> None:
        self.run(name, "DROP TABLE spindle_replacement.theirs; DROP SCHEMA spindle_replacement")

    def run(self, name: str, statement: str) -> list[tuple[Any, ...]]:
        with self._connection(name, autocommit=True) as connection:
            return _all_rows(connection, statement)

    @contextmanager
    def transaction(self, name: str) -> Iterator[Run]:
        with self._connection(name, autocommit=False) as connection:
            try:
                yield lambda statement: _all_rows(connection, statement)
            finally:
                with suppress(pyodbc.Error):  # of a session that was ended nothing is left to roll back
                    connection.rollback()

    def waiting(self, name: str) -> int:
        ((count,),) = self.run(
            "master",
            "SELECT COUNT(*) FROM sys.dm_exec_requests"
            f" WHERE database_id = DB_ID({literal(name)}) AND blocking_session_id <> 0",
        )
        return int(count)

    def end_sessions(self, name: str) -> None:
        # Those that wait for a lock first: one whose holder has gone would get its lock, and end its call well.
        found = self.run(
            "master",
            "SELECT s.session_id FROM sys.dm_exec_sessions s"
            " LEFT JOIN sys.dm_exec_requests r ON r.session_id = s.session_id"
            f" WHERE s.database_id = DB_ID({literal(name)}) AND s.is_user_process = 1"
            " ORDER BY CASE WHEN r.blocking_session_id <> 0 THEN 0 ELSE 1 END",
        )
        for (session,) in found:
            self.run("master", f"KILL {int(session)}")

    def kill(self) -> None:
        _command(self._kill)

    def start(self) -> None:
        _command(self._start)
        wait_until(self._has_recovered, "SQL Server lets clients in", timeout_seconds=_START_SECONDS)

    def _has_recovered(self) -> bool:
        try:
            ((busy,),) = self.run("master", "SELECT COUNT(*) FROM sys.databases WHERE state_desc LIKE 'RECOVER%'")
        except pyodbc.Error:
            return False
        return int(busy) == 0

    @contextmanager
    def _connection(self, name: str, *, autocommit: bool) -> Iterator[pyodbc.Connection]:
        target = self.target(name)
        driver = driver_for(MSSQL, target.driver)
        attributes = SqlServerDialect().attributes(target, target.hosts[0], self.secret, Timeouts(), driver)
        with closing(
            pyodbc.connect(connection_string(attributes), autocommit=autocommit, timeout=_CONNECT_SECONDS)
        ) as connection:
            yield connection


def _all_rows(connection: pyodbc.Connection, statement: str) -> list[tuple[Any, ...]]:
    """The rows of the first result set; BACKUP and RESTORE end only when all that they say has been heard."""
    cursor = connection.execute(statement)
    rows: list[tuple[Any, ...]] = []
    while True:
        if cursor.description is not None and not rows:
            rows = [tuple(row) for row in cursor.fetchall()]
        if not cursor.nextset():
            return rows


def _command(text: str) -> None:
    subprocess.run(shlex.split(text), check=True, capture_output=True, timeout=_COMMAND_SECONDS)


def _renamed(path: str, source: str, name: str) -> str:
    """A file of one database as it is called for another, in the same folder."""
    folder, separator, file = re.fullmatch(r"(.*?)([\\/]?)([^\\/]*)", path).groups()  # type: ignore[union-attr]
    return f"{folder}{separator}{file.replace(source, name) if source in file else f'{name}_{file}'}"
