"""The record of a store in MariaDB, and what identifies the store in a lease and an audit."""

from engine.databases.definition import StoreDefinition
from engine.databases.mariadb.errors import NO_SUCH_TABLE
from engine.databases.odbc.connection import OdbcConnection
from engine.databases.store_record import StoreRecord, record_of
from engine.errors import TargetError
from engine.target.target import Target


def record_in(connection: OdbcConnection, target: Target, definition: StoreDefinition) -> StoreRecord | None:
    """The record of the store in a connection's database; ``None`` if there is none. Raises ``UserError``."""
    try:
        row = connection.first_row("SELECT * FROM spindle_store")
    except TargetError as error:
        if error.code == str(NO_SUCH_TABLE):
            return None
        raise
    return None if row is None else record_of(row, target, definition.workload)


def store_identity(definition: StoreDefinition) -> str:
    """The query for when the store was built or last reset, and its ``StoreState.high_water``; no row if it is only
    partly built.
    """
    built_at = "date_format(built_at, '%Y-%m-%dT%H:%i:%s.%fZ')"
    return f"SELECT {built_at}, ({definition.high_water}) FROM spindle_store WHERE state = 'complete'"  # noqa: S608
