"""A workload's store in a PostgreSQL database: its state, and building, verifying, resetting and dropping it."""

import time
from contextlib import AbstractContextManager, suppress
from typing import Any

import psycopg
from psycopg import sql

from engine.databases.database import (
    BuildReport,
    Check,
    IsCancelled,
    Progress,
    ReportProgress,
    ServerInfo,
    StoreState,
    Timeouts,
)
from engine.databases.definition import StoreDefinition
from engine.databases.lease import NO_LEASE, HeldLease, LeaseTable
from engine.databases.postgresql import PostgreSQL
from engine.databases.postgresql.admin import Connection, cancelling, opened
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
from engine.databases.postgresql.verify import checked, reader_of
from engine.databases.progress_text import reset_step
from engine.databases.refusals import (
    complete_store_in_the_way,
    foreign_object_in_the_way,
    no_layout,
    nothing_to_drop,
)
from engine.databases.replacing import Replacement, explaining_full_disk, room_obstacle
from engine.databases.store_record import StoreRecord, require_complete, state_of
from engine.errors import Cancelled, ErrorClass, TargetError, UserError
from engine.secrets import Secret
from engine.target.store_layout import StoreLayout
from engine.target.target import Host, Target

_SETTINGS = (
    "shared_buffers", "effective_cache_size", "work_mem", "maintenance_work_mem", "max_connections", "fsync",
    "full_page_writes", "synchronous_commit", "synchronous_standby_names", "wal_level", "wal_buffers", "max_wal_size",
    "checkpoint_timeout", "autovacuum", "jit", "max_parallel_workers", "data_checksums", "huge_pages",
    "random_page_cost", "default_transaction_isolation", "server_encoding", "io_method",
)  # fmt: skip
# What anybody has made in the database, but for the tables' own types, indexes and the like.
_STRANGERS = """
    WITH theirs AS (SELECT oid FROM pg_namespace WHERE nspname !~ '^pg_' AND nspname <> 'information_schema')
    SELECT (SELECT count(*) FROM pg_class WHERE relnamespace IN (SELECT oid FROM theirs))
        + (SELECT count(*) FROM pg_proc WHERE pronamespace IN (SELECT oid FROM theirs))
        + (SELECT count(*) - 1 FROM theirs)
"""


class PostgreSQLStore:
    """Implements ``engine.databases.database.Store``."""

    def __init__(self, target: Target, secret: Secret | None, timeouts: Timeouts, definition: StoreDefinition) -> None:
        self._definition = definition
        self._target = target
        self._secret = secret
        self._timeouts = timeouts

    def server(self) -> ServerInfo:
        began = time.monotonic()
        with self._opened() as connection:
            connect_ms = (time.monotonic() - began) * 1000
            version = connection.info.parameter_status("server_version") or ""
            rows = connection.execute(
                "SELECT name, current_setting(name) FROM pg_settings WHERE name = ANY (%s)", (list(_SETTINGS),)
            ).fetchall()
            (read_only,) = _one(connection, "SHOW transaction_read_only")
            return ServerInfo(
                product="PostgreSQL",
                version=version,
                host=str(Host(connection.info.host, connection.info.port)),
                writable=read_only == "off",
                settings={str(name): str(value) for name, value in sorted(map(tuple, rows))},
                connect_ms=round(connect_ms, 1),
            )

    def state(self) -> StoreState | None:
        with self._opened() as connection:
            built = self._record(connection)
            if built is None:
                return None
            identity = store_identity(self._definition)
            return state_of(built, self._definition, reader_of(connection), lambda: _one(connection, identity))

    def replacement(self, scale: str, layout: StoreLayout | None = None) -> Replacement | None:
        with self._opened() as connection:
            built = self._record(connection)
            if built is None or not built.is_complete:
                return None
            return Replacement(
                scale=built.scale,
                host=str(Host(connection.info.host, connection.info.port)),
                obstacle=rights_obstacle(connection, self._target)
                or room_obstacle(self._target, self._definition.size_bytes, built.scale, scale, free_bytes(connection)),
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
        self._built_before(replace=replace)
        lease.take()
        built = self._built_before(replace=replace)
        build = StoreBuild(
            self._target,
            self._secret,
            self._timeouts,
            self._definition,
            scale,
            seed,
            made_database=built.made_database if built is not None else made_database,
            report_progress=report_progress,
            cancelled=cancelled,
            replaces=built is not None and built.is_complete and not delete_first,
        )
        return self._replace(build) if build.replaces else self._build_in_place(build, built, lease)

    def _built_before(self, *, replace: bool) -> StoreRecord | None:
        """The store that may make way for a new one; raises ``UserError`` for anything that may not."""
        with self._opened() as connection:
            built = self._record(connection)
            if built is None:
                _refuse_strangers(connection, self._target, self._definition)
            elif built.is_complete and not replace:
                raise complete_store_in_the_way(self._target, built.scale)
        return built

    def _build_in_place(self, build: StoreBuild, built: StoreRecord | None, lease: HeldLease) -> BuildReport:
        with self._opened() as connection:
            remove_schema(connection, self._target, self._definition)
            if built is not None:
                self._drop_tables(connection)
        try:
            return build.run()
        except Cancelled:
            self._remove(made_database=build.made_database, lease=lease)
            raise

    def _replace(self, build: StoreBuild) -> BuildReport:
        """Build next to the existing store; however that ends, either the old or the new store is complete."""
        with self._opened() as connection:
            make_schema(connection, self._target, self._definition)
        try:
            with explaining_full_disk(self._target, NO_ROOM):
                return build.run()
        except BaseException:
            with (
                suppress(TargetError, UserError),
                self._opened() as connection,
            ):  # what went wrong before is what counts
                remove_schema(connection, self._target, self._definition)
            raise

    def verify(self, *, report_progress: ReportProgress, cancelled: IsCancelled) -> list[Check]:
        with self._opened() as connection:
            built = require_complete(self._record(connection), self._target)
            return checked(connection, self._definition, built.counts, report_progress, cancelled)

    def reset(self, *, report_progress: ReportProgress, cancelled: IsCancelled) -> None:
        with self._opened() as connection:
            built = require_complete(self._record(connection), self._target)
            work = statements(self._definition.script("reset").format(**built.counts))
            with connection.transaction():
                for number, statement in enumerate(work):
                    if cancelled():
                        raise Cancelled
                    report_progress(
                        Progress(doing=reset_step(statement, self._definition.tables), share=0.8 * number / len(work))
                    )
                    with cancelling(connection, cancelled):
                        connection.execute(statement.encode())
                # Whoever audits an earlier run has to see that what it added is gone.
                connection.execute("UPDATE spindle_store SET built_at = now()")
            report_progress(Progress(doing="gathering statistics", share=0.8))
            for statement in statements(self._definition.script("statistics")):
                with cancelling(connection, cancelled):
                    connection.execute(statement.encode())
            report_progress(Progress(doing="reset", share=1.0))

    def drop(self, *, lease: HeldLease = NO_LEASE) -> str:
        with self._opened() as connection:
            built = self._record(connection)
        if built is None:
            raise nothing_to_drop(self._target)
        return self._remove(made_database=built.made_database, lease=lease)

    def load_account(self) -> tuple[str, Secret] | None:
        return None

    def open_lease(self) -> LeaseTable:
        return open_lease(self._target, self._secret, self._timeouts, self._definition)

    def _remove(self, *, made_database: bool, lease: HeldLease) -> str:
        """Drop the store, and a database that a build created if nothing else is in it; returns what was removed."""
        with self._opened() as connection:
            remove_schema(connection, self._target, self._definition)
            self._drop_tables(connection)
            lease.rest()
            connection.execute("DROP TABLE IF EXISTS spindle_lease")
            (others,) = _one(connection, _STRANGERS)
        if not made_database or others:
            return f"the store in database '{self._target.database}' (the database itself stays)"
        with opened(
            self._target.with_database(PostgreSQL.maintenance_database), self._secret, self._timeouts
        ) as connection:
            try:
                connection.execute(sql.SQL("DROP DATABASE {}").format(sql.Identifier(self._target.database)))
            except psycopg.errors.ObjectInUse:
                return f"the store in database '{self._target.database}' (others are connected: the database stays)"
        return f"database '{self._target.database}' with its store"

    def _drop_tables(self, connection: Connection) -> None:
        """Drop all tables in one transaction. Waits for other users' locks, but not without limit."""
        connection.execute(f"SET lock_timeout = {round(self._timeouts.statement_seconds * 1000)}".encode())
        drop_objects(connection, self._definition)

    def _opened(self) -> AbstractContextManager[Connection]:
        return opened(self._target, self._secret, self._timeouts)

    def _record(self, connection: Connection) -> StoreRecord | None:
        return record_in(connection, self._target, self._definition)


def _one(connection: Connection, query: str) -> tuple[Any, ...]:
    row = connection.execute(query.encode()).fetchone()
    if row is None:
        raise TargetError(ErrorClass.OTHER, f"the server gave no row for: {query}")
    return row


def _refuse_strangers(connection: Connection, target: Target, definition: StoreDefinition) -> None:
    """Never build over tables and procedures that Spindle did not make."""
    row = connection.execute(
        "SELECT 'table', relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relname = ANY (%s)"
        " UNION ALL SELECT 'procedure', proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace"
        " AND proname = ANY (%s) LIMIT 1",
        (list(definition.tables), [*definition.procedures, *definition.helpers, *definition.triggers]),
    ).fetchone()
    if row is not None:
        raise foreign_object_in_the_way(target, *map(str, row))
