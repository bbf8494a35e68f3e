"""The probe of a PostgreSQL host: whether it commits writes, and which server it is.

A primary that waits for its standby completes no commit, and a frozen server still accepts connections: so the probe is
a commit, of a logical message in the log that touches no table. Nothing here blocks beyond its time.
"""

import selectors
import time
from collections.abc import Generator
from dataclasses import replace

from psycopg import OperationalError, pq
from psycopg.pq.abc import PGconn, PGresult

from engine.databases.database import ProbeAnswer, Timeouts
from engine.databases.postgresql.connection import Attempt, unresolved_host_error
from engine.databases.postgresql.errors import classified_error
from engine.databases.racing import addresses_of, wait_for
from engine.errors import ErrorClass, TargetError
from engine.secrets import Secret
from engine.target.target import Host, Target

LEAST_PATIENCE_SECONDS = 1.0
MOST_PATIENCE_SECONDS = 8.0
_PROBE = (
    b"SELECT CASE WHEN pg_is_in_recovery() OR current_setting('transaction_read_only')::bool THEN NULL"
    b" ELSE pg_logical_emit_message(true, 'spindle', 'probe') END IS NOT NULL, pg_postmaster_start_time()"
)
_Step = Generator[tuple[int, int], None, ProbeAnswer]


class PostgreSQLProber:
    """Implements ``engine.databases.database.Prober``.

    A connection without an answer is given up after a second: one that the network has swallowed would come back late.
    Only where the host lets us in anew and still commits nothing is the next one waited for longer, up to
    ``MOST_PATIENCE_SECONDS``, for each one that is given up then leaves a session that waits on the server.
    """

    def __init__(self, target: Target, host: Host, secret: Secret | None) -> None:
        self._target = replace(target, hosts=(host,))
        self._host = host
        self._secret = secret
        self._attempt: Attempt | None = None
        self._attempts = 0
        self._connection: PGconn | None = None
        self._under_way: _Step | None = None
        self._waits_for: tuple[int, int] | None = None
        self._give_up_at = 0.0
        self._patience_seconds = LEAST_PATIENCE_SECONDS

    def probe(self, within_seconds: float) -> ProbeAnswer | None:
        until = time.monotonic() + within_seconds
        try:
            if self._under_way is None:
                self._under_way = self._round_trip()
                self._waits_for = next(self._under_way)
            while self._waits_for is not None and wait_for(dict([self._waits_for]), min(until, self._give_up_at)):
                self._waits_for = next(self._under_way)
        except StopIteration as ended:
            self._under_way = None
            answer: ProbeAnswer = ended.value
            return answer
        except OperationalError as error:
            self.close()
            raise TargetError(ErrorClass.CONNECTION_LOST, str(error), usable=False) from error
        except TargetError:
            self.close()
            raise
        if time.monotonic() >= self._give_up_at:
            self.close()
        return None

    def close(self) -> None:
        if self._attempt is not None:
            self._attempt.give_up()
        if self._connection is not None:
            self._connection.finish()
        self._attempt = self._connection = self._under_way = None

    def _round_trip(self) -> _Step:
        """Connect when there is no connection, and ask; yields the socket and the events to wait for."""
        is_new = self._connection is None
        if self._connection is None:
            yield from self._connecting()
        connection = self._connection
        assert connection is not None, "connecting raises when it fails"
        self._give_up_at = time.monotonic() + self._patience_seconds
        if is_new:
            self._patience_seconds = min(2 * self._patience_seconds, MOST_PATIENCE_SECONDS)
        connection.send_query(_PROBE)
        connection.flush()
        while connection.is_busy():
            yield connection.socket, selectors.EVENT_READ
            connection.consume_input()
        answer = self._answer(connection)
        self._patience_seconds = LEAST_PATIENCE_SECONDS
        return answer

    def _connecting(self) -> Generator[tuple[int, int], None, None]:
        timeouts = Timeouts(connect_seconds=LEAST_PATIENCE_SECONDS)
        self._give_up_at = time.monotonic() + LEAST_PATIENCE_SECONDS
        addresses = addresses_of(self._host, unresolved_host_error(self._target))
        # A silent one has all the time of an attempt: the next attempt begins with another.
        first = self._attempts % len(addresses)
        self._attempts += 1
        in_turn = (*addresses[first:], *addresses[:first])
        self._attempt = Attempt(self._target, self._host, self._secret, timeouts, addresses=in_turn)
        while True:
            yield self._attempt.socket, self._attempt.events
            if self._attempt.advance():
                break
        self._connection, self._attempt = self._attempt.connection, None

    @staticmethod
    def _answer(connection: PGconn) -> ProbeAnswer:
        answer: PGresult | None = None
        while (result := connection.get_result()) is not None:
            answer = result
        if answer is None or answer.status != pq.ExecStatus.TUPLES_OK:
            message = "the connection was lost" if answer is None else answer.get_error_message()
            sqlstate = b"" if answer is None else answer.error_field(pq.DiagnosticField.SQLSTATE) or b""
            raise classified_error(message, sqlstate.decode(), usable=connection.status == pq.ConnStatus.OK)
        return ProbeAnswer(takes_writes=answer.get_value(0, 0) == b"t", server=(answer.get_value(0, 1) or b"").decode())
