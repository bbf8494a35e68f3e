"""The lease of a store in MariaDB or MySQL: its statements."""

from engine.databases.database import Timeouts
from engine.databases.definition import StoreDefinition
from engine.databases.lease import LeaseSql, LeaseTable
from engine.databases.mariadb.dialect import dialect_of
from engine.databases.mariadb.sql_text import script, statements
from engine.databases.mariadb.store_record import store_identity
from engine.databases.odbc import lease
from engine.secrets import Secret
from engine.target.target import Target

_TABLE = "(SELECT count(*) FROM information_schema.tables WHERE table_schema = database() AND table_name = '{}')"


def _lease_sql(definition: StoreDefinition) -> LeaseSql:
    return LeaseSql(
        table="spindle_lease",
        found=f"SELECT {_TABLE.format('spindle_store')}, {_TABLE.format('spindle_lease')}",
        make=tuple(statements(script("lease"))),
        identity=store_identity(definition),
        added_above=definition.added_above,
        now="utc_timestamp(6)",
        since="timestampdiff(MICROSECOND, '1970-01-01', since) / 1000000e0",
        silent_seconds="timestampdiff(MICROSECOND, heartbeat_at, utc_timestamp(6)) / 1000000e0",
    )


def open_lease(target: Target, secret: Secret | None, timeouts: Timeouts, definition: StoreDefinition) -> LeaseTable:
    """The lease of the store in a target's database, on its first host that takes writes; raises ``TargetError``."""
    return lease.open_lease(dialect_of(target.kind), _lease_sql(definition), target, secret, timeouts)
