"""The schema in which a new store is built while the old one stays in use, and the swap of the two.

The new tables are made in ``spindle_replacement``, in the same database and its filegroups. At the end one transaction
moves the old tables out to ``spindle_replaced`` and the new ones to ``dbo``; constraints, indexes and full-text indexes
move with their tables. The old ones are dropped afterwards, since a full-text index can't be dropped in a transaction.
"""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass

from engine.databases.mssql.definition import SqlServerDefinition
from engine.databases.mssql.running import one, run_all, transaction
from engine.databases.mssql.scripts import DBO, Sql, batches, batches_of, identifier, literal
from engine.databases.mssql.substitutes import has_words
from engine.databases.odbc.admin import cancelling
from engine.databases.odbc.connection import OdbcConnection
from engine.databases.progress import IsCancelled
from engine.databases.store_record import STORE_TABLE, counts_text
from engine.errors import TargetError, UserError
from engine.target.target import Target

NEW, OLD = Sql("spindle_replacement"), Sql("spindle_replaced")
NO_ROOM = frozenset({"1101", "1105", "9002", "5149"})
_END = "UPDATE dbo.spindle_store SET state = 'complete', counts = ?, built_at = SYSUTCDATETIME()"
_IS_THERE = "SELECT SCHEMA_ID(?)"
_FOREIGN = """\
SELECT TOP (1) o.name FROM sys.objects AS o
WHERE o.schema_id = SCHEMA_ID(?) AND o.parent_object_id = 0 AND o.name NOT IN ({names})
"""
_CONTROLS = "SELECT HAS_PERMS_BY_NAME(QUOTENAME(DB_NAME()), 'DATABASE', 'CONTROL')"
_MAY_LOOK = "SELECT HAS_PERMS_BY_NAME(NULL, NULL, 'VIEW SERVER STATE')"
# What is free inside of the files, and where they can grow.
_FREE_BYTES = """\
SELECT
    (
        SELECT SUM(v.available_bytes) FROM (
            SELECT DISTINCT s.volume_mount_point, CAST(s.available_bytes AS bigint) AS available_bytes
            FROM sys.database_files AS f CROSS APPLY sys.dm_os_volume_stats(DB_ID(), f.file_id) AS s
            WHERE f.type = 0
        ) AS v
    ) + (
        SELECT SUM(CAST(f.size AS bigint) - CAST(FILEPROPERTY(f.name, 'SpaceUsed') AS bigint)) * 8192
        FROM sys.database_files AS f WHERE f.type = 0
    )
"""


@dataclass(frozen=True)
class Exchange:
    """The exchange of the store in a target's database for one that is built beside it, over one connection."""

    connection: OdbcConnection
    target: Target
    definition: SqlServerDefinition

    def begin(self) -> None:
        """Make both schemas; what a killed replacement has left in them is removed. Raises ``UserError``."""
        self.remove()
        for schema in (NEW, OLD):
            self.connection.query(f"CREATE SCHEMA {schema} AUTHORIZATION dbo")

    def run(self, counts: Mapping[str, int], cancelled: IsCancelled) -> None:
        """Put the new tables in the place of the old ones, with procedures and trigger: all of it, or nothing."""
        with transaction(self.connection), cancelling(self.connection, cancelled):
            for source, place in ((DBO, OLD), (NEW, DBO)):
                for table in (*self.definition.tables, STORE_TABLE):
                    self.connection.query(f"ALTER SCHEMA {place} TRANSFER OBJECT::{source}.{table}")
                search = self.definition.text_search
                if search is not None and has_words(self.connection, search, source):
                    self.connection.query(f"ALTER SCHEMA {place} TRANSFER OBJECT::{source}.{search.words_table}")
            complete_store(self.connection, self.definition, counts)
        with suppress(TargetError):  # the new store is complete; what is left of the old one, the next build removes
            self.remove()

    def remove(self) -> None:
        """Drop both schemas, if they exist. Raises ``UserError`` for one with objects that Spindle did not create."""
        names = ", ".join(literal(table) for table in (*self.definition.made_tables, STORE_TABLE))
        for schema in (NEW, OLD):
            if one(self.connection, _IS_THERE, schema)[0] is None:
                continue
            foreign = self.connection.query(_FOREIGN.format(names=names), schema)
            if foreign:
                raise UserError(
                    f"Database '{self.target.database}' has a schema '{schema}', where a new store would be built, with"
                    f" '{foreign[0][0]}' that Spindle did not make; rename that schema."
                )
            drop_full_text(self.connection, self.definition, schema)
            with transaction(self.connection):
                drop_tables(self.connection, self.definition, schema)
                self.connection.query(f"DROP SCHEMA {schema}")

    def rights_obstacle(self) -> str:
        """Why this user can't build a store next to another one; empty if there is no known obstacle."""
        if one(self.connection, _CONTROLS)[0]:
            return ""
        who = f"user '{self.target.user}'" if self.target.user else "the account that runs Spindle"
        member = identifier(self.target.user) if self.target.user else "[domain\\account]"
        return f"{who} does not own the database, which a second store needs (ALTER ROLE db_owner ADD MEMBER {member})"

    def free_bytes(self) -> int | None:
        """What is free for the database's tables; ``None`` when this user may not see that."""
        if not one(self.connection, _MAY_LOOK)[0]:
            return None
        try:
            (free,) = one(self.connection, _FREE_BYTES)
        except TargetError as error:
            if not error.usable:
                raise
            return None
        return None if free is None else int(free)


def complete_store(connection: OdbcConnection, definition: SqlServerDefinition, counts: Mapping[str, int]) -> None:
    """What tables with all their rows need to be a store: procedures, triggers, and the note of it."""
    drop_procedures(connection, definition)
    run_all(connection, batches_of(definition.script("procedures")))
    if definition.text_search is not None:
        searches = "search_words" if has_words(connection, definition.text_search) else "search_full_text"
        run_all(connection, batches_of(definition.script(searches)))
    connection.query(_END, counts_text(counts))


def drop_procedures(connection: OdbcConnection, definition: SqlServerDefinition) -> None:
    """Drop the procedures and sequences that a build makes, and nothing else; a trigger goes with its table."""
    for name in (*definition.procedures, *definition.helpers):
        connection.query(f"DROP PROCEDURE IF EXISTS dbo.{name}")
    for name in definition.sequences:
        connection.query(f"DROP SEQUENCE IF EXISTS dbo.{name}")


def drop_tables(connection: OdbcConnection, definition: SqlServerDefinition, schema: Sql) -> None:
    """Drop the tables that a build makes in a schema, and nothing else."""
    for table in (*definition.made_tables, STORE_TABLE):
        connection.query(f"DROP TABLE IF EXISTS {schema}.{table}")


def drop_full_text(connection: OdbcConnection, definition: SqlServerDefinition, schema: Sql) -> None:
    """Drop the full-text index in a schema, which can't be done in a transaction, before its table."""
    if definition.text_search is not None:
        run_all(connection, batches("drop_full_text", schema=schema, table=Sql(definition.text_search.table)))
