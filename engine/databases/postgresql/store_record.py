"""The record of a store in PostgreSQL, and what identifies the store in a lease and an audit."""

from psycopg.rows import dict_row

from engine.databases.definition import StoreDefinition
from engine.databases.postgresql.admin import Connection
from engine.databases.store_record import StoreRecord, record_of
from engine.target.target import Target


def record_in(connection: Connection, target: Target, definition: StoreDefinition) -> StoreRecord | None:
    """The record of the store in a connection's database; ``None`` if there is none. Raises ``UserError``."""
    is_there = connection.execute("SELECT to_regclass('public.spindle_store') IS NOT NULL").fetchone()
    if is_there != (True,):
        return None
    with connection.cursor(row_factory=dict_row) as cursor:
        row = cursor.execute("SELECT * FROM public.spindle_store").fetchone()
    return None if row is None else record_of(row, target, definition.workload)


def store_identity(definition: StoreDefinition) -> str:
    """The query for when the store was built or last reset, and its ``StoreState.high_water``; no row if it is only
    partly built.
    """
    built_at = """to_char(built_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')"""
    return f"SELECT {built_at}, ({definition.high_water}) FROM spindle_store WHERE state = 'complete'"  # noqa: S608
