"""The lease of a store in SQL Server: its statements."""

from engine.databases.database import Timeouts
from engine.databases.lease import LeaseSql, LeaseTable
from engine.databases.mssql.definition import SqlServerDefinition
from engine.databases.mssql.dialect import SqlServerDialect
from engine.databases.mssql.scripts import batches
from engine.databases.mssql.store_record import store_identity
from engine.databases.odbc import lease
from engine.secrets import Secret
from engine.target.target import Target

_LOCK_SECONDS = 5.0
_FOUND = """\
SELECT
    CASE WHEN OBJECT_ID(N'dbo.spindle_store', N'U') IS NULL THEN 0 ELSE 1 END,
    CASE WHEN OBJECT_ID(N'dbo.spindle_lease', N'U') IS NULL THEN 0 ELSE 1 END
"""


def lease_sql(definition: SqlServerDefinition) -> LeaseSql:
    """The statements of the lease of a workload's store."""
    return LeaseSql(
        table="dbo.spindle_lease",
        found=_FOUND,
        make=tuple(batches("lease")),
        identity=store_identity(definition),
        added_above=definition.qualified(definition.added_above),
        now="SYSUTCDATETIME()",
        since="DATEDIFF_BIG(millisecond, '1970-01-01', since) / 1000e0",
        silent_seconds="DATEDIFF_BIG(millisecond, heartbeat_at, SYSUTCDATETIME()) / 1000e0",
    )


def open_lease(
    target: Target, secret: Secret | None, timeouts: Timeouts, definition: SqlServerDefinition
) -> LeaseTable:
    """The lease of the store in a target's database, on its first host that takes writes; raises ``TargetError``."""
    dialect = SqlServerDialect(lock_seconds=_LOCK_SECONDS)
    return lease.open_lease(dialect, lease_sql(definition), target, secret, timeouts)
