"""The activity of a PostgreSQL server, by its statistics views, in one query.

Of other roles' sessions a role without ``pg_read_all_stats`` sees nothing; Spindle's users have the role of the target.
"""

import json
import selectors
import time
from collections.abc import Collection

import psycopg
from psycopg import pq
from psycopg.pq.abc import PGconn, PGresult

from engine.databases.activity import ANSWER_SECONDS, CONNECT_SECONDS, RUNNING, ServerActivity
from engine.databases.database import Timeouts
from engine.databases.log_positions import LogPositions
from engine.databases.postgresql.connection import connect_any
from engine.databases.postgresql.errors import classified_error
from engine.databases.racing import wait_for
from engine.errors import ErrorClass, TargetError
from engine.secrets import Secret
from engine.target.target import Target

# Of these it is known when no session waits for them; other types are named once one does.
_USUAL_WAITS = ("Client", "IO", "IPC", "Lock", "LWLock")
_LOG = "WAL"
_STATEMENT = b"spindle_activity"
_OPTIONS = f"-c statement_timeout={round(1000 * ANSWER_SECONDS)}"
_QUERY = b"""\
WITH counted AS (
    SELECT sum(blks_hit)::float8 AS hits, sum(blks_read)::float8 AS reads, sum(xact_commit)::float8 AS commits
    FROM pg_stat_database WHERE datname IN (SELECT json_array_elements_text($1))
)
SELECT 'session', coalesce(wait_event_type, ''), count(*)::float8, NULL
FROM pg_stat_activity
WHERE state = 'active' AND backend_type = 'client backend' AND pid <> pg_backend_pid()
GROUP BY 2
UNION ALL
SELECT 'database', '', hits, reads FROM counted
UNION ALL
SELECT 'commits', '', commits, NULL FROM counted
UNION ALL
SELECT 'log', '', (CASE WHEN pg_is_in_recovery() THEN pg_last_wal_receive_lsn() ELSE pg_current_wal_lsn() END
    - '0/0')::float8, NULL
UNION ALL
SELECT 'standby', application_name, (replay_lsn - '0/0')::float8, extract(epoch FROM replay_lag)::float8
FROM pg_stat_replication WHERE state IN ('streaming', 'catchup') AND replay_lsn IS NOT NULL"""


class PostgreSQLActivity:
    """Implements ``engine.databases.activity.ActivityReader``; of several hosts it asks the one that takes writes."""

    def __init__(self, target: Target, secret: Secret | None, databases: Collection[str]) -> None:
        self._target = target
        self._databases = json.dumps(sorted(databases)).encode()
        self._secret = secret
        self._connection: PGconn | None = None
        self._positions = LogPositions()

    def read(self) -> ServerActivity:
        try:
            return self._activity(self._rows())
        except TargetError:
            self.close()
            raise
        except psycopg.OperationalError as error:  # libpq found the connection broken while it sent or received
            self.close()
            raise classified_error(str(error), error.sqlstate or "", usable=False) from error

    def close(self) -> None:
        if self._connection is not None:
            self._connection.finish()
        self._connection = None

    def _rows(self) -> list[tuple[str, str, float | None, float | None]]:
        """The rows of the query. Raises ``TargetError``, also when the answer does not come in time."""
        if self._connection is None:
            timeouts = Timeouts(connect_seconds=CONNECT_SECONDS, statement_seconds=ANSWER_SECONDS)
            self._connection, _ = connect_any(self._target, self._secret, timeouts, options=_OPTIONS)
            self._connection.send_prepare(_STATEMENT, _QUERY)  # planning it takes longer than the rest
            _answer_of(self._connection)
        self._connection.send_query_prepared(_STATEMENT, [self._databases])
        answer = _answer_of(self._connection)
        return [
            (_text(answer, row, 0), _text(answer, row, 1), _number(answer, row, 2), _number(answer, row, 3))
            for row in range(answer.ntuples)
        ]

    def _activity(self, rows: list[tuple[str, str, float | None, float | None]]) -> ServerActivity:
        found = {(kind, name): (value, more) for kind, name, value, more in rows}
        hits, reads = found.get(("database", ""), (None, None))
        log_bytes, _ = found.get(("log", ""), (None, None))
        now = time.monotonic()
        if log_bytes is not None:
            self._positions.add(now, {_LOG: log_bytes})
        return ServerActivity(
            sessions=dict.fromkeys((RUNNING, *_USUAL_WAITS), 0.0)
            | {name or RUNNING: count for (kind, name), (count, _) in found.items() if kind == "session" and count},
            buffer_hits=hits,
            buffer_reads=reads,
            log_bytes=log_bytes,
            commits=found.get(("commits", ""), (None, None))[0],
            lags_seconds={
                name: max(self._positions.lag_seconds(now, {_LOG: replayed}), lag or 0.0)
                for (kind, name), (replayed, lag) in found.items()
                if kind == "standby" and replayed is not None
            },
        )


def _answer_of(connection: PGconn) -> PGresult:
    """The answer to what was sent; raises ``TargetError`` for an error, and when it does not come in time."""
    give_up_at = time.monotonic() + CONNECT_SECONDS
    connection.flush()
    while connection.is_busy():
        if not wait_for({connection.socket: selectors.EVENT_READ}, give_up_at):
            raise TargetError(ErrorClass.TIMEOUT, "the server's statistics did not come in time", usable=False)
        connection.consume_input()
    answer: PGresult | None = None
    while (result := connection.get_result()) is not None:
        answer = result
    if answer is None or answer.status not in (pq.ExecStatus.TUPLES_OK, pq.ExecStatus.COMMAND_OK):
        message = "the connection was lost" if answer is None else answer.get_error_message()
        sqlstate = b"" if answer is None else answer.error_field(pq.DiagnosticField.SQLSTATE) or b""
        raise classified_error(message, sqlstate.decode(), usable=False)
    return answer


def _text(answer: PGresult, row: int, column: int) -> str:
    return (answer.get_value(row, column) or b"").decode()


def _number(answer: PGresult, row: int, column: int) -> float | None:
    value = answer.get_value(row, column)
    return None if value is None else float(value)
