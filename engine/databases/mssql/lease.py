"""The lease of a store in SQL Server: its statements."""

from engine.databases.database import Timeouts
from engine.databases.lease import LeaseSql, LeaseTable
from engine.databases.mssql.audit import STORE_IDENTITY
from engine.databases.mssql.dialect import SqlServerDialect
from engine.databases.mssql.scripts import batches
from engine.databases.odbc import lease
from engine.secrets import Secret
from engine.target.target import Target

_LOCK_SECONDS = 5.0
_FOUND = """\
SELECT
    CASE WHEN OBJECT_ID(N'dbo.spindle_store', N'U') IS NULL THEN 0 ELSE 1 END,
    CASE WHEN OBJECT_ID(N'dbo.spindle_lease', N'U') IS NULL THEN 0 ELSE 1 END
"""
SQL = LeaseSql(
    table="dbo.spindle_lease",
    found=_FOUND,
    make=tuple(batches("lease")),
    identity=STORE_IDENTITY,
    added_above="SELECT COUNT_BIG(*) FROM dbo.orders WHERE orderid > ?",
    now="SYSUTCDATETIME()",
    since="DATEDIFF_BIG(millisecond, '1970-01-01', since) / 1000e0",
    silent_seconds="DATEDIFF_BIG(millisecond, heartbeat_at, SYSUTCDATETIME()) / 1000e0",
)


def open_lease(target: Target, secret: Secret | None, timeouts: Timeouts) -> LeaseTable:
    """The lease of the store in a target's database, on its first host that takes writes; raises ``TargetError``."""
    return lease.open_lease(SqlServerDialect(lock_seconds=_LOCK_SECONDS), SQL, target, secret, timeouts)
