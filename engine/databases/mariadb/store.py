"""A workload's store in a MariaDB or MySQL database: its state, and building, verifying, resetting and dropping it."""

import dataclasses
import time
from contextlib import AbstractContextManager, suppress

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
from engine.databases.mariadb import MariaDB
from engine.databases.mariadb.build import StoreBuild, ensure_database, number_on, opened
from engine.databases.mariadb.lease import open_lease
from engine.databases.mariadb.load_account import drop_account, make_account
from engine.databases.mariadb.replacement import NO_ROOM, Exchange, free_bytes
from engine.databases.mariadb.sql_text import literal, quoted, statements
from engine.databases.mariadb.store_record import record_in, store_identity
from engine.databases.mariadb.verify import checked, reader_of
from engine.databases.odbc.admin import cancelling
from engine.databases.odbc.connection import OdbcConnection
from engine.databases.progress_text import reset_step
from engine.databases.refusals import (
    complete_store_in_the_way,
    foreign_object_in_the_way,
    no_layout,
    nothing_to_drop,
)
from engine.databases.replacing import Replacement, explaining_full_disk, room_obstacle
from engine.databases.store_record import STORE_TABLE, StoreRecord, require_complete, state_of
from engine.errors import Cancelled, TargetError, UserError
from engine.secrets import Secret
from engine.target.store_layout import StoreLayout
from engine.target.target import Target

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


class MariaDBStore:
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

    def state(self) -> StoreState | None:
        with self._opened() as connection:
            built = self._record(connection)
            if built is None:
                return None
            identity = store_identity(self._definition)
            return state_of(built, self._definition, reader_of(connection), lambda: connection.query(identity)[0])

    def replacement(self, scale: str, layout: StoreLayout | None = None) -> Replacement | None:
        with self._opened() as connection:
            built = self._record(connection)
            if built is None or not built.is_complete:
                return None
            return Replacement(
                scale=built.scale,
                host=str(connection.host),
                obstacle=self._exchange.rights_obstacle(connection)
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
            raise no_layout("MariaDB and MySQL place their files themselves")
        report_progress(Progress(doing="checking the database", share=0.0))
        made_database = ensure_database(self._target, self._secret, self._timeouts)
        self._built_before(replace=replace)
        lease.take()
        with self._opened() as connection:
            self._exchange.complete_killed(connection)
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
        )
        if built is None or not built.is_complete or delete_first:
            return self._build_in_place(build, built, lease)
        return self._replace(build, built)

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
            self._exchange.remove(connection)
            if built is not None:
                self._drop_tables(connection)
        try:
            return build.run()
        except Cancelled:
            self._remove(made_database=build.made_database, lease=lease)
            raise

    def _replace(self, build: StoreBuild, built: StoreRecord) -> BuildReport:
        """Build next to the existing store; however that ends, either the old or the new store is complete."""

        def take_place() -> None:
            with self._opened() as connection:
                self._exchange.run(connection, build.cancelled)

        with self._opened() as connection:
            self._exchange.begin(connection)
        try:
            with explaining_full_disk(self._target, NO_ROOM):
                return dataclasses.replace(
                    build, target=self._exchange.new, salt=built.salt, take_place=take_place
                ).run()
        except BaseException:
            with (
                suppress(TargetError, UserError),
                self._opened() as connection,
            ):  # what went wrong before is what counts
                left = self._record(connection)
                if left is not None and left.is_complete:  # else the next build completes what was exchanged
                    self._exchange.remove(connection)
            raise

    def verify(self, *, report_progress: ReportProgress, cancelled: IsCancelled) -> list[Check]:
        with self._opened() as connection:
            built = require_complete(self._record(connection), self._target)
            return checked(connection, self._definition, built.counts, report_progress, cancelled)

    def reset(self, *, report_progress: ReportProgress, cancelled: IsCancelled) -> None:
        with self._opened() as connection:
            built = require_complete(self._record(connection), self._target)
            self._wait_for_locks(connection)
            self._clean_up(connection, built, report_progress, cancelled)
            number_on(connection, self._definition)
            report_progress(Progress(doing="gathering statistics", share=0.8))
            for statement in statements(self._definition.script("statistics")):
                with cancelling(connection, cancelled):
                    connection.query(statement)
            report_progress(Progress(doing="reset", share=1.0))

    def load_account(self) -> tuple[str, Secret] | None:
        with self._opened() as connection:
            built = require_complete(self._record(connection), self._target)
            return make_account(
                connection, self._target.database, self._definition.procedures, self._secret, built.salt
            )

    def drop(self, *, lease: HeldLease = NO_LEASE) -> str:
        with self._opened() as connection:
            built = self._record(connection)
            if built is None:
                raise nothing_to_drop(self._target)
        return self._remove(made_database=built.made_database, lease=lease)

    def open_lease(self) -> LeaseTable:
        return open_lease(self._target, self._secret, self._timeouts, self._definition)

    @property
    def _exchange(self) -> Exchange:
        return Exchange(self._target, self._timeouts, self._definition)

    def _clean_up(
        self, connection: OdbcConnection, built: StoreRecord, report_progress: ReportProgress, cancelled: IsCancelled
    ) -> None:
        """Take away what is beyond the build, in one transaction; one that is cancelled or fails is rolled back."""
        work = statements(self._definition.script("reset"), **built.counts)
        connection.query("START TRANSACTION")
        for number, statement in enumerate(work):
            if cancelled():
                raise Cancelled
            report_progress(
                Progress(doing=reset_step(statement, self._definition.tables), share=0.8 * number / len(work))
            )
            with cancelling(connection, cancelled):
                connection.query(statement)
        # Whoever audits an earlier run has to see that what it added is gone.
        connection.query("UPDATE spindle_store SET built_at = utc_timestamp(6)")
        connection.query("COMMIT")

    def _remove(self, *, made_database: bool, lease: HeldLease) -> str:
        """Drop the store, and a database that a build created if nothing else is in it; returns what was removed."""
        database = self._target.database
        with self._opened() as connection:
            self._exchange.remove(connection)
            self._drop_tables(connection)
            drop_account(connection, database)
            lease.rest()
            connection.query("DROP TABLE IF EXISTS spindle_lease")
            if not made_database or _strangers(connection):
                return f"the store in database '{database}' (the database itself stays)"
        with opened(
            self._target.with_database(MariaDB.maintenance_database), self._secret, self._timeouts
        ) as connection:
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


def _strangers(connection: OdbcConnection) -> int:
    """How many tables, views, procedures, functions and events anybody has in the database."""
    ((count,),) = connection.query(
        "SELECT (SELECT count(*) FROM information_schema.tables WHERE table_schema = database())"
        " + (SELECT count(*) FROM information_schema.routines WHERE routine_schema = database())"
        " + (SELECT count(*) FROM information_schema.events WHERE event_schema = database())"
    )
    return int(count)


def _refuse_strangers(connection: OdbcConnection, target: Target, definition: StoreDefinition) -> None:
    """Never build over tables and procedures that Spindle did not make."""
    routines = (*definition.procedures, *definition.helpers)
    tables, procedures = (", ".join(map(literal, names)) for names in (definition.tables, routines))
    rows = connection.query(
        "SELECT 'table', table_name FROM information_schema.tables"  # noqa: S608 - our own names
        f" WHERE table_schema = database() AND table_name IN ({tables})"
        " UNION ALL SELECT 'procedure', routine_name FROM information_schema.routines"
        f" WHERE routine_schema = database() AND routine_name IN ({procedures}) LIMIT 1"
    )
    if rows:
        raise foreign_object_in_the_way(target, *rows[0])
