"""The databases in which a new store is built while the one that it replaces stays in use, and how they change places.

The new tables are made in a database of their own, ``<database>__new``. One RENAME then takes the old tables out into
``<database>__old`` and the new ones in. A trigger can't move with its table: the old one is dropped before and the new
one made after, and the store counts as partly built in between. A build that is killed in that moment has left
everything that it takes to complete it, which the next build does.
"""

from contextlib import suppress
from dataclasses import dataclass

from engine.databases.database import Timeouts
from engine.databases.definition import StoreDefinition
from engine.databases.mariadb.build import drop_triggers, finish_store
from engine.databases.mariadb.errors import MAY_NOT, is_one_of
from engine.databases.mariadb.sql_text import bodies, quoted
from engine.databases.mariadb.store_record import record_in
from engine.databases.odbc.admin import cancelling
from engine.databases.odbc.connection import OdbcConnection
from engine.databases.progress import IsCancelled
from engine.databases.replacing import LOCK_TIMEOUT_FACTOR
from engine.databases.store_record import STORE_TABLE
from engine.errors import TargetError, UserError
from engine.target.target import Target

NO_ROOM = frozenset({"1021", "1114"})
_MARK = "spindle_replacement"
_FREE_BYTES = """
    SELECT available * 1024 FROM information_schema.disks WHERE @@datadir LIKE concat(path, '%')
    ORDER BY length(path) DESC LIMIT 1
"""


@dataclass(frozen=True)
class Exchange:
    """The exchange of the store in a target's database for one that is built beside it."""

    target: Target
    timeouts: Timeouts
    definition: StoreDefinition

    @property
    def new(self) -> Target:
        """Where the new store is built."""
        return self.target.with_database(f"{self.target.database}__new")

    @property
    def old(self) -> Target:
        """Where the old tables are moved to, and dropped."""
        return self.target.with_database(f"{self.target.database}__old")

    def begin(self, connection: OdbcConnection) -> None:
        """Make both databases; what a killed replacement has left in them is removed. Raises ``UserError``."""
        self.remove(connection)
        for place in (self.new, self.old):
            connection.query(f"CREATE DATABASE {quoted(place.database)} CHARACTER SET utf8mb4")
            # The mark comes before anything else: a database without it that holds something is somebody else's.
            connection.query(
                f"CREATE TABLE {quoted(place.database)}.{_MARK} (is_ready tinyint NOT NULL PRIMARY KEY) ENGINE = InnoDB"
            )

    def run(self, connection: OdbcConnection, cancelled: IsCancelled) -> None:
        """Put the new tables in the place of the old ones, and complete them.

        What is cancelled or fails before the tables are exchanged leaves the old store complete.
        """
        patience = max(1, round(LOCK_TIMEOUT_FACTOR * self.timeouts.statement_seconds))
        connection.query(f"SET SESSION lock_wait_timeout = {patience}, SESSION innodb_lock_wait_timeout = {patience}")
        connection.query("SET SESSION foreign_key_checks = 0")
        connection.query(f"INSERT INTO {quoted(self.new.database)}.{_MARK} VALUES (1)")  # noqa: S608 - our own names
        try:
            with cancelling(connection, cancelled):
                connection.query("UPDATE spindle_store SET state = 'building'")
                self._move(connection)
        except BaseException:
            self._stay(connection)
            raise
        self._settle(connection)

    def complete_killed(self, connection: OdbcConnection) -> None:
        """Complete an exchange that was killed half-way, if there is one; raises ``TargetError``."""
        built = record_in(connection, self.target, self.definition)
        if built is None or built.is_complete:
            return
        connection.query("SET SESSION foreign_key_checks = 0")
        if self._is_moved(connection):
            self._settle(connection)
        elif self._is_ready(connection):
            self._move(connection)
            self._settle(connection)

    def remove(self, connection: OdbcConnection) -> None:
        """Drop both databases, if they exist. Raises ``UserError`` for one that was not made by Spindle."""
        for place in (self.new, self.old):
            if not _exists(connection, place):
                continue
            tables = _tables(connection, place)
            if tables and _MARK not in tables:
                raise UserError(
                    f"Database '{place.database}', where a new store for '{self.target.database}' would be built, holds"
                    f" a table '{tables[0]}' that Spindle did not make; rename that database."
                )
            connection.query(f"DROP DATABASE {quoted(place.database)}")

    def rights_obstacle(self, connection: OdbcConnection) -> str:
        """Why this user can't build a store next to another one; empty if there is no known obstacle.

        Privileges may come from patterns and roles: the only reliable check is to try.
        """
        if _exists(connection, self.new):
            return ""
        try:
            connection.query(f"CREATE DATABASE {quoted(self.new.database)}")
            connection.query(f"DROP DATABASE {quoted(self.new.database)}")
        except TargetError as error:
            if not is_one_of(error, MAY_NOT):
                raise
            grants = " and ".join(f"{quoted(place.database)}.*" for place in (self.new, self.old))
            return (
                f"user '{self.target.user}' may not make a database for the new one beside it (GRANT ALL ON {grants})"
            )
        return ""

    def _move(self, connection: OdbcConnection) -> None:
        here, new, old = (quoted(place.database) for place in (self.target, self.new, self.old))
        out = [f"{here}.{table} TO {old}.{table}" for table in (*self.definition.tables, STORE_TABLE)]
        into = [f"{new}.{table} TO {here}.{table}" for table in (*self.definition.tables, STORE_TABLE)]
        drop_triggers(connection, self.definition)
        connection.query(f"RENAME TABLE {', '.join((*out, *into))}")

    def _settle(self, connection: OdbcConnection) -> None:
        finish_store(connection, self.definition)
        self.remove(connection)

    def _stay(self, connection: OdbcConnection) -> None:
        """The old store stays: it gets its triggers back. Where that fails, the next build goes on from here."""
        with suppress(TargetError):
            drop_triggers(connection, self.definition)
            for body in bodies(self.definition.script("procedures")):
                if any(f"TRIGGER {name} " in body for name in self.definition.triggers):
                    connection.query(body)
            connection.query("UPDATE spindle_store SET state = 'complete'")

    def _is_ready(self, connection: OdbcConnection) -> bool:
        if _MARK not in _tables(connection, self.new):
            return False
        return bool(connection.query(f"SELECT 1 FROM {quoted(self.new.database)}.{_MARK}"))  # noqa: S608 - our own names

    def _is_moved(self, connection: OdbcConnection) -> bool:
        return {_MARK, "spindle_store"} <= set(_tables(connection, self.old))


def free_bytes(connection: OdbcConnection) -> int | None:
    """The free space on the disk of the server's data; only MariaDB's plugin DISKS reports it, to privileged users."""
    try:
        rows = connection.query(_FREE_BYTES)
    except TargetError as error:
        if not error.usable:
            raise
        return None
    return int(rows[0][0]) if rows else None


def _exists(connection: OdbcConnection, place: Target) -> bool:
    return bool(connection.query("SELECT 1 FROM information_schema.schemata WHERE schema_name = ?", place.database))


def _tables(connection: OdbcConnection, place: Target) -> list[str]:
    rows = connection.query("SELECT table_name FROM information_schema.tables WHERE table_schema = ?", place.database)
    return [str(name) for (name,) in rows]
