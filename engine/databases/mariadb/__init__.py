"""MariaDB and MySQL as databases under test: users by the native protocol, everything else through an ODBC driver."""

from collections.abc import Collection
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from engine.databases.activity import ActivityReader
from engine.databases.database import NATIVE_PROTOCOL, Prober, Session, Store, Timeouts
from engine.databases.definition import StoreDefinition
from engine.databases.exchange.calls import CallTable
from engine.databases.mariadb.native import is_native
from engine.databases.progress import IsCancelled
from engine.secrets import Secret
from engine.target.target import Host, Target

if TYPE_CHECKING:
    from engine.databases.snapshot import Snapshot


class MariaDB:
    """MariaDB 10.5 or newer and MySQL 5.7 or newer; implements ``engine.databases.database.Database``.

    Which of the two a target is, its kind says; they differ in a few settings and in their errors' numbers alone.
    """

    answers_come_in_parts = True

    def sessions_are_polled(self, target: Target) -> bool:
        return is_native(target)

    def driver(self, target: Target) -> str:
        if is_native(target):
            return NATIVE_PROTOCOL
        from engine.databases.odbc.drivers import driver_for

        return f"ODBC driver {driver_for(target.kind, target.driver)}"

    def connect(
        self, target: Target, secret: Secret | None, timeouts: Timeouts, calls: CallTable, *, first_host: int = 0
    ) -> Session:
        if is_native(target):
            from engine.databases.mariadb.native.session import open_session as open_native_session

            return open_native_session(target, secret, timeouts, calls, first_host=first_host)
        from engine.databases.mariadb.odbc_session import open_session

        return open_session(target, secret, timeouts, calls, first_host=first_host)

    def store(self, target: Target, secret: Secret | None, timeouts: Timeouts, definition: StoreDefinition) -> Store:
        from engine.databases.mariadb.store import MariaDBStore

        return MariaDBStore(target, secret, timeouts, definition)

    def prober(self, target: Target, host: Host, secret: Secret | None) -> Prober:
        from engine.databases.mariadb.probing import prober_of

        return prober_of(target, host, secret)

    def probed(self, target: Target) -> Target:
        return target  # the probe commits to a table of the store

    def elsewhere(self, target: Target) -> Target:
        return target.with_maintenance_database()

    def activity(self, target: Target, secret: Secret | None, databases: Collection[str]) -> ActivityReader:
        from engine.databases.mariadb.activity import MariaDBActivity

        return MariaDBActivity(target, secret)

    def snapshot(
        self,
        target: Target,
        secret: Secret | None,
        timeouts: Timeouts,
        definition: StoreDefinition,
        cancelled: IsCancelled,
    ) -> "AbstractContextManager[Snapshot]":
        from engine.databases.mariadb.snapshot import snapshot_of

        return snapshot_of(target, secret, timeouts, definition, cancelled)

    def execute(
        self, target: Target, host: Host, secret: Secret | None, statement: str, *, timeout_seconds: float
    ) -> str:
        from engine.databases.mariadb.dialect import dialect_of
        from engine.databases.odbc.statement import execute

        elsewhere = target.with_maintenance_database()
        return execute(dialect_of(target.kind), elsewhere, host, secret, statement, timeout_seconds)
