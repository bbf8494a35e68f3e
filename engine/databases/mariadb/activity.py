"""The activity of a MariaDB or MySQL server, by SHOW GLOBAL STATUS, and by the performance schema where it is on.

Which session waits for what, only the performance schema's instruments say, of which those of files, locks and table
handlers are on by default on MySQL. MariaDB has the schema off by default: then only the waits for row locks are known.
"""

import time
from collections.abc import Mapping
from dataclasses import replace

from engine.databases.activity import RUNNING, ServerActivity
from engine.databases.log_positions import LogPositions
from engine.databases.mariadb.dialect import dialect_of
from engine.databases.mariadb.errors import MAY_NOT
from engine.databases.mariadb.replicas import Replicas, written_position
from engine.databases.odbc.activity import OdbcActivity
from engine.databases.odbc.connection import OdbcConnection
from engine.errors import TargetError
from engine.secrets import Secret
from engine.target.target import Target

_STATUS = """
    SHOW GLOBAL STATUS WHERE Variable_name IN ('Threads_running', 'Innodb_row_lock_current_waits',
    'Innodb_buffer_pool_read_requests', 'Innodb_buffer_pool_reads', 'Innodb_os_log_written', 'Com_commit')
"""
_HAS_SCHEMA = "SHOW GLOBAL VARIABLES WHERE Variable_name = 'performance_schema'"
_PICOSECONDS = 1e12
_WAITS = """
    SELECT CASE
        WHEN event_name LIKE 'wait/io/file/innodb/%log%' THEN 'log file'
        WHEN event_name LIKE 'wait/io/file/sql/binlog%' THEN 'binary log'
        WHEN event_name LIKE 'wait/io/file/%' THEN 'data files'
        WHEN event_name LIKE 'wait/lock/%' THEN 'table locks'
        ELSE 'latches' END AS waited_for, sum(sum_timer_wait)
    FROM performance_schema.events_waits_summary_global_by_event_name
    WHERE count_star > 0 AND (event_name LIKE 'wait/io/file/%' OR event_name LIKE 'wait/lock/%'
        OR event_name LIKE 'wait/synch/%')
    GROUP BY waited_for
"""


class MariaDBActivity:
    """Implements ``engine.databases.activity.ActivityReader``; of several hosts it asks the one that takes writes, and
    the others how far they have followed."""

    def __init__(self, target: Target, secret: Secret | None) -> None:
        self._kind, self._has_replicas = target.kind, len(target.hosts) > 1
        self._server = OdbcActivity(dialect_of(target.kind), target, secret, self._activity)
        self._replicas = Replicas(target, secret)
        self._positions = LogPositions()
        self._connection: OdbcConnection | None = None
        self._has_schema = False

    def read(self) -> ServerActivity:
        return self._server.read()

    def close(self) -> None:
        self._server.close()
        self._replicas.close()

    def _activity(self, connection: OdbcConnection) -> ServerActivity:
        """Ask over a connection. Raises ``TargetError``."""
        if connection is not self._connection:
            self._has_schema = dict(map(tuple, connection.query(_HAS_SCHEMA))).get("performance_schema") == "ON"
            self._replicas.start()
            self._connection = connection
        status = {str(name).lower(): float(value) for name, value in connection.query(_STATUS)}
        activity = activity_from(status, self._waits(connection) if self._has_schema else {})
        return replace(activity, lags_seconds=self._lags(connection)) if self._has_replicas else activity

    def _lags(self, connection: OdbcConnection) -> Mapping[str, float]:
        """How long each replica is behind; nothing of a primary without GTIDs."""
        at_seconds = time.monotonic()
        if not (position := written_position(connection, self._kind)):
            return {}
        self._positions.add(at_seconds, position)
        return {name: self._positions.lag_seconds(*known) for name, known in self._replicas.applied().items()}

    def _waits(self, connection: OdbcConnection) -> dict[str, float]:
        try:
            return {str(name): float(waited) / _PICOSECONDS for name, waited in connection.query(_WAITS)}
        except TargetError as error:
            if not error.usable or error.code not in map(str, MAY_NOT):
                raise
            self._has_schema = False  # not for this user
            return {}


def activity_from(status: dict[str, float], waited_seconds: dict[str, float]) -> ServerActivity:
    """The activity by status variables, their names in lower case; the thread that asks is left out."""
    sessions = {}
    waiting = status.get("innodb_row_lock_current_waits")
    if (running := status.get("threads_running")) is not None:
        sessions[RUNNING] = max(0.0, running - 1 - (waiting or 0.0))
    if waiting:
        sessions["row locks"] = waiting
    requests, reads = status.get("innodb_buffer_pool_read_requests"), status.get("innodb_buffer_pool_reads")
    return ServerActivity(
        sessions=sessions,
        waited_seconds=waited_seconds,
        buffer_hits=None if requests is None or reads is None else max(0.0, requests - reads),
        buffer_reads=reads,
        log_bytes=status.get("innodb_os_log_written"),
        commits=status.get("com_commit"),
    )
