"""The schema in which a new store is built while the one that it replaces stays in use, and how they change places.

Everything of the new store but its procedures is made in ``spindle_replacement``, in the same database. At the end one
transaction drops the old store and moves the new tables, with their indexes, constraints and sequences, to ``public``.
"""

import shutil
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql

from engine.databases.definition import StoreDefinition
from engine.databases.postgresql.admin import Connection
from engine.databases.store_record import STORE_TABLE
from engine.errors import UserError
from engine.target.target import Target

PUBLIC = "public"
REPLACEMENT = "spindle_replacement"
NO_ROOM = frozenset({"53100"})
_LOOPBACK = ("localhost", "127.0.0.1", "::1")
_PLACE = """
    SELECT current_setting('data_directory'), current_setting('port'), current_setting('default_tablespace'),
        pg_tablespace_location(dattablespace), extract(epoch FROM pg_postmaster_start_time())
    FROM pg_database WHERE datname = current_database()
"""
_LATEST_START_SECONDS = 60.0
_FOREIGN = """
    SELECT relname FROM pg_class
    WHERE relnamespace = to_regnamespace(%s) AND relkind IN ('r', 'p', 'v', 'm', 'f') AND relname <> ALL (%s) LIMIT 1
"""


def make_schema(connection: Connection, target: Target, definition: StoreDefinition) -> None:
    """Make the schema; what a replacement that was killed has left in it is removed. Raises ``UserError``."""
    remove_schema(connection, target, definition)
    connection.execute(sql.SQL("CREATE SCHEMA {}").format(sql.Identifier(REPLACEMENT)))


def remove_schema(connection: Connection, target: Target, definition: StoreDefinition) -> None:
    """Remove the schema, if it is there. Raises ``UserError`` when it holds tables that are not a store's."""
    foreign = connection.execute(_FOREIGN, (REPLACEMENT, _tables(definition))).fetchone()
    if foreign is not None:
        raise UserError(
            f"Database '{target.database}' has a schema '{REPLACEMENT}', where a new store would be built, with a table"
            f" '{foreign[0]}' that Spindle did not make; rename that schema."
        )
    connection.execute(sql.SQL("DROP SCHEMA IF EXISTS {} CASCADE").format(sql.Identifier(REPLACEMENT)))


def change_places(connection: Connection, definition: StoreDefinition) -> None:
    """Drop the old store and move the new tables to its place; for a transaction, in the ``public`` schema."""
    drop_objects(connection, definition)
    for table in _tables(definition):
        connection.execute(
            sql.SQL("ALTER TABLE {} SET SCHEMA {}").format(sql.Identifier(REPLACEMENT, table), sql.Identifier(PUBLIC))
        )
    connection.execute(sql.SQL("DROP SCHEMA {}").format(sql.Identifier(REPLACEMENT)))


def drop_objects(connection: Connection, definition: StoreDefinition) -> None:
    """Drop everything that a build makes, all or nothing."""
    connection.execute(f"{definition.script('drop')}\nDROP TABLE IF EXISTS {STORE_TABLE};".encode())


def _tables(definition: StoreDefinition) -> list[str]:
    return [*definition.tables, STORE_TABLE]


def rights_obstacle(connection: Connection, target: Target) -> str:
    """Why this user can't build a store next to another one; empty if there is no known obstacle."""
    row: Any = connection.execute("SELECT has_database_privilege(current_database(), 'CREATE')").fetchone()
    if row[0]:
        return ""
    return (
        f"user '{target.user}' may not make a schema for the new one beside it (GRANT CREATE ON DATABASE"
        f' "{target.database}" TO "{target.user}")'
    )


def free_bytes(connection: Connection) -> int | None:
    """What is free where the database's tables are, if the server is on this machine; ``None`` when that is not known.

    The server's folder is taken for ours only when the server's process file in it says the same port and start.
    """
    host = connection.info.host
    if host not in _LOOPBACK and not host.startswith("/"):
        return None
    try:
        row: Any = connection.execute(_PLACE).fetchone()
    except psycopg.errors.InsufficientPrivilege:
        return None
    data_directory, port, default_tablespace, tablespace, started_at = row
    if default_tablespace:
        return None
    try:
        lines = Path(data_directory, "postmaster.pid").read_text(encoding="utf-8").splitlines()
        is_ours = lines[3] == port and abs(int(lines[2]) - float(started_at)) <= _LATEST_START_SECONDS
        return shutil.disk_usage(tablespace or data_directory).free if is_ours else None
    except (OSError, ValueError, IndexError):
        return None
