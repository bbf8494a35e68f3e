"""Real servers behind ODBC: the session's MariaDB, and the embedded PostgreSQL through psqlODBC."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass

import pytest

from engine.databases.database import Timeouts
from engine.databases.mariadb.dialect import dialect_of
from engine.databases.odbc.connecting import connect_any
from engine.databases.odbc.connection import OdbcConnection
from engine.databases.odbc.dialect import Dialect
from engine.lab.server import EmbeddedServer
from engine.secrets import Secret
from engine.target.target import MARIADB, Host, Target
from tests.doubles.mariadb_server import MariaDBServer
from tests.engine.databases.odbc.postgresql_dialect import PostgreSQLDialect, odbc_target


@dataclass(frozen=True)
class Server:
    """A server with what it takes to connect to it, and a statement that sleeps."""

    dialect: Dialect
    target: Target
    secret: Secret
    sleep: str

    @property
    def host(self) -> Host:
        return self.target.hosts[0]

    def open(self, timeouts: Timeouts | None = None) -> OdbcConnection:
        return connect_any(self.dialect, self.target, self.secret, timeouts or Timeouts())[0]


@pytest.fixture
def mariadb(mariadb_server: MariaDBServer) -> Server:
    return Server(dialect_of(MARIADB), mariadb_server.target("mysql"), mariadb_server.secret, "SELECT SLEEP({})")


@pytest.fixture
def postgresql(embedded_server: EmbeddedServer) -> Server:
    return Server(
        PostgreSQLDialect(), odbc_target(embedded_server), embedded_server.secret, "SELECT 0 FROM pg_sleep({})"
    )


@pytest.fixture(params=["mariadb", "postgresql"])
def server(request: pytest.FixtureRequest) -> Server:
    """Each of the two servers."""
    found: Server = request.getfixturevalue(request.param)
    return found


@pytest.fixture
def connection(server: Server) -> Iterator[OdbcConnection]:
    opened = server.open()
    yield opened
    opened.close()


@pytest.fixture
def frozen_mariadb(mariadb_server: MariaDBServer) -> Callable[[], AbstractContextManager[None]]:
    """What stops the MariaDB server within a ``with`` block: it accepts connections, and answers nothing."""

    @contextmanager
    def frozen() -> Iterator[None]:
        mariadb_server.freeze()
        try:
            yield
        finally:
            mariadb_server.thaw()

    return frozen
