"""Building a store in a PostgreSQL database: tables, rows by COPY from the generator, indexes, procedures.

The tables are loaded side by side on two connections, each in one transaction with its own truncation, so that the
rows can be frozen as they come in. There is no temporary file: blocks go from the generator into the COPY stream.
A store that replaces another is made in a schema of its own, and takes the other's place in its last transaction.
"""

import time
from contextlib import AbstractContextManager
from dataclasses import dataclass

import psycopg
from psycopg import sql

from engine.databases.base_build import BaseBuild
from engine.databases.database import BuildReport, Timeouts
from engine.databases.definition import StoreDefinition
from engine.databases.postgresql.admin import Connection, cancelling, one, opened
from engine.databases.postgresql.copy_rows import HEADER, TRAILER, encoded
from engine.databases.postgresql.indexing import Indexing
from engine.databases.postgresql.replacement import PUBLIC, REPLACEMENT, change_places
from engine.databases.postgresql.scripts import script
from engine.databases.progress import Progress
from engine.databases.replacing import LOCK_TIMEOUT_FACTOR
from engine.databases.store_record import STORE_FORMAT, counts_text
from engine.errors import ErrorClass, TargetError, UserError
from engine.secrets import Secret
from engine.target.target import Target

_INDEXED = 0.98  # the share of the whole when all indexes are made


def ensure_database(target: Target, secret: Secret | None, timeouts: Timeouts) -> bool:
    """Make the target's database when it is missing; whether it was. Raises ``UserError`` when the user may not."""
    try:
        with opened(target, secret, timeouts):
            return False
    except TargetError as error:
        if error.error_class is not ErrorClass.MISSING_DATABASE:
            raise
    with opened(target.with_maintenance_database(), secret, timeouts) as connection:
        try:
            connection.execute(
                sql.SQL("CREATE DATABASE {} TEMPLATE template0 ENCODING 'UTF8'").format(sql.Identifier(target.database))
            )
        except (psycopg.errors.DuplicateDatabase, psycopg.errors.UniqueViolation):
            return False  # created concurrently by another client
        except psycopg.errors.InsufficientPrivilege as error:
            raise UserError(
                f"Database '{target.database}' does not exist, and user '{target.user}' may not create it; have it"
                f" created for that user, or grant the right with: ALTER ROLE {target.user} CREATEDB"
            ) from error
    return True


@dataclass(kw_only=True)
class StoreBuild(BaseBuild[StoreDefinition]):
    """A build by COPY.

    With ``replaces`` the database holds a complete store, which stays as it is until the new one takes its place.
    """

    replaces: bool = False

    def run(self) -> BuildReport:
        """Raises ``Cancelled`` or ``TargetError``; what was begun stays, and is seen as partly built."""
        self._begin("creating the tables", 0.0)
        with self._opened() as connection, connection.transaction():
            connection.execute(script("store").encode())
            connection.execute(self.definition.script("tables").encode())
            self._note_beginning(connection)
        self._loading.run(self._load_table)
        loaded = time.monotonic()
        Indexing(
            self.target,
            self.secret,
            self.timeouts,
            self.definition,
            self.report_progress,
            self.cancelled,
            self._load_share,
            _INDEXED,
            self._schema,
        ).run()
        with opened(self.target, self.secret, self.timeouts) as connection:
            self._complete(connection)
        self.report_progress(Progress(doing="built", share=1.0))
        return self._loading.report(index_seconds=time.monotonic() - loaded)

    @property
    def _schema(self) -> str:
        return REPLACEMENT if self.replaces else PUBLIC

    def _opened(self) -> AbstractContextManager[Connection]:
        return opened(self.target, self.secret, self.timeouts, schema=self._schema)

    def _complete(self, connection: Connection) -> None:
        """The procedures, and the note that the store is complete: with the exchange of the stores, all or nothing."""
        with connection.transaction():
            if self.replaces:
                self._begin("taking the place of the earlier store", _INDEXED)
                patience_ms = round(LOCK_TIMEOUT_FACTOR * self.timeouts.statement_seconds * 1000)
                connection.execute(f"SET LOCAL lock_timeout = {patience_ms}".encode())
                with cancelling(connection, self.cancelled):
                    change_places(connection, self.definition)
            connection.execute(self.definition.script("procedures").encode())
            self._note_end(connection)

    def _note_beginning(self, connection: Connection) -> None:
        connection.execute(
            "INSERT INTO spindle_store (format, state, workload, workload_version, scale, seed, made_database)"
            " VALUES (%s, 'building', %s, %s, %s, %s, %s)",
            (
                *(STORE_FORMAT, self.definition.workload, self.definition.version),
                *(self.scale, self.seed, self.made_database),
            ),
        )

    def _note_end(self, connection: Connection) -> None:
        for name, table in self.definition.tables.items():
            if table.identity:
                connection.execute(
                    sql.SQL("ALTER TABLE {} ALTER COLUMN {} SET START WITH {} RESTART").format(
                        sql.Identifier(name),
                        sql.Identifier(table.identity),
                        sql.Literal(self._loading.loaded.get(name, 0) + 1),
                    )
                )
        measures = {name: int(one(connection, query)[0]) for name, query in self.definition.measures.items()}
        connection.execute(
            "UPDATE spindle_store SET state = 'complete', counts = %s, built_at = now()",
            (counts_text({**self._loading.counts(), **measures}),),
        )

    def _load_table(self, table: str) -> None:
        with (
            self._opened() as connection,
            connection.transaction(),
            cancelling(connection, self._loading.is_over),
        ):
            self._copy(connection, table)

    def _copy(self, connection: Connection, table: str) -> None:
        connection.execute(sql.SQL("TRUNCATE {}").format(sql.Identifier(table)))
        columns = self.definition.tables[table].columns
        with connection.cursor() as cursor, cursor.copy(self._copy_statement(table)) as copy:
            copy.write(HEADER)
            for block, pieces in self._loading.encoded_blocks(table, lambda block: list(encoded(block, columns))):
                for piece in pieces:
                    copy.write(piece)
                self._loading.count(table, block.rows, sum(map(len, pieces)))
            copy.write(TRAILER)

    def _copy_statement(self, table: str) -> sql.Composed:
        columns = sql.SQL(", ").join(sql.Identifier(column.name) for column in self.definition.tables[table].columns)
        return sql.SQL("COPY {} ({}) FROM STDIN (FORMAT BINARY, FREEZE)").format(sql.Identifier(table), columns)
