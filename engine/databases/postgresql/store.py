"""The DVD Store in a PostgreSQL database: its state, and building, verifying, resetting and dropping it."""

import time
from contextlib import AbstractContextManager, suppress
from typing import Any, NamedTuple

import psycopg
from psycopg import sql

from engine.databases.checking import STORE_TABLES
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
from engine.databases.lease import NO_LEASE, HeldLease, LeaseTable
from engine.databases.postgresql import PostgreSQL
from engine.databases.postgresql.admin import Connection, cancelling, opened
from engine.databases.postgresql.audit import STORE_IDENTITY
from engine.databases.postgresql.build import (
    STORE_FORMAT,
    StoreBuild,
    ensure_database,
)
from engine.databases.postgresql.lease import open_lease
from engine.databases.postgresql.replacement import (
    NO_ROOM,
    free_bytes,
    make_schema,
    remove_schema,
    rights_obstacle,
)
from engine.databases.postgresql.scripts import script, statements
from engine.databases.postgresql.verify import PROCEDURES, checked
from engine.databases.progress_text import reset_step
from engine.databases.refusals import (
    complete_store_in_the_way,
    foreign_object_in_the_way,
    newer_format,
    no_layout,
    no_store,
    nothing_to_drop,
    partly_built,
)
from engine.databases.replacing import Replacement, explaining_full_disk, room_obstacle
from engine.errors import Cancelled, ErrorClass, TargetError, UserError
from engine.secrets import Secret
from engine.target.store_layout import StoreLayout
from engine.target.target import Host, Target
from engine.workloads.dvdstore.rows import StoreRows
from engine.workloads.dvdstore.sizing import DbSize

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


class _Built(NamedTuple):
    """The one row of ``spindle_store``; ``customers`` and ``orders`` are the built counts."""

    state: str
    size: str
    seed: int
    customers: int
    orders: int
    made_database: bool

    @property
    def is_complete(self) -> bool:
        return self.state == "complete"


class PostgreSQLStore:
    """Implements ``engine.databases.database.Store``."""

    def __init__(self, target: Target, secret: Secret | None, timeouts: Timeouts) -> None:
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
            built = _built(connection)
            if built is None:
                return None
            complete = built.is_complete
            as_built_at, highest_order = _one(connection, STORE_IDENTITY) if complete else ("", 0)
            return StoreState(
                size=DbSize.parse(built.size),
                seed=built.seed,
                complete=complete,
                orders_beyond=_beyond(connection, "orders", "orderid", built.orders) if complete else 0,
                customers_beyond=_beyond(connection, "customers", "customerid", built.customers) if complete else 0,
                # A purchase writes a line of history for each order line; lines have an index on their order.
                history_beyond=_beyond(connection, "orderlines", "orderid", built.orders) if complete else 0,
                as_built_at=as_built_at,
                highest_order=highest_order,
            )

    def replacement(self, size: DbSize, layout: StoreLayout | None = None) -> Replacement | None:
        with self._opened() as connection:
            built = _built(connection)
            if built is None or not built.is_complete:
                return None
            old = DbSize.parse(built.size)
            return Replacement(
                size=old,
                host=str(Host(connection.info.host, connection.info.port)),
                obstacle=rights_obstacle(connection, self._target)
                or room_obstacle(self._target, old, size, free_bytes(connection)),
            )

    def build(
        self,
        size: DbSize,
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
            StoreRows(size, seed),
            made_database=built.made_database if built is not None else made_database,
            report_progress=report_progress,
            cancelled=cancelled,
            replaces=built is not None and built.is_complete and not delete_first,
        )
        return self._replace(build) if build.replaces else self._build_in_place(build, built, lease)

    def _built_before(self, *, replace: bool) -> _Built | None:
        """The store that may make way for a new one; raises ``UserError`` for anything that may not."""
        with self._opened() as connection:
            built = _built(connection)
            if built is None:
                _refuse_strangers(connection, self._target)
            elif built.is_complete and not replace:
                raise complete_store_in_the_way(self._target, built.size)
        return built

    def _build_in_place(self, build: StoreBuild, built: _Built | None, lease: HeldLease) -> BuildReport:
        with self._opened() as connection:
            remove_schema(connection, self._target)
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
            make_schema(connection, self._target)
        try:
            with explaining_full_disk(self._target, NO_ROOM):
                return build.run()
        except BaseException:
            with (
                suppress(TargetError, UserError),
                self._opened() as connection,
            ):  # what went wrong before is what counts
                remove_schema(connection, self._target)
            raise

    def verify(self, *, report_progress: ReportProgress, cancelled: IsCancelled) -> list[Check]:
        with self._opened() as connection:
            self._require_complete(connection)
            return checked(connection, report_progress, cancelled)

    def reset(self, *, report_progress: ReportProgress, cancelled: IsCancelled) -> None:
        with self._opened() as connection:
            built = self._require_complete(connection)
            work = statements("reset")
            with connection.transaction():
                for number, statement in enumerate(work):
                    if cancelled():
                        raise Cancelled
                    report_progress(Progress(doing=reset_step(statement), share=0.8 * number / len(work)))
                    with cancelling(connection, cancelled):
                        self._run(connection, statement, customers=built.customers, orders=built.orders)
            report_progress(Progress(doing="gathering statistics", share=0.8))
            for statement in statements("statistics"):
                with cancelling(connection, cancelled):
                    connection.execute(statement.encode())
            report_progress(Progress(doing="reset", share=1.0))

    def drop(self, *, lease: HeldLease = NO_LEASE) -> str:
        with self._opened() as connection:
            built = _built(connection)
        if built is None:
            raise nothing_to_drop(self._target)
        return self._remove(made_database=built.made_database, lease=lease)

    def load_account(self) -> tuple[str, Secret] | None:
        return None

    def open_lease(self) -> LeaseTable:
        return open_lease(self._target, self._secret, self._timeouts)

    def _remove(self, *, made_database: bool, lease: HeldLease) -> str:
        """Drop the store, and a database that a build created if nothing else is in it; returns what was removed."""
        with self._opened() as connection:
            remove_schema(connection, self._target)
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
        connection.execute(script("drop").encode())

    def _opened(self) -> AbstractContextManager[Connection]:
        return opened(self._target, self._secret, self._timeouts)

    def _require_complete(self, connection: Connection) -> _Built:
        built = _built(connection)
        if built is None:
            raise no_store(self._target)
        if not built.is_complete:
            raise partly_built(self._target)
        return built

    @staticmethod
    def _run(connection: Connection, statement: str, **values: int) -> None:
        used = {name: value for name, value in values.items() if f"%({name})s" in statement}
        connection.execute(statement.encode(), used or None)


def _one(connection: Connection, query: str) -> tuple[Any, ...]:
    row = connection.execute(query.encode()).fetchone()
    if row is None:
        raise TargetError(ErrorClass.OTHER, f"the server gave no row for: {query}")
    return row


def _built(connection: Connection) -> _Built | None:
    """The store's record in the database; ``None`` if there is none."""
    try:
        row: Any = connection.execute(
            "SELECT state, db_size, seed, customers, orders, made_database, format FROM public.spindle_store"
        ).fetchone()
    except psycopg.errors.UndefinedTable:
        return None
    if row is None:
        return None
    *noted, store_format = row
    if store_format > STORE_FORMAT:
        raise newer_format(store_format)
    return _Built(*noted)


def _beyond(connection: Connection, table: str, column: str, built: int) -> int:
    (count,) = _one(connection, f"SELECT count(*) FROM {table} WHERE {column} > {built}")  # noqa: S608 - our own names
    return int(count)


def _refuse_strangers(connection: Connection, target: Target) -> None:
    """Never build over tables and procedures that Spindle did not make."""
    row = connection.execute(
        "SELECT 'table', relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relname = ANY (%s)"
        " UNION ALL SELECT 'procedure', proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace"
        " AND proname = ANY (%s) LIMIT 1",
        (list(STORE_TABLES), list(PROCEDURES)),
    ).fetchone()
    if row is not None:
        raise foreign_object_in_the_way(target, *map(str, row))
