"""Building a store in a MariaDB or MySQL database: tables, rows from the generator, indexes, procedures.

The tables are loaded side by side on a few connections, block by block through small files of this machine's, with
their clustered keys in place: the rows come in the keys' order. The other indexes are made when the rows are in.
A store that replaces another is made in a database of its own, see ``engine.databases.mariadb.replacement``.
"""

import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path

from engine.databases.base_build import BaseBuild
from engine.databases.database import BuildReport, Timeouts
from engine.databases.definition import StoreDefinition
from engine.databases.mariadb.dialect import dialect_of
from engine.databases.mariadb.errors import DATABASE_EXISTS, LOCAL_INFILE_OFF, MAY_NOT, NO_RIGHTS, is_one_of
from engine.databases.mariadb.load_rows import column_names, inserts_of, lines_of
from engine.databases.mariadb.sql_text import bodies, literal, quoted, script, statements
from engine.databases.odbc import admin
from engine.databases.odbc.connection import OdbcConnection
from engine.databases.odbc.load_account import new_salt
from engine.databases.progress import Progress
from engine.databases.progress_text import indexing_step
from engine.databases.store_record import STORE_FORMAT, counts_text
from engine.errors import ErrorClass, TargetError, UserError
from engine.secrets import Secret
from engine.target.target import Target
from engine.workload.rows.block import Block
from engine.workload.rows.columns import Column

_INDEX_SHARE = 0.35


def opened(target: Target, secret: Secret | None, timeouts: Timeouts) -> AbstractContextManager[OdbcConnection]:
    """A connection in autocommit for long work, whose statements have no limit of time; raises ``TargetError``."""
    return admin.opened(dialect_of(target.kind), target, secret, timeouts)


def ensure_database(target: Target, secret: Secret | None, timeouts: Timeouts) -> bool:
    """Make the target's database when it is missing; whether it was. Raises ``UserError`` when the user may not."""
    try:
        with opened(target, secret, timeouts):
            return False
    except TargetError as error:
        # Without rights in a database its existence is not visible.
        if error.error_class is not ErrorClass.MISSING_DATABASE and error.code != str(NO_RIGHTS):
            raise
    with opened(target.with_maintenance_database(), secret, timeouts) as connection:
        try:
            connection.query(f"CREATE DATABASE {quoted(target.database)} CHARACTER SET utf8mb4")
        except TargetError as error:
            if error.code == str(DATABASE_EXISTS):
                return False  # created concurrently by another client
            if not is_one_of(error, MAY_NOT):
                raise
            raise UserError(
                f"User '{target.user}' has no database '{target.database}' and may not create it; have it created for"
                f" that user, or grant the right with: GRANT ALL ON {quoted(target.database)}.* TO {target.user}"
            ) from error
    return True


def continue_identities(connection: OdbcConnection, definition: StoreDefinition) -> None:
    """Have the numbers that the server gives go on behind the highest that is there. Each is a commit of its own."""
    for name, table in definition.tables.items():
        if table.identity:
            # InnoDB takes the next number where this one is taken.
            connection.query(f"ALTER TABLE {name} AUTO_INCREMENT = 1")


@dataclass(kw_only=True)
class StoreBuild(BaseBuild[StoreDefinition]):
    """A build that loads files, or where the server takes none, by INSERT.

    ``take_place`` is what completes a store that is made to replace another, in the other's place.
    """

    take_place: Callable[[], None] | None = None
    salt: bytes = field(default_factory=new_salt)
    _takes_files: bool = True

    def run(self) -> BuildReport:
        """Raises ``Cancelled`` or ``TargetError``; what was begun stays, and is seen as partly built."""
        with opened(self.target, self.secret, self.timeouts) as connection:
            return self._run(connection)

    def _run(self, connection: OdbcConnection) -> BuildReport:
        self._begin("creating the tables", 0.0)
        self._make_tables(connection)
        with tempfile.TemporaryDirectory(prefix="spindle-load-") as folder:
            self._loading.run(lambda table: self._load_table(table, Path(folder, f"{table}.tsv")))
        loaded = time.monotonic()
        self._index(connection)
        self._gather_statistics(connection)
        self._note_rows(connection)
        if self.take_place is not None:
            self._begin("taking the place of the earlier store", self._load_share + _INDEX_SHARE)
            self.take_place()
        else:
            finish_store(connection, self.definition)
        self.report_progress(Progress(doing="built", share=1.0))
        return self._loading.report(index_seconds=time.monotonic() - loaded)

    def _make_tables(self, connection: OdbcConnection) -> None:
        """The store's own row is written before the other tables, so that these are always known to be Spindle's."""
        record, *others = statements(script("store"))
        connection.query(record)
        self._note_beginning(connection)
        for statement in (*others, *statements(self.definition.script("tables"))):
            connection.query(statement)

    def _note_beginning(self, connection: OdbcConnection) -> None:
        connection.query(
            "INSERT INTO spindle_store"
            " (format, state, workload, workload_version, scale, seed, made_database, salt, built_at)"
            " VALUES (?, 'building', ?, ?, ?, ?, ?, ?, utc_timestamp(6))",
            *(STORE_FORMAT, self.definition.workload, self.definition.version, self.scale, self.seed),
            *(int(self.made_database), self.salt.hex()),
        )

    def _note_rows(self, connection: OdbcConnection) -> None:
        continue_identities(connection, self.definition)
        measures = {name: int(connection.query(query)[0][0]) for name, query in self.definition.measures.items()}
        counts = counts_text({**self._loading.counts(), **measures})
        # No parameter: MariaDB's driver cuts a long one into pieces of 255 bytes, and so through characters of two.
        connection.query(f"UPDATE spindle_store SET counts = {literal(counts)}")  # noqa: S608 - our own names

    def _load_table(self, table: str, file: Path) -> None:
        with (
            opened(self.target, self.secret, self.timeouts) as connection,
            admin.cancelling(connection, self._loading.is_over),
        ):
            columns = self.definition.tables[table].columns
            for block, lines in self._loading.encoded_blocks(table, lambda block: lines_of(block, columns)):
                self._load_block(connection, block, columns, lines, file)
                self._loading.count(table, block.rows, len(lines))

    def _load_block(
        self, connection: OdbcConnection, block: Block, columns: Sequence[Column], lines: bytes, file: Path
    ) -> None:
        if self._takes_files:
            try:
                file.write_bytes(lines)
                load_file(connection, block, columns, file)
            except TargetError as error:
                if not is_one_of(error, LOCAL_INFILE_OFF):
                    raise
                self._takes_files = False
            else:
                return
        for statement in inserts_of(block.table, columns, lines):
            connection.query(statement)

    def _index(self, connection: OdbcConnection) -> None:
        work = statements(self.definition.script("indexes"))
        for number, statement in enumerate(work):
            share = self._load_share + _INDEX_SHARE * number / len(work)
            self._begin(indexing_step("indexing", statement, self.definition.tables), share)
            with admin.cancelling(connection, self.cancelled):
                connection.query(statement)

    def _gather_statistics(self, connection: OdbcConnection) -> None:
        self._begin("gathering statistics", self._load_share + _INDEX_SHARE)
        with admin.cancelling(connection, self.cancelled):
            for statement in statements(self.definition.script("statistics")):
                connection.query(statement)


def finish_store(connection: OdbcConnection, definition: StoreDefinition) -> None:
    """What tables with all their rows and indexes need to be a store: procedures, triggers, and the note of it."""
    drop_triggers(connection, definition)
    for procedure in (*definition.procedures, *definition.helpers):
        connection.query(f"DROP PROCEDURE IF EXISTS {procedure}")
    for body in bodies(definition.script("procedures")):
        connection.query(body)
    connection.query("UPDATE spindle_store SET state = 'complete', built_at = utc_timestamp(6)")


def drop_triggers(connection: OdbcConnection, definition: StoreDefinition) -> None:
    for trigger in definition.triggers:
        connection.query(f"DROP TRIGGER IF EXISTS {trigger}")


def load_file(connection: OdbcConnection, block: Block, columns: Sequence[Column], file: Path) -> None:
    """Load a block from its lines in a file. What the server can't take of a client's file it only warns of: here it
    is a ``TargetError``.
    """
    connection.query("SET @spindle_warning = NULL")
    connection.query(
        f"LOAD DATA LOCAL INFILE {literal(file.as_posix())} INTO TABLE {block.table} CHARACTER SET utf8mb4"
        f" FIELDS TERMINATED BY '\\t' LINES TERMINATED BY '\\n' ({column_names(columns)})"
    )
    # MySQL does not prepare SHOW WARNINGS, and a driver that prepares every statement loses the connection over it.
    connection.query("GET DIAGNOSTICS CONDITION 1 @spindle_warning = MESSAGE_TEXT")
    ((warning,),) = connection.query("SELECT @spindle_warning")
    if warning is not None:
        raise TargetError(ErrorClass.OTHER, f"rows of {block.table} were not loaded as they are: {warning}")
