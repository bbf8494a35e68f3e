"""Building a store in a SQL Server database: tables, rows from the generator, indexes, full text, procedures.

The tables are loaded side by side on a few connections, each in the order of its key, while the database logs bulk work
in brief. At the end the pristine store is backed up when the layout names a folder for it.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from engine.databases.base_build import BaseBuild
from engine.databases.database import BuildReport
from engine.databases.mssql.backup import back_up
from engine.databases.mssql.creation import bulk_logged, store_filegroups
from engine.databases.mssql.definition import SqlServerDefinition, TextSearch
from engine.databases.mssql.dialect import SqlServerDialect
from engine.databases.mssql.load_rows import BulkFolder, Destination, load_files, send
from engine.databases.mssql.replacement import complete_store
from engine.databases.mssql.running import one, run_all, transaction
from engine.databases.mssql.scripts import DBO, Sql, batches, batches_of, literal
from engine.databases.mssql.substitutes import (
    BuildNotes,
    identity_is_right,
    is_refused,
    keep_notes,
    no_full_text,
    own_identities,
)
from engine.databases.odbc.admin import cancelling, opened
from engine.databases.odbc.connection import OdbcConnection
from engine.databases.odbc.load_account import new_salt
from engine.databases.progress import Progress
from engine.databases.progress_text import indexing_step
from engine.databases.store_record import STORE_FORMAT
from engine.errors import ErrorClass, TargetError
from engine.figure_text import whole
from engine.target.store_layout import StoreLayout

_TEXT_FROM, _STATISTICS_FROM, _BACKUP_FROM = 0.85, 0.93, 0.97
_FULL_TEXT_INSTALLED = "SELECT CAST(SERVERPROPERTY('IsFullTextInstalled') AS int)"
_NOT_INSTALLED = (
    "the server lacks the feature 'Full-Text and Semantic Extractions for Search', on Linux the package"
    " mssql-server-fts"
)
_BEGINNING = (
    "INSERT INTO {schema}.spindle_store"
    " (format, state, workload, workload_version, scale, seed, made_database, salt)"
    " VALUES (?, 'building', ?, ?, ?, ?, ?, ?)"
)


@dataclass(kw_only=True)
class StoreBuild(BaseBuild[SqlServerDefinition]):
    """A build by arrays of parameters, or by files where the layout names a folder for them.

    ``take_place`` is what completes a store that is made in the ``schema`` to replace another, in the other's place; it
    is called with the counts to be stored.
    """

    layout: StoreLayout
    schema: Sql = DBO
    salt: bytes = field(default_factory=new_salt)
    take_place: Callable[[Mapping[str, int]], None] | None = None
    notes: BuildNotes = field(default_factory=BuildNotes)

    def run(self) -> BuildReport:
        """Raises ``Cancelled``, ``TargetError`` or ``UserError``; what was begun stays, and is seen as partly built."""
        with opened(SqlServerDialect(), self.target, self.secret, self.timeouts) as connection:
            return self._run(connection)

    def _run(self, connection: OdbcConnection) -> BuildReport:
        self._begin("creating the tables", 0.0)
        filegroups = store_filegroups(connection)
        with transaction(connection):
            run_all(connection, batches("store", schema=self.schema, misc=filegroups["misc"]))
            run_all(connection, batches_of(self.definition.script("tables"), schema=self.schema, **filegroups))
            self._note_beginning(connection)
        access = (self.target, self.secret, self.timeouts)
        with bulk_logged(*access, made_database=self.made_database, notes=self.notes):
            self._loading.run(self._load_table)
            loaded = time.monotonic()
            self._index(connection, filegroups)
        statistics = batches_of(self.definition.script("statistics"), schema=self.schema)
        self._each(connection, "gathering statistics", statistics, _STATISTICS_FROM, _BACKUP_FROM)
        self._complete(connection)
        self._back_up(connection)
        self.report_progress(Progress(doing="built", share=1.0))
        report = self._loading.report(index_seconds=time.monotonic() - loaded)
        return replace(report, notes=tuple(self.notes.sentences))

    def _complete(self, connection: OdbcConnection) -> None:
        measures = {name: int(one(connection, query)[0]) for name, query in self.definition.measures.items()}
        counts = {**self._loading.counts(), **measures}
        if self.take_place is not None:
            self._begin("taking the place of the earlier store", _BACKUP_FROM)
            self.take_place(counts)
        else:
            with transaction(connection):
                complete_store(connection, self.definition, counts)
        keep_notes(connection, self.notes.text())

    def _note(self, sentence: str, share: float) -> None:
        self.notes.add(sentence)
        self._begin(sentence, share)

    def _note_beginning(self, connection: OdbcConnection) -> None:
        noted = (self.scale, self.seed, self.made_database, self.salt)
        statement, workload = _BEGINNING.format(schema=self.schema), self.definition.workload
        connection.query(statement, STORE_FORMAT, workload, self.definition.version, *noted)

    def _load_table(self, table: str) -> None:
        blocks, count = self._loading.blocks(table), partial(self._loading.count, table)
        into = Destination(name=table, table=self.definition.tables[table], schema=self.schema)
        with opened(SqlServerDialect(), self.target, self.secret, self.timeouts) as connection:
            if self.layout.bulk_folder:
                folder = BulkFolder(
                    on_server=self.layout.bulk_folder,
                    here=Path(self.layout.bulk_folder_here),
                    database=self.target.database,
                )
                load_files(connection, into, blocks, folder, self._loading.is_over, count)
            else:
                send(connection, into, blocks, self._loading.is_over, count)

    def _index(self, connection: OdbcConnection, filegroups: Mapping[str, Sql]) -> None:
        values = {"indexes": Sql(filegroups["indexes"]), "schema": self.schema}
        self._check_identities(connection)
        indexes = batches_of(self.definition.script("indexes"), **values)
        self._each(connection, "indexing", indexes, self._load_share, _TEXT_FROM)
        search = self.definition.text_search
        if search is None:
            return
        if self._has_full_text_index(connection, search, values):
            wait_until_populated(
                connection,
                search,
                self._loading.loaded[search.table],
                lambda share: self._begin(
                    f"indexing {search.title}", _TEXT_FROM + share * (_STATISTICS_FROM - _TEXT_FROM)
                ),
                self.schema,
            )
        else:
            words = batches_of(self.definition.script("words"), **values)
            self._each(connection, "words", words, _TEXT_FROM, _STATISTICS_FROM)

    def _check_identities(self, connection: OdbcConnection) -> None:
        """The identities go on behind the highest number that was loaded, as they nearly always do by themselves."""
        identities = {name: table.identity for name, table in self.definition.tables.items() if table.identity}
        for table, column in identities.items():
            place = Sql(f"{self.schema}.{table}")
            try:
                with cancelling(connection, self.cancelled):
                    connection.query(f"DBCC CHECKIDENT ({literal(place)}, RESEED) WITH NO_INFOMSGS")
            except TargetError as error:
                if not (is_refused(error) and identity_is_right(connection, place, Sql(column))):
                    raise
                self._note(own_identities(error), self._load_share)

    def _has_full_text_index(self, connection: OdbcConnection, search: TextSearch, values: Mapping[str, Sql]) -> bool:
        """Make the full-text index; false where the server has no full-text search, or refuses it to this user."""
        if not one(connection, _FULL_TEXT_INSTALLED)[0]:
            self._note(no_full_text(search, _NOT_INSTALLED), _TEXT_FROM)
            return False
        full_text = batches_of(self.definition.script("full_text"), **values)
        try:
            self._each(connection, "full text", full_text, _TEXT_FROM, _TEXT_FROM)
        except TargetError as error:
            if not is_refused(error):
                raise
            self._note(no_full_text(search, str(error)), _TEXT_FROM)
            return False
        return True

    def _each(self, connection: OdbcConnection, doing: str, work: list[str], first: float, last: float) -> None:
        """Run batches one by one, with progress from one share to another."""
        for number, batch in enumerate(work):
            self._begin(
                indexing_step(doing, batch, self.definition.tables), first + (last - first) * number / len(work)
            )
            with cancelling(connection, self.cancelled):
                connection.query(batch)

    def _back_up(self, connection: OdbcConnection) -> None:
        if not self.layout.backup_folder:
            return
        self._begin("backing up the store", _BACKUP_FROM)
        with cancelling(connection, self.cancelled):
            back_up(connection, self.target.database, self.layout.backup_folder, made_database=self.made_database)


_CHECK_EVERY_SECONDS = 0.5
_LONGEST_STANDSTILL_SECONDS = 300.0
_IDLE = (0, 4)  # idle, and the background update that waits for changes
_FAILED = 6


def wait_until_populated(
    connection: OdbcConnection,
    search: TextSearch,
    rows: int,
    report_share: Callable[[float], None],
    schema: Sql = DBO,
) -> None:
    """Returns when all rows of the searched table are indexed.

    ``report_share`` is called often, and may raise to end the waiting.

    Raises ``TargetError`` when a row could not be indexed, or nothing happens for five minutes.
    """
    (batch,) = batches("populated", schema=schema, table=Sql(search.table))
    seen: tuple[int, ...] = ()
    until = time.monotonic() + _LONGEST_STANDSTILL_SECONDS
    while True:
        row = tuple(int(value or 0) for value in one(connection, batch))
        status, merging, pending, items, failed, has_completed = row
        if failed or status == _FAILED:
            raise TargetError(ErrorClass.OTHER, f"{failed} {search.table} could not be indexed for full-text search")
        if status in _IDLE and not merging and not pending and (has_completed or items >= rows):
            return
        if row != seen:
            seen, until = row, time.monotonic() + _LONGEST_STANDSTILL_SECONDS
        if time.monotonic() > until:
            raise TargetError(
                ErrorClass.TIMEOUT,
                f"the full-text index has stopped at {whole(items)} of {whole(rows)} {search.table}; look at the"
                " server's full-text service and its crawl log",
            )
        report_share(min(1.0, items / rows))
        time.sleep(_CHECK_EVERY_SECONDS)
