"""A small store on the session's embedded server, for every test that drives or inspects one."""

from collections.abc import Callable
from dataclasses import dataclass

import psycopg
import pytest

from engine.databases.database import Store, Timeouts
from engine.lab.server import EmbeddedServer
from engine.secrets import Secret
from engine.target.target import Target
from engine.workloads.dvdstore.sizing import DbSize
from tests.engine.workloads.dvdstore.sessions import store_at

SIZE = DbSize(1, "MB")


@dataclass(frozen=True)
class BuiltStore:
    """A 1MB store: where it is, and its row counts asked from the server itself."""

    target: Target
    secret: Secret

    @property
    def store(self) -> Store:
        return store_at(self.target, self.secret, Timeouts())

    def connect(self) -> psycopg.Connection:
        """A connection to the one of the target's hosts that takes writes."""
        return psycopg.connect(
            host=",".join(host.name for host in self.target.hosts),
            port=",".join(str(host.port) for host in self.target.hosts),
            user=self.target.user,
            dbname=self.target.database,
            password=self.secret.reveal(),
            target_session_attrs="read-write",
            autocommit=True,
        )

    def count(self, table: str) -> int:
        with self.connect() as connection:
            row = connection.execute(f"SELECT count(*) FROM {table}").fetchone()
            assert row is not None
            return int(row[0])

    def wrong_checks(self) -> list[str]:
        """What ``verify`` finds amiss: the sums of stock, sales and lines among it."""
        checks = self.store.verify(report_progress=lambda _: None, cancelled=lambda: False)
        assert checks
        return [f"{check.what}: {check.expected} != {check.found}" for check in checks if not check.ok]


@pytest.fixture(scope="session")
def build_store(embedded_server: EmbeddedServer) -> Callable[[str], BuiltStore]:
    """Builds a store of its own in the database of a name."""

    def build(database: str) -> BuiltStore:
        built = BuiltStore(embedded_server.target(database), embedded_server.secret)
        built.store.build(str(SIZE), 1, replace=True, report_progress=lambda _: None, cancelled=lambda: False)
        return built

    return build


@pytest.fixture(scope="session")
def built_store(build_store: Callable[[str], BuiltStore]) -> BuiltStore:
    """The store that the tests of the session share; they look at what they add to it."""
    return build_store("driven")
