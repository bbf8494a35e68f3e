"""What is recorded of a SQL Server with a run: version, edition, memory, parallelism, logging, files, group."""

from engine.databases.mssql.availability import availability
from engine.databases.mssql.running import one
from engine.databases.odbc.connection import OdbcConnection

# Properties and configuration values come as sql_variant, which not every driver can read.
_SERVER = """\
SELECT
    CAST(SERVERPROPERTY('ProductVersion') AS nvarchar(128)),
    CAST(SERVERPROPERTY('Edition') AS nvarchar(128)),
    CAST(SERVERPROPERTY('ProductLevel') AS nvarchar(128)),
    CAST(SERVERPROPERTY('ProductUpdateLevel') AS nvarchar(128)),
    CAST(SERVERPROPERTY('Collation') AS nvarchar(128)),
    CAST(SERVERPROPERTY('IsHadrEnabled') AS nvarchar(10)),
    CAST(SERVERPROPERTY('IsClustered') AS nvarchar(10)),
    @@SERVERNAME
"""
_SERVER_NAMES = ("edition", "product level", "update level", "collation", "always on enabled", "failover cluster")
_CONFIGURATION = """\
SELECT c.name, CAST(c.value_in_use AS nvarchar(40)) FROM sys.configurations AS c
WHERE c.name IN (
    N'max server memory (MB)', N'min server memory (MB)', N'max degree of parallelism',
    N'cost threshold for parallelism', N'max worker threads', N'optimize for ad hoc workloads',
    N'recovery interval (min)', N'affinity mask', N'lightweight pooling', N'backup compression default'
)
ORDER BY c.name
"""
_DATABASE = """\
SELECT d.recovery_model_desc, CAST(d.compatibility_level AS nvarchar(10)), d.page_verify_option_desc,
    d.snapshot_isolation_state_desc, CAST(d.is_read_committed_snapshot_on AS nvarchar(10)),
    d.delayed_durability_desc, CAST(d.target_recovery_time_in_seconds AS nvarchar(20)),
    CAST(d.is_auto_update_stats_on AS nvarchar(10)), CAST(d.is_encrypted AS nvarchar(10)),
    CAST(DATABASEPROPERTYEX(d.name, 'Updateability') AS nvarchar(128))
FROM sys.databases AS d WHERE d.database_id = DB_ID()
"""
_DATABASE_NAMES = (
    "recovery model", "compatibility level", "page verify", "snapshot isolation", "read committed snapshot",
    "delayed durability", "target recovery time (s)", "auto update statistics", "encrypted",
)  # fmt: skip
_FILES = """\
SELECT s.name, COUNT(*), SUM(CAST(f.size AS bigint)) / 128
FROM sys.database_files AS f LEFT JOIN sys.filegroups AS s ON s.data_space_id = f.data_space_id
WHERE f.type IN (0, 1)
GROUP BY s.name
ORDER BY s.name
"""
_TEMPDB = "SELECT COUNT(*), SUM(CAST(f.size AS bigint)) / 128 FROM tempdb.sys.database_files AS f WHERE f.type = 0"
_MAY_SEE_STATE = "SELECT HAS_PERMS_BY_NAME(NULL, NULL, 'VIEW SERVER STATE')"
_MACHINE = """\
SELECT CAST(i.cpu_count AS nvarchar(10)), CAST(i.physical_memory_kb / 1024 AS nvarchar(20)) FROM sys.dm_os_sys_info AS i
"""


def environment(connection: OdbcConnection, database: str) -> tuple[str, bool, dict[str, str]]:
    """The server's version, whether the database takes writes, and all settings that make a difference.

    From a connection to the database. What this user may not see is left out.
    """
    version, *facts, name = one(connection, _SERVER)
    settings = {"server name": str(name), **_named(_SERVER_NAMES, facts)}
    settings |= {str(key): str(value) for key, value in connection.query(_CONFIGURATION)}
    *facts, updateability = one(connection, _DATABASE)
    settings |= _named(_DATABASE_NAMES, facts)
    settings |= _files(connection)
    if one(connection, _MAY_SEE_STATE)[0]:
        settings |= _named(("processors", "memory (MB)"), list(one(connection, _MACHINE)))
    settings |= availability(connection, database)
    return str(version), updateability == "READ_WRITE", dict(sorted(settings.items()))


def _files(connection: OdbcConnection) -> dict[str, str]:
    settings = {
        f"files of {name or 'the log'}": f"{files} of {size_mb} MB together"
        for name, files, size_mb in connection.query(_FILES)
    }
    files, size_mb = one(connection, _TEMPDB)
    settings["files of tempdb"] = f"{files} of {size_mb} MB together"
    return settings


def _named(names: tuple[str, ...], facts: list[object]) -> dict[str, str]:
    """What the server told; a property that it does not know is left out."""
    return {name: str(fact) for name, fact in zip(names, facts, strict=True) if fact is not None}
