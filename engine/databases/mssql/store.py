"""A workload's store in a SQL Server database: its state, and building, verifying, resetting and dropping it."""

import dataclasses
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import partial
from typing import Any

from engine.databases.base_store import BaseStore
from engine.databases.database import BuildReport, ServerInfo
from engine.databases.definition import Check
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
from engine.databases.mssql.resetting import remove_added_rows
from engine.databases.mssql.running import one, run_all, transaction
from engine.databases.mssql.scripts import DBO, batches
from engine.databases.mssql.store_record import foreign_object, is_reset_begun, record_in, store_identity
from engine.databases.mssql.substitutes import BuildNotes, searched
from engine.databases.mssql.verify import OBJECTS, search_checks
from engine.databases.odbc.admin import cancelling, opened
from engine.databases.odbc.connection import OdbcConnection
from engine.databases.progress import IsCancelled, Progress, ReportProgress
from engine.databases.replacing import LOCK_TIMEOUT_FACTOR
from engine.databases.snapshot import Reader
from engine.databases.store_record import StoreRecord
from engine.errors import Cancelled, UserError
from engine.secrets import Secret
from engine.target.store_layout import StoreLayout

# What anybody has made in the database, but for the tables' own keys and the like.
_FOREIGN_OBJECTS = """\
SELECT
    (SELECT COUNT(*) FROM sys.objects AS o WHERE o.is_ms_shipped = 0 AND o.parent_object_id = 0)
    + (SELECT COUNT(*) FROM sys.schemas AS s WHERE s.schema_id BETWEEN 5 AND 16383)
    + (SELECT COUNT(*) FROM sys.types AS t WHERE t.is_user_defined = 1 AND t.is_table_type = 0)
"""


class SqlServerStore(BaseStore[OdbcConnection, SqlServerDefinition]):
    """Implements ``engine.databases.database.Store``."""

    _object_queries = OBJECTS
    _full_disk_codes = NO_ROOM

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
        self._replaceable(replace=replace)
        lease.take()
        built = self._replaceable(replace=replace)
        replaces = built is not None and built.is_complete and not delete_first
        if built is not None and not replaces:
            self._remove(made_database=built.made_database, lease=lease)
            # Where the whole database went, it comes back with the files that are wanted now.
            is_new = ensure_database(self._target, self._secret, self._timeouts, wanted, notes)
            lease.take()
        if layout is not None and not is_new:
            report_progress(Progress(doing="keeping the files of the existing database", share=0.0))
        for sentence in notes.sentences:
            report_progress(Progress(doing=sentence, share=0.0))
        made_database = is_new or (built is not None and built.made_database)
        build = StoreBuild(
            target=self._target,
            secret=self._secret,
            timeouts=self._timeouts,
            definition=self._definition,
            scale=scale,
            seed=seed,
            layout=wanted,
            made_database=made_database,
            report_progress=report_progress,
            cancelled=cancelled,
            notes=notes,
        )
        if built is not None and replaces:
            return self._replace(dataclasses.replace(build, schema=NEW, salt=built.salt))
        try:
            with self._opened() as connection:
                self._exchange(connection).remove()
            return build.run()
        except Cancelled:
            self._remove(made_database=made_database, lease=lease)
            raise

    def _replace(self, build: StoreBuild) -> BuildReport:
        def take_place(counts: Mapping[str, int]) -> None:
            with self._opened(lock_patience=LOCK_TIMEOUT_FACTOR) as connection:
                self._exchange(connection).run(counts, build.cancelled)

        def remove() -> None:
            with self._opened(lock_patience=1) as connection:
                self._exchange(connection).remove()

        beside = dataclasses.replace(build, take_place=take_place)
        return self._build_beside(lambda connection: self._exchange(connection).begin(), beside.run, remove)

    def _reset(self, *, report_progress: ReportProgress, cancelled: IsCancelled) -> None:
        """From the backup where the build made one and it can be restored, else by taking away what runs have added."""
        with self._opened() as connection:
            built = self._record(connection)
            if built is None or not is_reset_begun(built):
                built = self._complete_record(connection)
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
            remove_added_rows(
                connection,
                self._definition,
                built.counts,
                report_progress=report_progress,
                cancelled=cancelled,
            )

    def open_lease(self) -> LeaseTable:
        return open_lease(self._target, self._secret, self._timeouts, self._definition)

    def load_account(self) -> tuple[str, Secret] | None:
        with self._opened() as connection:
            built = self._complete_record(connection)
            return self._account(built.salt).make(connection)

    def _remove(self, *, made_database: bool, lease: HeldLease) -> str:
        database = self._target.database
        with self._opened(lock_patience=1) as connection:
            self._drop_objects(connection)
            lease.rest()
            connection.query("DROP TABLE IF EXISTS dbo.spindle_lease")
            (others,) = one(connection, _FOREIGN_OBJECTS)
            group = group_of(connection, database)
            has_copies = is_copied(connection, database)
        kept = f"the store in database '{database}'"
        if not made_database or others:
            return f"{kept} (the database itself stays)"
        if group is not None:
            return f"{kept} (it is in availability group '{group.name}': the database stays)"
        if has_copies:
            return f"{kept} (it has a mirror, or is in an availability group: the database stays)"
        if not drop_database(self._target, connection.host, self._secret, self._timeouts):
            return f"{kept} (others are connected: the database stays)"
        return f"database '{database}' with its store"

    def _drop_objects(self, connection: OdbcConnection) -> None:
        """All or nothing, but for the full-text index. Waits for other users' locks, but not without limit."""
        built = self._record(connection)  # none where a cancelled build has not come to it
        if built is not None:
            # What is left of it, should the rest fail, is no complete store.
            connection.query(f"UPDATE dbo.spindle_store SET {built.forgotten}")  # noqa: S608 - our own names
        self._exchange(connection).remove()
        drop_full_text(connection, self._definition, DBO)
        if self._definition.text_search is not None:
            run_all(connection, batches("drop_catalog"))
        if built is not None:
            self._account(built.salt).remove(connection)
        with transaction(connection):
            drop_procedures(connection, self._definition)
            drop_tables(connection, self._definition, DBO)

    def _exchange(self, connection: OdbcConnection) -> Exchange:
        return Exchange(connection, self._target, self._definition)

    def _account(self, salt: bytes) -> LoadAccount:
        return LoadAccount(self._target, self._secret, self._timeouts, self._definition.procedures, salt)

    def _opened(self, *, lock_patience: int | None = None) -> AbstractContextManager[OdbcConnection]:
        """A connection that waits for locks for ever, or ``lock_patience`` times as long as a user does."""
        lock_seconds = None if lock_patience is None else lock_patience * self._timeouts.statement_seconds
        return opened(SqlServerDialect(lock_seconds=lock_seconds), self._target, self._secret, self._timeouts)

    def _checks(self, connection: OdbcConnection, counts: Mapping[str, int]) -> dict[str, Callable[[], list[Check]]]:
        checks = super()._checks(connection, counts)
        indexes, reader = checks["indexes"], self._reader(connection)
        searches = partial(search_checks, connection, reader, self._definition)
        return checks | {"indexes": lambda: [*indexes(), *searches()]}

    def _cancelling(self, connection: OdbcConnection, cancelled: IsCancelled) -> AbstractContextManager[None]:
        return cancelling(connection, cancelled)

    def _record(self, connection: OdbcConnection) -> StoreRecord | None:
        return record_in(connection, self._target, self._definition)

    def _is_reset_interrupted(self, record: StoreRecord) -> bool:
        return is_reset_begun(record)

    def _reader(self, connection: OdbcConnection) -> Reader:
        return Reader(lambda query: one(connection, self._definition.qualified(query))[0])

    def _identity(self, connection: OdbcConnection) -> Sequence[Any]:
        return one(connection, store_identity(self._definition))

    def _host(self, connection: OdbcConnection) -> str:
        return str(connection.host)

    def _rights_obstacle(self, connection: OdbcConnection) -> str:
        return self._exchange(connection).rights_obstacle()

    def _free_bytes(self, connection: OdbcConnection) -> int | None:
        return self._exchange(connection).free_bytes()

    def _foreign_object(self, connection: OdbcConnection) -> Sequence[str] | None:
        return foreign_object(connection, self._definition)
