"""A workload's store in a MariaDB or MySQL database: its state, and building, verifying, resetting and dropping it."""

import dataclasses
import time
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any

from engine.databases.base_store import BaseStore
from engine.databases.database import BuildReport, ServerInfo
from engine.databases.definition import StoreDefinition
from engine.databases.lease import NO_LEASE, HeldLease, LeaseTable
from engine.databases.mariadb.build import StoreBuild, continue_identities, ensure_database, opened
from engine.databases.mariadb.lease import open_lease
from engine.databases.mariadb.load_account import drop_account, make_account
from engine.databases.mariadb.replacement import NO_ROOM, Exchange, free_bytes
from engine.databases.mariadb.sql_text import literal, quoted, statements, translated
from engine.databases.mariadb.store_record import record_in, store_identity
from engine.databases.mariadb.verify import OBJECTS
from engine.databases.odbc.admin import cancelling
from engine.databases.odbc.connection import OdbcConnection
from engine.databases.progress import IsCancelled, Progress, ReportProgress
from engine.databases.refusals import no_layout
from engine.databases.snapshot import Reader
from engine.databases.store_record import STORE_TABLE, StoreRecord
from engine.errors import Cancelled
from engine.secrets import Secret
from engine.target.store_layout import StoreLayout

# Of either server; each has only some of them.
_SETTINGS = (
    "innodb_buffer_pool_size", "innodb_buffer_pool_instances", "innodb_flush_log_at_trx_commit", "sync_binlog",
    "innodb_flush_method", "innodb_doublewrite", "innodb_log_file_size", "innodb_redo_log_capacity",
    "innodb_log_buffer_size", "innodb_io_capacity", "innodb_io_capacity_max", "innodb_page_size",
    "innodb_checksum_algorithm", "innodb_deadlock_detect", "innodb_lock_wait_timeout", "innodb_autoinc_lock_mode",
    "innodb_ft_min_token_size", "innodb_ft_enable_stopword", "innodb_ft_server_stopword_table",
    "log_bin", "binlog_format", "binlog_row_image", "gtid_mode", "tx_isolation", "transaction_isolation",
    "max_connections", "thread_handling", "thread_cache_size", "table_open_cache", "query_cache_type",
    "performance_schema", "character_set_server", "sql_mode", "max_statement_time", "max_execution_time",
    "read_only", "super_read_only", "rpl_semi_sync_master_enabled", "rpl_semi_sync_source_enabled", "wsrep_on",
    "wsrep_sync_wait", "group_replication_group_name", "group_replication_consistency", "have_ssl",
)  # fmt: skip


class MariaDBStore(BaseStore[OdbcConnection, StoreDefinition]):
    """Implements ``engine.databases.database.Store``."""

    _object_queries = OBJECTS
    _full_disk_codes = NO_ROOM

    def server(self) -> ServerInfo:
        began = time.monotonic()
        with self._opened() as connection:
            connect_ms = (time.monotonic() - began) * 1000
            ((version, edition, read_only),) = connection.query(
                "SELECT version(), @@version_comment, @@GLOBAL.read_only OR @@GLOBAL.innodb_read_only"
            )
            names = ", ".join(map(literal, _SETTINGS))
            rows = connection.query(f"SHOW GLOBAL VARIABLES WHERE variable_name IN ({names})")
            return ServerInfo(
                product="MariaDB" if "mariadb" in version.lower() else "MySQL",
                version=version,
                host=str(connection.host),
                writable=not read_only,
                settings={"edition": edition} | {str(name): str(value) for name, value in sorted(map(tuple, rows))},
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
            raise no_layout("MariaDB and MySQL place their files themselves")
        report_progress(Progress(doing="checking the database", share=0.0))
        made_database = ensure_database(self._target, self._secret, self._timeouts)
        self._replaceable(replace=replace)
        lease.take()
        with self._opened() as connection:
            self._exchange.complete_killed(connection)
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
        )
        if built is None or not built.is_complete or delete_first:
            return self._build_in_place(build, built, lease)
        return self._replace(build, built)

    def _build_in_place(self, build: StoreBuild, built: StoreRecord | None, lease: HeldLease) -> BuildReport:
        with self._opened() as connection:
            self._exchange.remove(connection)
            if built is not None:
                self._drop_tables(connection)
        try:
            return build.run()
        except Cancelled:
            self._remove(made_database=build.made_database, lease=lease)
            raise

    def _replace(self, build: StoreBuild, built: StoreRecord) -> BuildReport:
        exchange = self._exchange

        def take_place() -> None:
            with self._opened() as connection:
                exchange.run(connection, build.cancelled)

        def remove() -> None:
            with self._opened() as connection:
                left = self._record(connection)
                if left is not None and left.is_complete:  # else the next build completes what was exchanged
                    exchange.remove(connection)

        beside = dataclasses.replace(build, target=exchange.new, salt=built.salt, take_place=take_place)
        return self._build_beside(exchange.begin, beside.run, remove)

    def _reset(self, *, report_progress: ReportProgress, cancelled: IsCancelled) -> None:
        with self._opened() as connection:
            built = self._complete_record(connection)
            self._wait_for_locks(connection)
            connection.query("START TRANSACTION")  # a reset that is cancelled or fails is rolled back
            work = statements(self._definition.script("reset"), **built.counts)
            self._run_reset(connection, connection.query, work, report_progress, cancelled)
            # Whoever audits an earlier run has to see that what it added is gone.
            connection.query("UPDATE spindle_store SET built_at = utc_timestamp(6)")
            connection.query("COMMIT")
            continue_identities(connection, self._definition)
            statistics = statements(self._definition.script("statistics"))
            self._end_reset(connection, connection.query, statistics, report_progress, cancelled)

    def load_account(self) -> tuple[str, Secret] | None:
        with self._opened() as connection:
            built = self._complete_record(connection)
            return make_account(
                connection, self._target.database, self._definition.procedures, self._secret, built.salt
            )

    def open_lease(self) -> LeaseTable:
        return open_lease(self._target, self._secret, self._timeouts, self._definition)

    @property
    def _exchange(self) -> Exchange:
        return Exchange(self._target, self._timeouts, self._definition)

    def _remove(self, *, made_database: bool, lease: HeldLease) -> str:
        database = self._target.database
        with self._opened() as connection:
            self._exchange.remove(connection)
            self._drop_tables(connection)
            drop_account(connection, database)
            lease.rest()
            connection.query("DROP TABLE IF EXISTS spindle_lease")
            if not made_database or _foreign_objects(connection):
                return f"the store in database '{database}' (the database itself stays)"
        with opened(self._target.with_maintenance_database(), self._secret, self._timeouts) as connection:
            connection.query(f"DROP DATABASE {quoted(database)}")
        return f"database '{database}' with its store"

    def _drop_tables(self, connection: OdbcConnection) -> None:
        """The store counts as partly built from here on."""
        self._wait_for_locks(connection)
        if self._record(connection) is not None:
            connection.query("UPDATE spindle_store SET state = 'building'")
        for statement in statements(self._definition.script("drop")):
            connection.query(statement)
        for table in ("spindle_probe", STORE_TABLE):  # the record last, for it says what the rest is
            connection.query(f"DROP TABLE IF EXISTS {table}")

    def _wait_for_locks(self, connection: OdbcConnection) -> None:
        """Limit the wait for other users' locks: the server's own limit is a day."""
        connection.query(f"SET SESSION lock_wait_timeout = {max(1, round(self._timeouts.statement_seconds))}")

    def _record(self, connection: OdbcConnection) -> StoreRecord | None:
        return record_in(connection, self._target, self._definition)

    def _opened(self) -> AbstractContextManager[OdbcConnection]:
        return opened(self._target, self._secret, self._timeouts)

    def _cancelling(self, connection: OdbcConnection, cancelled: IsCancelled) -> AbstractContextManager[None]:
        return cancelling(connection, cancelled)

    def _reader(self, connection: OdbcConnection) -> Reader:
        return Reader(lambda query: connection.query(translated(query))[0][0])

    def _identity(self, connection: OdbcConnection) -> Sequence[Any]:
        rows: list[Any] = connection.query(store_identity(self._definition))
        return tuple(rows[0])

    def _host(self, connection: OdbcConnection) -> str:
        return str(connection.host)

    def _rights_obstacle(self, connection: OdbcConnection) -> str:
        return self._exchange.rights_obstacle(connection)

    def _free_bytes(self, connection: OdbcConnection) -> int | None:
        return free_bytes(connection)

    def _foreign_object(self, connection: OdbcConnection) -> Sequence[str] | None:
        definition = self._definition
        routines = (*definition.procedures, *definition.helpers)
        tables, procedures = (", ".join(map(literal, names)) for names in (definition.tables, routines))
        rows = connection.query(
            "SELECT 'table', table_name FROM information_schema.tables"  # noqa: S608 - our own names
            f" WHERE table_schema = database() AND table_name IN ({tables})"
            " UNION ALL SELECT 'procedure', routine_name FROM information_schema.routines"
            f" WHERE routine_schema = database() AND routine_name IN ({procedures}) LIMIT 1"
        )
        return tuple(rows[0]) if rows else None


def _foreign_objects(connection: OdbcConnection) -> int:
    """How many tables, views, procedures, functions and events anybody has in the database."""
    ((count,),) = connection.query(
        "SELECT (SELECT count(*) FROM information_schema.tables WHERE table_schema = database())"
        " + (SELECT count(*) FROM information_schema.routines WHERE routine_schema = database())"
        " + (SELECT count(*) FROM information_schema.events WHERE event_schema = database())"
    )
    return int(count)
