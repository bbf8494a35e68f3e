"""SQL Server as a database under test, through pyodbc with Microsoft's ODBC driver or FreeTDS."""

from collections.abc import Collection
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from engine.databases.activity import ActivityReader
from engine.databases.database import Prober, Session, Store, Timeouts
from engine.databases.definition import StoreDefinition
from engine.databases.exchange.calls import CallTable
from engine.databases.progress import IsCancelled
from engine.secrets import Secret
from engine.target.target import Host, Target

if TYPE_CHECKING:
    from engine.databases.mssql.definition import SqlServerDefinition
    from engine.databases.snapshot import Snapshot


class SqlServer:
    """SQL Server 2016 or newer; implements ``engine.databases.database.Database``."""

    answers_come_in_parts = False

    def sessions_are_polled(self, target: Target) -> bool:
        return False

    def driver(self, target: Target) -> str:
        from engine.databases.odbc.drivers import driver_for

        return f"ODBC driver {driver_for(target.kind, target.driver)}"

    def connect(
        self, target: Target, secret: Secret | None, timeouts: Timeouts, calls: CallTable, *, first_host: int = 0
    ) -> Session:
        from engine.databases.mssql.session import open_session

        return open_session(target, secret, timeouts, calls, first_host=first_host)

    def store(self, target: Target, secret: Secret | None, timeouts: Timeouts, definition: StoreDefinition) -> Store:
        from engine.databases.mssql.store import SqlServerStore

        return SqlServerStore(target, secret, timeouts, _own(definition))

    def prober(self, target: Target, host: Host, secret: Secret | None) -> Prober:
        from engine.databases.mssql.probing import prober

        return prober(target, host, secret)

    def probed(self, target: Target) -> Target:
        return target  # an availability group has some of a server's databases

    def elsewhere(self, target: Target) -> Target:
        return target.with_maintenance_database()

    def activity(self, target: Target, secret: Secret | None, databases: Collection[str]) -> ActivityReader:
        from engine.databases.mssql.activity import activity_of

        return activity_of(target, secret)

    def snapshot(
        self,
        target: Target,
        secret: Secret | None,
        timeouts: Timeouts,
        definition: StoreDefinition,
        cancelled: IsCancelled,
    ) -> "AbstractContextManager[Snapshot]":
        from engine.databases.mssql.snapshot import snapshot_of

        return snapshot_of(target, secret, timeouts, _own(definition), cancelled)

    def execute(
        self, target: Target, host: Host, secret: Secret | None, statement: str, *, timeout_seconds: float
    ) -> str:
        from engine.databases.mssql.dialect import SqlServerDialect
        from engine.databases.odbc.statement import execute

        elsewhere = target.with_maintenance_database()
        return execute(SqlServerDialect(), elsewhere, host, secret, statement, timeout_seconds)


def _own(definition: StoreDefinition) -> "SqlServerDefinition":
    from engine.databases.mssql.definition import SqlServerDefinition

    assert isinstance(definition, SqlServerDefinition), (
        "the definition of a store in SQL Server has its files and searches"
    )
    return definition
