"""PostgreSQL as a database under test, through psycopg 3."""

from collections.abc import Collection
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from engine.databases.activity import ActivityReader
from engine.databases.database import NATIVE_PROTOCOL, Prober, Store, Timeouts
from engine.databases.definition import StoreDefinition
from engine.databases.exchange import compiled
from engine.databases.exchange.calls import CallTable
from engine.databases.polled_session import PolledSession
from engine.databases.progress import IsCancelled
from engine.secrets import Secret
from engine.target.target import Host, Target

if TYPE_CHECKING:
    from engine.databases.snapshot import Snapshot


class PostgreSQL:
    """PostgreSQL 14 or newer; implements ``engine.databases.database.Database``."""

    answers_come_in_parts = False

    def sessions_are_polled(self, target: Target) -> bool:
        return True

    def driver(self, target: Target) -> str:
        return "libpq" if compiled is None else f"{NATIVE_PROTOCOL}, libpq where encrypted"

    def connect(
        self, target: Target, secret: Secret | None, timeouts: Timeouts, calls: CallTable, *, first_host: int = 0
    ) -> PolledSession:
        from engine.databases.postgresql.session import open_session

        return open_session(target, secret, timeouts, calls, first_host=first_host)

    def store(self, target: Target, secret: Secret | None, timeouts: Timeouts, definition: StoreDefinition) -> Store:
        from engine.databases.postgresql.store import PostgreSQLStore

        return PostgreSQLStore(target, secret, timeouts, definition)

    def prober(self, target: Target, host: Host, secret: Secret | None) -> Prober:
        from engine.databases.postgresql.prober import PostgreSQLProber

        return PostgreSQLProber(target, host, secret)

    def probed(self, target: Target) -> Target:
        return target.with_maintenance_database()

    def elsewhere(self, target: Target) -> Target:
        return target.with_maintenance_database()

    def activity(self, target: Target, secret: Secret | None, databases: Collection[str]) -> ActivityReader:
        from engine.databases.postgresql.activity import PostgreSQLActivity

        return PostgreSQLActivity(target, secret, databases)

    def snapshot(
        self,
        target: Target,
        secret: Secret | None,
        timeouts: Timeouts,
        definition: StoreDefinition,
        cancelled: IsCancelled,
    ) -> "AbstractContextManager[Snapshot]":
        from engine.databases.postgresql.snapshot import snapshot_of

        return snapshot_of(target, secret, timeouts, definition, cancelled)

    def execute(
        self, target: Target, host: Host, secret: Secret | None, statement: str, *, timeout_seconds: float
    ) -> str:
        from engine.databases.postgresql.statement import execute

        return execute(target, host, secret, statement, timeout_seconds)
