"""A real MariaDB or MySQL as a database under test."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from types import MappingProxyType
from typing import Any

import pyodbc

from engine.databases import database_of
from engine.databases.odbc.connection_string import connection_string
from engine.databases.odbc.drivers import driver_for
from engine.target.kinds import kind_facts
from engine.target.target import Target
from tests.doubles.mariadb_server import MariaDBServer
from tests.engine.databases.contract.under_test import Run
from tests.engine.databases.mariadb.copies import copy_store

_SESSIONS = "FROM information_schema.processlist WHERE db = '{}' AND id <> connection_id()"


_FIRST_RECORD = """
CREATE TABLE spindle_store (
    one tinyint NOT NULL PRIMARY KEY DEFAULT 1 CHECK (one = 1),
    format integer NOT NULL,
    state varchar(8) NOT NULL CHECK (state IN ('building', 'complete')),
    db_size varchar(20) NOT NULL,
    seed bigint NOT NULL,
    customers bigint NOT NULL,
    orders bigint NOT NULL,
    order_lines bigint NOT NULL DEFAULT 0,
    history bigint NOT NULL DEFAULT 0,
    products bigint NOT NULL,
    made_database tinyint NOT NULL,
    salt varchar(64) NOT NULL,
    built_at datetime(6) NOT NULL
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
"""


class MariaDBUnderTest:
    """Fulfils ``tests.engine.databases.contract.under_test.MortalDatabase``."""

    damages: Mapping[str, str] = MappingProxyType(
        {
            "index": "DROP INDEX ix_prod_title ON products",
            "procedure": "DROP PROCEDURE browse_by_actor",
            "trigger": "DROP TRIGGER restock",
        }
    )
    first_record = (
        _FIRST_RECORD,
        MappingProxyType(
            {
                "history": "(SELECT max(historyid) FROM cust_hist)",
                "salt": "'0a0b0c0d0e0f00010203040506070809'",
                "built_at": "utc_timestamp(6)",
            }
        ),
    )
    true = "1"

    def __init__(self, server: MariaDBServer) -> None:
        self._server = server
        self.kind = server.target().kind
        self.product = kind_facts(self.kind).product
        self.database = database_of(self.kind)
        self.secret = server.secret

    def target(self, name: str) -> Target:
        return self._server.target(name)

    def create(self, name: str) -> None:
        self.run("", f"CREATE DATABASE {name}")

    def copy(self, source: str, name: str) -> None:
        self.create(name)
        with self.connection(name) as connection:
            copy_store(connection.cursor(), source, name)

    def drop(self, name: str) -> None:
        self.end_sessions(name)
        self.run("", f"DROP DATABASE IF EXISTS {name}")

    def exists(self, name: str) -> bool:
        return bool(self.run("", f"SELECT 1 FROM information_schema.schemata WHERE schema_name = '{name}'"))

    def tables(self, name: str) -> list[str]:
        found = self.run(
            "",
            f"SELECT table_name FROM information_schema.tables WHERE table_schema = '{name}'"
            f" UNION ALL SELECT routine_name FROM information_schema.routines WHERE routine_schema = '{name}'",
        )
        return sorted(name for (name,) in found)

    def siblings(self, name: str) -> list[str]:
        query = f"SELECT schema_name FROM information_schema.schemata WHERE schema_name LIKE '{name}\\_\\_%'"
        return [database for (database,) in self.run("", query)]

    def occupy_sibling(self, name: str) -> None:
        self.create(f"{name}__new")
        self.run(f"{name}__new", "CREATE TABLE theirs (number integer)")

    def vacate_sibling(self, name: str) -> None:
        self.drop(f"{name}__new")

    def run(self, name: str, statement: str) -> list[tuple[Any, ...]]:
        with self.connection(name) as connection:
            return _run(connection.cursor(), statement)

    @contextmanager
    def transaction(self, name: str) -> Iterator[Run]:
        with self.connection(name) as connection:
            connection.autocommit = False
            cursor = connection.cursor()
            try:
                yield lambda statement: _run(cursor, statement)
            finally:
                with suppress(pyodbc.OperationalError):  # of a session that was ended nothing is left to roll back
                    connection.rollback()

    def waiting(self, name: str) -> int:
        # The list of InnoDB's transactions is made anew only when nobody has read it for a tenth of a second.
        ((_, count),) = self.run("", "SHOW GLOBAL STATUS LIKE 'Innodb_row_lock_current_waits'")
        return int(count)

    def busy(self, name: str) -> list[int]:
        """The sessions on a database that are in a call; one that is just leaving is in none."""
        in_call = f"{_SESSIONS.format(name)} AND command IN ('Query', 'Execute')"
        return [session for (session,) in self.run("", f"SELECT id {in_call}")]

    def end_sessions(self, name: str) -> None:
        # Those in a call first: one that waits for a lock would get it when its holder has gone, and end its call well.
        # The list of InnoDB's transactions tells who waits, but may be a tenth of a second old.
        for (session,) in self.run("", f"SELECT id {_SESSIONS.format(name)} ORDER BY command = 'Sleep'"):
            self._kill(session)

    def kill(self) -> None:
        self._server.kill()

    def start(self) -> None:
        self._server.start()

    @contextmanager
    def connection(self, name: str) -> Iterator[pyodbc.Connection]:
        """A connection in autocommit of a client that has nothing to do with Spindle's own ones."""
        target = self._server.target(name or "information_schema")
        connection = pyodbc.connect(
            connection_string(
                {
                    "DRIVER": driver_for(self.kind),
                    "SERVER": target.hosts[0].name,
                    "PORT": str(target.hosts[0].port),
                    "UID": target.user,
                    "PWD": self.secret.reveal(),
                    "DATABASE": target.database,
                    "TCPIP": "1",
                }
            ),
            autocommit=True,
        )
        try:
            yield connection
        finally:
            connection.close()

    def _kill(self, session: int) -> None:
        try:
            self.run("", f"KILL {session}")
        except pyodbc.Error as error:
            if "(1094)" not in str(error):  # it has gone already
                raise


def _run(cursor: pyodbc.Cursor, statement: str) -> list[tuple[Any, ...]]:
    cursor.execute(statement)
    return [tuple(row) for row in cursor.fetchall()] if cursor.description else []
