"""The activity of a SQL Server, by its dynamic management views.

Wait statistics are sums since the server's start; what they grow by in a second is the number of sessions that waited.
Their types are grouped as Microsoft's description of ``sys.dm_os_wait_stats`` explains them.
"""

from collections.abc import Iterable

from engine.databases.activity import ServerActivity
from engine.databases.mssql.dialect import SqlServerDialect
from engine.databases.mssql.scripts import batches
from engine.databases.odbc.activity import OdbcActivity
from engine.databases.odbc.connection import OdbcConnection
from engine.secrets import Secret
from engine.target.target import Target

_GROUPS = (
    ("LCK_M_", "locks"),
    ("PAGEIOLATCH_", "data files"),
    ("IO_COMPLETION", "data files"),
    ("ASYNC_IO_COMPLETION", "data files"),
    ("WRITELOG", "log file"),
    ("LOGBUFFER", "log file"),
    ("PAGELATCH_", "latches"),
    ("LATCH_", "latches"),
    ("CX", "parallel plans"),
    ("SOS_SCHEDULER_YIELD", "processor"),
    ("THREADPOOL", "processor"),
    ("RESOURCE_SEMAPHORE", "memory"),
    ("ASYNC_NETWORK_IO", "client"),
    ("HADR_SYNC_COMMIT", "replicas"),
)


def activity_of(target: Target, secret: Secret | None) -> OdbcActivity:
    """The reader of a target's server."""
    (question,) = batches("activity")

    def ask(connection: OdbcConnection) -> ServerActivity:
        return activity_from((str(kind), str(name), value) for kind, name, value in connection.query(question))

    return OdbcActivity(SqlServerDialect(), target, secret, ask)


def activity_from(rows: Iterable[tuple[str, str, float | None]]) -> ServerActivity:
    """The activity by the rows of the query: kind, name, value."""
    waited: dict[str, float] = {}
    counters: dict[str, float] = {}
    lags: dict[str, float] = {}
    for kind, name, value in rows:
        if value is None:
            continue
        if kind == "wait":
            group = next((group for prefix, group in _GROUPS if name.startswith(prefix)), None)
            if group is not None:
                waited[group] = waited.get(group, 0.0) + value / 1000
        else:
            (counters if kind == "counter" else lags)[name] = value
    lookups, reads = counters.get("Page lookups/sec"), counters.get("Page reads/sec")
    return ServerActivity(
        waited_seconds=waited,
        buffer_hits=None if lookups is None or reads is None else max(0.0, lookups - reads),
        buffer_reads=reads,
        log_bytes=counters.get("Log Bytes Flushed/sec"),
        commits=counters.get("Transactions/sec"),
        lags_seconds=lags,
    )
