"""What is recorded of a SQL Server with a run: version, edition, memory, parallelism, logging, files, group."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from engine.databases.mssql.log_space import log_space
from engine.databases.mssql.running import one, query_if_permitted
from engine.databases.mssql.scripts import batches
from engine.databases.odbc.connection import OdbcConnection
from engine.errors import ErrorClass, TargetError

_MAY_LOOK = "SELECT HAS_PERMS_BY_NAME(NULL, NULL, N'VIEW SERVER STATE')"
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
    CAST(d.is_auto_update_stats_on AS nvarchar(10)), CAST(d.is_encrypted AS nvarchar(10))
FROM sys.databases AS d WHERE d.database_id = DB_ID()
"""
_DATABASE_NAMES = (
    "recovery model", "compatibility level", "page verify", "snapshot isolation", "read committed snapshot",
    "delayed durability", "target recovery time (s)", "auto update statistics", "encrypted",
)  # fmt: skip
_UPDATEABILITY = "SELECT CAST(DATABASEPROPERTYEX(DB_NAME(), 'Updateability') AS nvarchar(128))"
_FILES = """\
SELECT s.name, COUNT(*), SUM(CAST(f.size AS bigint)) / 128
FROM sys.database_files AS f LEFT JOIN sys.filegroups AS s ON s.data_space_id = f.data_space_id
WHERE f.type IN (0, 1)
GROUP BY s.name
ORDER BY s.name
"""
_TEMPDB = "SELECT COUNT(*), SUM(CAST(f.size AS bigint)) / 128 FROM tempdb.sys.database_files AS f WHERE f.type = 0"
# Version by version there is more to be seen: what a server does not know is left out, as is what a user may not see.
_DATABASE_OPTIONS = {
    "query store": (
        "SELECT CAST(d.is_query_store_on AS nvarchar(10)) FROM sys.databases AS d WHERE d.database_id = DB_ID()"
    ),
    "accelerated database recovery": (
        "SELECT CAST(d.is_accelerated_database_recovery_on AS nvarchar(10)) FROM sys.databases AS d"
        " WHERE d.database_id = DB_ID()"
    ),
    "optimize for sequential key": (
        "SELECT i.name FROM sys.indexes AS i WHERE i.optimize_for_sequential_key = 1 ORDER BY i.name"
    ),
}
_SCOPED = "SELECT c.name, CAST(c.value AS nvarchar(60)) FROM sys.database_scoped_configurations AS c ORDER BY c.name"
_TRACE_FLAGS = "DBCC TRACESTATUS(-1) WITH NO_INFOMSGS"
_PLATFORM = "SELECT h.host_platform, h.host_distribution FROM sys.dm_os_host_info AS h"
_MAY_SEE_STATE = "SELECT HAS_PERMS_BY_NAME(NULL, NULL, 'VIEW SERVER STATE')"
# What only who has VIEW SERVER STATE may see.
_MACHINE = {
    "processors": "SELECT CAST(i.cpu_count AS nvarchar(10)) FROM sys.dm_os_sys_info AS i",
    "schedulers": "SELECT CAST(i.scheduler_count AS nvarchar(10)) FROM sys.dm_os_sys_info AS i",
    "memory (MB)": "SELECT CAST(i.physical_memory_kb / 1024 AS nvarchar(20)) FROM sys.dm_os_sys_info AS i",
    "memory model": "SELECT i.sql_memory_model_desc FROM sys.dm_os_sys_info AS i",
    "instant file initialization": (
        "SELECT TOP (1) s.instant_file_initialization_enabled FROM sys.dm_server_services AS s"
        " WHERE s.instant_file_initialization_enabled IS NOT NULL"
    ),
}
_VERSION_STORE = """\
SELECT SUM(CAST(f.version_store_reserved_page_count AS bigint)) / 128 FROM tempdb.sys.dm_db_file_space_usage AS f
"""


class Environment(NamedTuple):
    """What a server reports about itself; as in ``engine.databases.database.ServerInfo``."""

    version: str
    writable: bool
    settings: dict[str, str]
    measures: dict[str, str]
    warnings: tuple[str, ...]


def environment(connection: OdbcConnection, database: str) -> Environment:
    """All that makes a difference, from a connection to the database.

    What this user may not see, or this version of the server does not know, is left out; the settings name what should
    have been there and was refused.
    """
    queries = _EnvironmentQueries(connection)
    version, *facts, name = one(connection, _SERVER)
    (updateability,) = one(connection, _UPDATEABILITY)
    settings = {"server name": str(name), **_named(_SERVER_NAMES, facts)}
    settings |= {str(key): str(value) for key, value in queries.rows("server configuration", _CONFIGURATION)}
    for facts in queries.rows("database options", _DATABASE):
        settings |= _named(_DATABASE_NAMES, list(facts))
    settings |= _files(queries)
    settings |= _optional(connection, _DATABASE_OPTIONS)
    settings |= {
        f"scoped: {key}": str(value)
        for key, value in query_if_permitted(connection, _SCOPED) or ()
        if value is not None
    }
    flags = sorted(int(flag) for flag, *_ in query_if_permitted(connection, _TRACE_FLAGS) or ())
    settings |= {"trace flags": ", ".join(map(str, flags))} if flags else {}
    for platform, distribution in query_if_permitted(connection, _PLATFORM) or ():
        settings["platform"] = f"{platform} ({distribution})" if distribution else str(platform)
    space = log_space(connection)
    measures = space.measures() if space is not None else {}
    if one(connection, _MAY_SEE_STATE)[0]:
        settings |= _optional(connection, _MACHINE)
        measures |= _optional(connection, {"tempdb version store (MB)": _VERSION_STORE})
    settings |= queries.named("availability group", lambda: availability(connection, database))
    settings |= queries.refused()
    warnings = [space.warning(database) if space is not None else "", queries.warning(database)]
    return Environment(
        version=str(version),
        writable=updateability == "READ_WRITE",
        settings=dict(sorted(settings.items())),
        measures=measures,
        warnings=tuple(filter(None, warnings)),
    )


class _EnvironmentQueries:
    """Questions that every server answers, unless an administrator has taken the right to ask away."""

    def __init__(self, connection: OdbcConnection) -> None:
        self._connection = connection
        self._refused: list[str] = []

    def rows(self, what: str, query: str) -> list[Any]:
        found = query_if_permitted(self._connection, query)
        if found is None:
            self._refused.append(what)
        return found or []

    def named(self, what: str, question: Callable[[], dict[str, str]]) -> dict[str, str]:
        try:
            return question()
        except TargetError as error:
            if error.error_class is not ErrorClass.OTHER:
                raise
            self._refused.append(what)
            return {}

    def refused(self) -> dict[str, str]:
        return {"not seen": ", ".join(self._refused)} if self._refused else {}

    def warning(self, database: str) -> str:
        if not self._refused:
            return ""
        return (
            f"The server shows this user nothing of: {', '.join(self._refused)} (database '{database}'); they are"
            " missing from what is recorded, so that a difference in them can't be seen when runs are compared."
        )


def _optional(connection: OdbcConnection, questions: Mapping[str, str]) -> dict[str, str]:
    """The answers to questions of one column each, as far as there are any."""
    answers = {name: query_if_permitted(connection, question) or [] for name, question in questions.items()}
    texts = {name: ", ".join(str(row[0]) for row in rows if row[0] is not None) for name, rows in answers.items()}
    return {name: text for name, text in texts.items() if text}


def _files(queries: _EnvironmentQueries) -> dict[str, str]:
    settings = {
        f"files of {name or 'the log'}": f"{files} of {size_mb} MB together"
        for name, files, size_mb in queries.rows("files", _FILES)
    }
    for files, size_mb in queries.rows("files of tempdb", _TEMPDB):
        settings["files of tempdb"] = f"{files} of {size_mb} MB together"
    return settings


def _named(names: tuple[str, ...], facts: list[object]) -> dict[str, str]:
    """The server's answer; properties that it does not know are left out."""
    return {name: str(fact) for name, fact in zip(names, facts, strict=True) if fact is not None}


def availability(connection: OdbcConnection, database: str) -> dict[str, str]:
    """What is known of a database's Always On availability group, by names fit for a server's settings.

    Empty when it is in none, or when this login does not have VIEW SERVER STATE.
    """
    ((may_look,),) = connection.query(_MAY_LOOK)
    (question,) = batches("availability")
    rows = connection.query(question, database) if may_look else []
    if not rows:
        return {}
    known = {"availability group": str(rows[0][0])}
    for _, server, mode, failover, role, synchronization, is_local in rows:
        known[f"availability replica {server}"] = f"{role}, {mode}, {failover} failover, {synchronization}"
        if is_local:
            known["availability mode"] = str(mode)
            known["availability role"] = str(role)
            known["availability synchronization"] = str(synchronization)
    return known
