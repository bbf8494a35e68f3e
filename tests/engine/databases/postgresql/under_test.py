"""The embedded PostgreSQL as a database under test."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any

import psycopg
from psycopg import sql

from engine.databases import database_of
from engine.faults.lab_actions import LabAction
from engine.lab.server import EmbeddedServer
from engine.target.target import Target
from tests.engine.databases.contract.under_test import Run
from tests.labs import running_lab


@contextmanager
def server_of_its_own() -> Iterator["PostgreSQLUnderTest"]:
    """A server that may be spoilt, frozen or killed; it ends and leaves nothing with the block."""
    with running_lab() as server:
        yield PostgreSQLUnderTest(server)


_FIRST_RECORD = """
CREATE TABLE spindle_store (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    format integer NOT NULL,
    state text NOT NULL CHECK (state IN ('building', 'complete')),
    db_size text NOT NULL,
    seed bigint NOT NULL,
    customers bigint NOT NULL,
    orders bigint NOT NULL,
    order_lines bigint NOT NULL DEFAULT 0,
    products bigint NOT NULL,
    made_database boolean NOT NULL,
    built_at timestamptz NOT NULL DEFAULT now()
)
"""


class PostgreSQLUnderTest:
    """Fulfils ``tests.engine.databases.contract.under_test.MortalDatabase``; only one of its own may be killed."""

    product = "PostgreSQL"
    damages: Mapping[str, str] = MappingProxyType(
        {
            "index": "DROP INDEX ix_prod_title",
            "procedure": "DROP FUNCTION browse_by_actor(text, integer)",
            "trigger": "ALTER TABLE inventory DISABLE TRIGGER restock",
        }
    )
    first_record = (_FIRST_RECORD, MappingProxyType({}))
    true = "true"

    def __init__(self, server: EmbeddedServer) -> None:
        self._server = server
        self.database = database_of("postgresql")
        self.secret = server.secret

    def target(self, name: str) -> Target:
        return self._server.target(name)

    def create(self, name: str) -> None:
        self._administer("CREATE DATABASE {}", name)

    def copy(self, source: str, name: str) -> None:
        self._administer("CREATE DATABASE {} TEMPLATE {}", name, source)

    def drop(self, name: str) -> None:
        self._administer("DROP DATABASE IF EXISTS {} WITH (FORCE)", name)

    def exists(self, name: str) -> bool:
        return bool(self.run("postgres", f"SELECT 1 FROM pg_database WHERE datname = '{name}'"))

    def tables(self, name: str) -> list[str]:
        found = self.run(
            name,
            "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace"
            " UNION ALL SELECT proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace",
        )
        return sorted(name for (name,) in found)

    def siblings(self, name: str) -> list[str]:
        if not self.exists(name):
            return []
        return [schema for (schema,) in self.run(name, "SELECT nspname FROM pg_namespace WHERE nspname ~ '^spindle'")]

    def occupy_sibling(self, name: str) -> None:
        self.run(name, "CREATE SCHEMA spindle_replacement CREATE TABLE theirs (number integer)")

    def vacate_sibling(self, name: str) -> None:
        self.run(name, "DROP SCHEMA spindle_replacement CASCADE")

    def run(self, name: str, statement: str) -> list[tuple[Any, ...]]:
        with self.connection(name) as connection:
            cursor = connection.execute(statement.encode())
            return cursor.fetchall() if cursor.description else []

    @contextmanager
    def transaction(self, name: str) -> Iterator[Run]:
        def run(statement: str) -> list[tuple[Any, ...]]:
            cursor = connection.execute(statement.encode())
            return cursor.fetchall() if cursor.description else []

        with self.connection(name) as connection, connection.transaction(force_rollback=True):
            yield run

    def waiting(self, name: str) -> int:
        ((count,),) = self.run(
            "postgres",
            "SELECT count(*) FROM pg_stat_activity"
            f" WHERE datname = '{name}' AND cardinality(pg_blocking_pids(pid)) > 0",
        )
        return int(count)

    def end_sessions(self, name: str) -> None:
        # Those that wait for a lock first: one whose holder has gone would get its lock, and end its call well.
        self.run(
            "postgres",
            f"SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = '{name}'"
            " ORDER BY cardinality(pg_blocking_pids(pid)) DESC",
        )

    def kill(self) -> None:
        self._server.do(LabAction.KILL_PRIMARY)

    def start(self) -> None:
        self._server.start(notify=print)

    @contextmanager
    def connection(self, name: str) -> Iterator[psycopg.Connection[tuple[Any, ...]]]:
        """A connection in autocommit of a client that has nothing to do with Spindle."""
        host = self.target(name).hosts[0]
        connection = psycopg.connect(
            host=host.name,
            port=host.port,
            user=self.target(name).user,
            password=self.secret.reveal(),
            dbname=name,
            autocommit=True,
            connect_timeout=10,
        )
        with connection:
            yield connection

    def _administer(self, statement: str, *names: str) -> None:
        with self.connection("postgres") as connection:
            connection.execute(sql.SQL(statement).format(*map(sql.Identifier, names)))
