"""A workload's store in a SQL Server database: its state, and building, verifying, resetting and dropping it."""

import dataclasses
import time
from collections.abc import Mapping
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
from engine.databases.lease import NO_LEASE, HeldLease, LeaseTable
from engine.databases.mssql.accounts import LoadAccount
from engine.databases.mssql.backup import restore
from engine.databases.mssql.build import StoreBuild
from engine.databases.mssql.creation import drop_database, ensure_database
from engine.databases.mssql.definition import SqlServerDefinition
from engine.databases.mssql.dialect import SqlServerDialect
from engine.databases.mssql.environment import environment
from engine.databases.mssql.lease import open_lease
from engine.databases.mssql.replacement import (
    NEW,
    NO_ROOM,
    Exchange,
    drop_full_text,
    drop_procedures,
    drop_tables,
)
from engine.databases.mssql.replicas import group_of, is_copied
from engine.databases.mssql.resetting import take_away_added
from engine.databases.mssql.running import one, run, run_all, transaction
from engine.databases.mssql.scripts import DBO, batches
from engine.databases.mssql.store_record import (
    is_reset_begun,
    record_in,
    refuse_foreign_objects,
    require_complete,
    store_identity,
)
from engine.databases.mssql.substitutes import BuildNotes, searched
from engine.databases.mssql.verify import checked, reader_of
from engine.databases.odbc.admin import opened
from engine.databases.odbc.connection import OdbcConnection
from engine.databases.refusals import (
    complete_store_in_the_way,
    nothing_to_drop,
)
from engine.databases.replacing import LOCK_TIMEOUT_FACTOR, Replacement, explaining_full_disk, room_obstacle
from engine.databases.store_record import StoreRecord, state_of
from engine.errors import Cancelled, TargetError, UserError
from engine.secrets import Secret
from engine.target.store_layout import StoreLayout
from engine.target.target import Target

# What anybody has made in the database, but for the tables' own keys and the like.
_STRANGERS = """\
SELECT
    (SELECT COUNT(*) FROM sys.objects AS o WHERE o.is_ms_shipped = 0 AND o.parent_object_id = 0)
    + (SELECT COUNT(*) FROM sys.schemas AS s WHERE s.schema_id BETWEEN 5 AND 16383)
    + (SELECT COUNT(*) FROM sys.types AS t WHERE t.is_user_defined = 1 AND t.is_table_type = 0)
"""


class SqlServerStore:
    """Implements ``engine.databases.database.Store``."""

    def __init__(
        self, target: Target, secret: Secret | None, timeouts: Timeouts, definition: SqlServerDefinition
    ) -> None:
        self._definition = definition
        self._target = target
        self._secret = secret
        self._timeouts = timeouts

    def server(self) -> ServerInfo:
        began = time.monotonic()
        with self._opened() as connection:
            connect_ms = (time.monotonic() - began) * 1000
            found = environment(connection, self._target.database)
            built = self._record(connection)
            of_account = self._account(built.salt).warning(connection) if built is not None else ""
            of_searches, searches = (
                searched(connection, self._definition.text_search) if built is not None else ("", {})
            )
            return ServerInfo(
                product="SQL Server",
                version=found.version,
                host=str(connection.host),
                writable=found.writable,
                settings=dict(sorted((found.settings | searches).items())),
                connect_ms=round(connect_ms, 1),
                measures=found.measures,
                warnings=tuple(filter(None, (*found.warnings, of_account, of_searches))),
            )

    def state(self) -> StoreState | None:
        with self._opened() as connection:
            built = self._record(connection)
            if built is None:
                return None
            return state_of(
                built,
                self._definition,
                reader_of(connection, self._definition),
                lambda: one(connection, store_identity(self._definition)),
                is_reset_interrupted=is_reset_begun(built),
            )

    def replacement(self, scale: str, layout: StoreLayout | None = None) -> Replacement | None:
        with self._opened() as connection:
            built = self._record(connection)
            if built is None or not built.is_complete:
                return None
            exchange = Exchange(connection, self._target, self._definition)
            return Replacement(
                scale=built.scale,
                host=str(connection.host),
                obstacle=exchange.rights_obstacle()
                or room_obstacle(self._target, self._definition.size_bytes, built.scale, scale, exchange.free_bytes()),
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
        """Implements ``Store.build``.

        An existing database keeps its files, whatever the layout says; only if an earlier build made it, nobody else
        uses it, and its store is deleted first is it created again.
        """
        report_progress(Progress(doing="checking the database", share=0.0))
        notes = BuildNotes()
        wanted = layout or self._definition.layout(scale)
        is_new = ensure_database(self._target, self._secret, self._timeouts, wanted, notes)
        self._built_before(replace=replace)
        lease.take()
        built = self._built_before(replace=replace)
        replaces = built is not None and built.is_complete and not delete_first
        if built is not None and not replaces:
            self._remove(built, lease=lease)
            # Where the whole database went, it comes back with the files that are wanted now.
            is_new = ensure_database(self._target, self._secret, self._timeouts, wanted, notes)
            lease.take()
        if layout is not None and not is_new:
            report_progress(Progress(doing="keeping the files of the existing database", share=0.0))
        for sentence in notes.sentences:
            report_progress(Progress(doing=sentence, share=0.0))
        made_database = is_new or (built is not None and built.made_database)
        access = (self._target, self._secret, self._timeouts)
        build = StoreBuild(
            *(*access, self._definition, scale, seed, wanted, made_database),
            report_progress=report_progress,
            cancelled=cancelled,
            notes=notes,
        )
        if built is not None and replaces:
            return self._replace(dataclasses.replace(build, schema=NEW, salt=built.salt))
        try:
            with self._opened() as connection:
                Exchange(connection, self._target, self._definition).remove()
            return build.run()
        except Cancelled:
            self._remove_begun(made_database=made_database, lease=lease)
            raise

    def _replace(self, build: StoreBuild) -> BuildReport:
        """Build next to the existing store; however that ends, either the old or the new store is complete."""

        def take_place(counts: Mapping[str, int]) -> None:
            with self._opened(lock_patience=LOCK_TIMEOUT_FACTOR) as connection:
                Exchange(connection, self._target, self._definition).run(counts, build.cancelled)

        with self._opened() as connection:
            Exchange(connection, self._target, self._definition).begin()
        try:
            with explaining_full_disk(self._target, NO_ROOM):
                return dataclasses.replace(build, take_place=take_place).run()
        except BaseException:
            with (
                suppress(TargetError, UserError),
                self._opened(lock_patience=1) as connection,
            ):  # what went wrong before counts
                Exchange(connection, self._target, self._definition).remove()
            raise

    def _built_before(self, *, replace: bool) -> StoreRecord | None:
        """The store that may make way for a new one; raises ``UserError`` for anything that may not."""
        with self._opened() as connection:
            built = self._record(connection)
            if built is None:
                refuse_foreign_objects(connection, self._target, self._definition)
            elif built.is_complete and not replace:
                raise complete_store_in_the_way(self._target, built.scale)
        return built

    def verify(self, *, report_progress: ReportProgress, cancelled: IsCancelled) -> list[Check]:
        with self._opened() as connection:
            built = require_complete(self._record(connection), self._target)
            return checked(connection, self._definition, built.counts, report_progress, cancelled)

    def reset(self, *, report_progress: ReportProgress, cancelled: IsCancelled) -> None:
        """From the backup where the build made one and it can be restored, else by taking away what runs have added."""
        with self._opened() as connection:
            built = self._record(connection)
            if built is None or not is_reset_begun(built):
                built = require_complete(built, self._target)
        if built.backup_file:
            try:
                restore(
                    self._target,
                    connection.host,
                    self._secret,
                    self._timeouts,
                    built.backup_file,
                    report_progress=report_progress,
                    cancelled=cancelled,
                )
            except UserError as reason:
                report_progress(Progress(doing=f"removing the added rows: {reason}", share=0.0))
            else:
                return
        with self._opened(lock_patience=LOCK_TIMEOUT_FACTOR) as connection:
            take_away_added(
                connection,
                self._definition,
                built.counts,
                report_progress=report_progress,
                cancelled=cancelled,
            )

    def drop(self, *, lease: HeldLease = NO_LEASE) -> str:
        with self._opened() as connection:
            built = self._record(connection)
        if built is None:
            raise nothing_to_drop(self._target)
        return self._remove(built, lease=lease)

    def open_lease(self) -> LeaseTable:
        return open_lease(self._target, self._secret, self._timeouts, self._definition)

    def load_account(self) -> tuple[str, Secret] | None:
        with self._opened() as connection:
            built = require_complete(self._record(connection), self._target)
            return self._account(built.salt).make(connection)

    def _remove_begun(self, *, made_database: bool, lease: HeldLease) -> None:
        """Drop what a cancelled build has begun; it may not have come to mark the store as begun."""
        with self._opened() as connection:
            built = self._record(connection)
        self._remove(built, made_database=made_database, lease=lease)

    def _remove(self, built: StoreRecord | None, *, lease: HeldLease, made_database: bool = False) -> str:
        """Drop the store, and a database that a build created if nothing else is in it; returns what was removed."""
        database = self._target.database
        with self._opened(lock_patience=1) as connection:
            self._drop_objects(connection, built)
            lease.rest()
            run(connection, "DROP TABLE IF EXISTS dbo.spindle_lease")
            (others,) = one(connection, _STRANGERS)
            group = group_of(connection, database)
            has_copies = is_copied(connection, database)
        kept = f"the store in database '{database}'"
        if not (made_database or (built is not None and built.made_database)) or others:
            return f"{kept} (the database itself stays)"
        if group is not None:
            return f"{kept} (it is in availability group '{group.name}': the database stays)"
        if has_copies:
            return f"{kept} (it has a mirror, or is in an availability group: the database stays)"
        if not drop_database(self._target, connection.host, self._secret, self._timeouts):
            return f"{kept} (others are connected: the database stays)"
        return f"database '{database}' with its store"

    def _drop_objects(self, connection: OdbcConnection, built: StoreRecord | None) -> None:
        """All or nothing, but for the full-text index. Whoever still works in the store holds locks: they are waited
        for, but not for ever.
        """
        if built is not None:
            # What is left of it, should the rest fail, is no complete store.
            run(connection, f"UPDATE dbo.spindle_store SET {built.forgotten}")  # noqa: S608 - our own names
        Exchange(connection, self._target, self._definition).remove()
        drop_full_text(connection, self._definition, DBO)
        if self._definition.text_search is not None:
            run_all(connection, batches("drop_catalog"))
        if built is not None:
            self._account(built.salt).remove(connection)
        with transaction(connection):
            drop_procedures(connection, self._definition)
            drop_tables(connection, self._definition, DBO)

    def _record(self, connection: OdbcConnection) -> StoreRecord | None:
        return record_in(connection, self._target, self._definition)

    def _account(self, salt: bytes) -> LoadAccount:
        return LoadAccount(self._target, self._secret, self._timeouts, self._definition.procedures, salt)

    def _opened(self, *, lock_patience: int | None = None) -> AbstractContextManager[OdbcConnection]:
        """A connection that waits for locks for ever, or ``lock_patience`` times as long as a user does."""
        lock_seconds = None if lock_patience is None else lock_patience * self._timeouts.statement_seconds
        return opened(SqlServerDialect(lock_seconds=lock_seconds), self._target, self._secret, self._timeouts)
