"""A workload's store in a PostgreSQL database: its state, and building, verifying, resetting and dropping it."""

import time
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any

import psycopg
from psycopg import sql

from engine.databases.base_store import BaseStore
from engine.databases.database import BuildReport, ServerInfo
from engine.databases.definition import StoreDefinition
from engine.databases.lease import NO_LEASE, HeldLease, LeaseTable
from engine.databases.postgresql.admin import Connection, cancelling, one, opened
from engine.databases.postgresql.build import StoreBuild, ensure_database
from engine.databases.postgresql.lease import open_lease
from engine.databases.postgresql.replacement import (
    NO_ROOM,
    drop_objects,
    free_bytes,
    make_schema,
    remove_schema,
    rights_obstacle,
)
from engine.databases.postgresql.scripts import statements
from engine.databases.postgresql.store_record import record_in, store_identity
from engine.databases.postgresql.verify import OBJECTS
from engine.databases.progress import IsCancelled, Progress, ReportProgress
from engine.databases.refusals import no_layout
from engine.databases.snapshot import Reader
from engine.databases.store_record import StoreRecord
from engine.errors import Cancelled
from engine.secrets import Secret
from engine.target.store_layout import StoreLayout
from engine.target.target import Host

_SETTINGS = (
    "shared_buffers", "effective_cache_size", "work_mem", "maintenance_work_mem", "max_connections", "fsync",
    "full_page_writes", "synchronous_commit", "synchronous_standby_names", "wal_level", "wal_buffers", "max_wal_size",
    "checkpoint_timeout", "autovacuum", "jit", "max_parallel_workers", "data_checksums", "huge_pages",
    "random_page_cost", "default_transaction_isolation", "server_encoding", "io_method",
)  # fmt: skip
# What anybody has made in the database, but for the tables' own types, indexes and the like.
_FOREIGN_OBJECTS = """
    WITH theirs AS (SELECT oid FROM pg_namespace WHERE nspname !~ '^pg_' AND nspname <> 'information_schema')
    SELECT (SELECT count(*) FROM pg_class WHERE relnamespace IN (SELECT oid FROM theirs))
        + (SELECT count(*) FROM pg_proc WHERE pronamespace IN (SELECT oid FROM theirs))
        + (SELECT count(*) - 1 FROM theirs)
"""


class PostgreSQLStore(BaseStore[Connection, StoreDefinition]):
    """Implements ``engine.databases.database.Store``."""

    _object_queries = OBJECTS
    _full_disk_codes = NO_ROOM

    def server(self) -> ServerInfo:
        began = time.monotonic()
        with self._opened() as connection:
            connect_ms = (time.monotonic() - began) * 1000
            version = connection.info.parameter_status("server_version") or ""
            rows = connection.execute(
                "SELECT name, current_setting(name) FROM pg_settings WHERE name = ANY (%s)", (list(_SETTINGS),)
            ).fetchall()
            (read_only,) = one(connection, "SHOW transaction_read_only")
            return ServerInfo(
                product="PostgreSQL",
                version=version,
                host=self._host(connection),
                writable=read_only == "off",
                settings={str(name): str(value) for name, value in sorted(map(tuple, rows))},
                connect_ms=round(connect_ms, 1),
            )

    def build(
        self,
        scale: str,
        seed: int,
        *,
        replace: bool,
        report_progress: ReportProgress,
        cancelled: IsCancelled,
        layout: StoreLayout | None = None,
        delete_first: bool = False,
        lease: HeldLease = NO_LEASE,
    ) -> BuildReport:
        if layout is not None:
            raise no_layout("PostgreSQL places its files itself")
        report_progress(Progress(doing="checking the database", share=0.0))
        made_database = ensure_database(self._target, self._secret, self._timeouts)
        self._replaceable(replace=replace)
        lease.take()
        built = self._replaceable(replace=replace)
        build = StoreBuild(
            target=self._target,
            secret=self._secret,
            timeouts=self._timeouts,
            definition=self._definition,
            scale=scale,
            seed=seed,
            made_database=built.made_database if built is not None else made_database,
            report_progress=report_progress,
            cancelled=cancelled,
            replaces=built is not None and built.is_complete and not delete_first,
        )
        if not build.replaces:
            return self._build_in_place(build, built, lease)

        def remove() -> None:
            with self._opened() as connection:
                self._remove_schema(connection)

        return self._build_beside(self._make_schema, build.run, remove)

    def _build_in_place(self, build: StoreBuild, built: StoreRecord | None, lease: HeldLease) -> BuildReport:
        with self._opened() as connection:
            self._remove_schema(connection)
            if built is not None:
                self._drop_tables(connection)
        try:
            return build.run()
        except Cancelled:
            self._remove(made_database=build.made_database, lease=lease)
            raise

    def _reset(self, *, report_progress: ReportProgress, cancelled: IsCancelled) -> None:
        with self._opened() as connection:
            built = self._complete_record(connection)

            def execute(statement: str) -> None:
                connection.execute(statement.encode())

            work = statements(self._definition.script("reset").format(**built.counts))
            with connection.transaction():
                self._run_reset(connection, execute, work, report_progress, cancelled)
                # Whoever audits an earlier run has to see that what it added is gone.
                connection.execute("UPDATE spindle_store SET built_at = now()")
            statistics = statements(self._definition.script("statistics"))
            self._end_reset(connection, execute, statistics, report_progress, cancelled)

    def load_account(self) -> tuple[str, Secret] | None:
        return None

    def open_lease(self) -> LeaseTable:
        return open_lease(self._target, self._secret, self._timeouts, self._definition)

    def _remove(self, *, made_database: bool, lease: HeldLease) -> str:
        with self._opened() as connection:
            self._remove_schema(connection)
            self._drop_tables(connection)
            lease.rest()
            connection.execute("DROP TABLE IF EXISTS spindle_lease")
            (others,) = one(connection, _FOREIGN_OBJECTS)
        if not made_database or others:
            return f"the store in database '{self._target.database}' (the database itself stays)"
        with opened(self._target.with_maintenance_database(), self._secret, self._timeouts) as connection:
            try:
                connection.execute(sql.SQL("DROP DATABASE {}").format(sql.Identifier(self._target.database)))
            except psycopg.errors.ObjectInUse:
                return f"the store in database '{self._target.database}' (others are connected: the database stays)"
        return f"database '{self._target.database}' with its store"

    def _drop_tables(self, connection: Connection) -> None:
        """Drop all tables in one transaction. Waits for other users' locks, but not without limit."""
        connection.execute(f"SET lock_timeout = {round(self._timeouts.statement_seconds * 1000)}".encode())
        drop_objects(connection, self._definition)

    def _make_schema(self, connection: Connection) -> None:
        make_schema(connection, self._target, self._definition)

    def _remove_schema(self, connection: Connection) -> None:
        remove_schema(connection, self._target, self._definition)

    def _opened(self) -> AbstractContextManager[Connection]:
        return opened(self._target, self._secret, self._timeouts)

    def _cancelling(self, connection: Connection, cancelled: IsCancelled) -> AbstractContextManager[None]:
        return cancelling(connection, cancelled)

    def _record(self, connection: Connection) -> StoreRecord | None:
        return record_in(connection, self._target, self._definition)

    def _reader(self, connection: Connection) -> Reader:
        return Reader(lambda query: one(connection, query)[0])

    def _identity(self, connection: Connection) -> Sequence[Any]:
        return one(connection, store_identity(self._definition))

    def _host(self, connection: Connection) -> str:
        return str(Host(connection.info.host, connection.info.port))

    def _rights_obstacle(self, connection: Connection) -> str:
        return rights_obstacle(connection, self._target)

    def _free_bytes(self, connection: Connection) -> int | None:
        return free_bytes(connection)

    def _foreign_object(self, connection: Connection) -> Sequence[str] | None:
        definition = self._definition
        row = connection.execute(
            "SELECT 'table', relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relname = ANY (%s)"
            " UNION ALL SELECT 'procedure', proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace"
            " AND proname = ANY (%s) LIMIT 1",
            (list(definition.tables), [*definition.procedures, *definition.helpers, *definition.triggers]),
        ).fetchone()
        return None if row is None else tuple(map(str, row))
