"""Asking one host again and again whether it commits writes, over ODBC, whose calls block for as long as they like."""

import threading
import time
from collections.abc import Callable
from dataclasses import replace

from engine.databases.database import ProbeAnswer, Timeouts
from engine.databases.odbc.connecting import connect_any
from engine.databases.odbc.connection import OdbcConnection
from engine.databases.odbc.dialect import Dialect
from engine.errors import ErrorClass, TargetError
from engine.secrets import Secret
from engine.target.target import Host, Target

LEAST_PATIENCE_SECONDS = 1.0
MOST_PATIENCE_SECONDS = 8.0

ProbeConnection = Callable[[OdbcConnection], ProbeAnswer]


class OdbcProber:
    """Implements ``engine.databases.database.Prober``; ``probe`` is the DBMS's own.

    A connection without an answer is given up after a second: one that the network has swallowed would come back late.
    Only where the host lets us in anew and still says nothing is the next one waited for longer, up to
    ``MOST_PATIENCE_SECONDS``, for each one that is given up then leaves a session that waits on the server.
    """

    def __init__(
        self, dialect: Dialect, target: Target, host: Host, secret: Secret | None, probe: ProbeConnection
    ) -> None:
        self._open = _Opener(dialect, replace(target, hosts=(host,)), secret)
        self._probe = probe
        self._connection: OdbcConnection | None = None
        self._under_way: _RoundTrip | None = None
        self._patience_seconds = LEAST_PATIENCE_SECONDS

    def probe(self, within_seconds: float) -> ProbeAnswer | None:
        until = time.monotonic() + within_seconds
        if self._under_way is None:
            self._under_way = _RoundTrip(self._open, self._connection, self._probe, self._patience_seconds)
        round_trip = self._under_way
        round_trip.wait_until(until)
        if not round_trip.has_ended:
            if time.monotonic() >= round_trip.give_up_at:
                if round_trip.is_new and round_trip.connection is not None:
                    self._patience_seconds = min(2 * self._patience_seconds, MOST_PATIENCE_SECONDS)
                self.close()
            return None
        self._under_way, self._connection = None, round_trip.connection
        if round_trip.error is not None:
            self.close()
            raise round_trip.error
        self._patience_seconds = LEAST_PATIENCE_SECONDS
        return round_trip.answer

    def close(self) -> None:
        round_trip, connection = self._under_way, self._connection
        self._under_way = self._connection = None
        if round_trip is not None:
            round_trip.give_up()
        elif connection is not None:
            connection.discard()


class _Opener:
    def __init__(self, dialect: Dialect, target: Target, secret: Secret | None) -> None:
        self._dialect = dialect
        self._target = target
        self._secret = secret

    def __call__(self) -> OdbcConnection:
        timeouts = Timeouts(connect_seconds=LEAST_PATIENCE_SECONDS)
        connection, _ = connect_any(self._dialect, self._target, self._secret, timeouts)
        return connection


class _RoundTrip:
    """One query on a separate thread, including the connection that it needs."""

    def __init__(
        self,
        open_connection: _Opener,
        connection: OdbcConnection | None,
        probe: ProbeConnection,
        patience_seconds: float,
    ) -> None:
        self.connection = connection
        self.is_new = connection is None
        self.answer: ProbeAnswer | None = None
        self.error: Exception | None = None
        self.give_up_at = time.monotonic() + (LEAST_PATIENCE_SECONDS if self.is_new else patience_seconds)
        self._open = open_connection
        self._probe = probe
        self._patience_seconds = patience_seconds
        self._has_ended = threading.Event()
        self._is_given_up = False
        self._lock = threading.Lock()
        threading.Thread(target=self._run, name="odbc-probe", daemon=True).start()

    @property
    def has_ended(self) -> bool:
        return self._has_ended.is_set()

    def wait_until(self, moment: float) -> None:
        """Until the answer is there, the moment has come, or the patience is at its end."""
        while not self.has_ended:
            left = min(moment, self.give_up_at) - time.monotonic()
            if left <= 0 or self._has_ended.wait(left):
                return

    def give_up(self) -> None:
        """Leave the conversation to itself; its connection is cut, now or when it is there."""
        with self._lock:
            self._is_given_up = True
            connection, has_ended = self.connection, self.has_ended
        if connection is not None and has_ended:
            connection.discard()
        elif connection is not None:
            connection.cut()

    def _run(self) -> None:
        try:
            connection = self.connection if self.connection is not None else self._connected()
            self.answer = self._probe(connection)
        except Exception as error:
            if not self._is_silence(error):
                self.error = error
        with self._lock:
            is_given_up = self._is_given_up
            self._has_ended.set()
        if is_given_up and self.connection is not None:
            self.connection.discard()

    def _is_silence(self, error: Exception) -> bool:
        """A host that did not let us in in time has not refused: it has given no answer."""
        return self.connection is None and isinstance(error, TargetError) and error.error_class is ErrorClass.TIMEOUT

    def _connected(self) -> OdbcConnection:
        connection = self._open()
        with self._lock:
            self.connection = connection
            self.give_up_at = time.monotonic() + self._patience_seconds
        return connection
