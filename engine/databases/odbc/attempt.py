"""A connection to one host that is being made, on a thread of its own: a driver's connect may hang for as long as it
likes, and is given up from outside. Called by ``engine.databases.odbc.connecting``.
"""

import math
import socket
import threading
import time
from dataclasses import dataclass
from queue import SimpleQueue

import pyodbc

from engine.databases.database import Timeouts
from engine.databases.failure import TIMEOUT_STATE, Failure
from engine.databases.odbc.connection import OdbcConnection
from engine.databases.odbc.connection_string import connection_string
from engine.databases.odbc.dialect import Dialect
from engine.databases.odbc.failure import failure_of
from engine.databases.odbc.sockets import BIRTHS, DriverSocket, Newcomer, addresses_of
from engine.errors import ErrorClass, TargetError
from engine.secrets import Secret
from engine.target.target import Host, Target

_FIRST_LOOK_SECONDS = 0.002
_LOOK_LESS_OFTEN_BY = 1.5
_LONGEST_PAUSE_SECONDS = 0.05
# On a busy workstation a driver may take long to come to its socket; turns that overlap leave both without one.
_LONGEST_TURN_SECONDS = 2.0
_NEVER = float("inf")
_NO_CONNECTION_STATE = "08001"
_KNOCK_SECONDS = 0.2
NO_CONNECTION = (ErrorClass.CONNECTION_LOST, ErrorClass.TIMEOUT)
"""What is told of a host that does not even answer; any other refusal says more."""


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """What is asked of every host of a target; ``writes``: one that takes none is no good."""

    dialect: Dialect
    target: Target
    secret: Secret | None
    timeouts: Timeouts
    driver: str
    autocommit: bool
    writes: bool

    def refusal(self, failure: Failure, host: Host) -> TargetError:
        return self.dialect.connect_error(failure, host, self.target)

    def silence(self, host: Host) -> TargetError:
        """The error of a host that did not answer in time."""
        failure = Failure(sqlstate=TIMEOUT_STATE, native=0, message="the host did not answer in time")
        return self.refusal(failure, host)


class Attempt:
    """One host's connection on its way, from the moment that this is made.

    ``outcome`` is the connection or why there is none; an error that is nobody's fault but ours is kept as it is.
    ``ended`` is put the attempt's ``number`` in when it is there.
    """

    def __init__(self, wanted: Wanted, host: Host, number: int, ended: "SimpleQueue[int]") -> None:
        now = time.monotonic()
        self.deadline = now + wanted.timeouts.connect_seconds
        self.looks_at = now + _FIRST_LOOK_SECONDS
        self.outcome: OdbcConnection | Exception | None = None
        self._wanted = wanted
        self._host = host
        self._number = number
        self._ended = ended
        self._pause = _FIRST_LOOK_SECONDS
        self._turn: threading.Lock | None = None
        self._turn_ends = 0.0
        self._newcomer: Newcomer | None = None
        self._socket: DriverSocket | None = None
        self._is_given_up = False
        self._lock = threading.Lock()
        threading.Thread(target=self._run, name=f"odbc-connect-{host}", daemon=True).start()

    def look(self) -> None:
        """Look for the socket of a driver that takes its time, so that it can be cut and the next may have its turn.

        To be called at ``looks_at``, which is never once there is nothing to look for any more.
        """
        with self._lock:
            if self._turn is not None and (self._found_socket() or time.monotonic() >= self._turn_ends):
                self._end_turn()
            self._pause = min(_LOOK_LESS_OFTEN_BY * self._pause, _LONGEST_PAUSE_SECONDS)
            is_over = self._newcomer is not None and self._turn is None
            self.looks_at = _NEVER if is_over else time.monotonic() + self._pause

    def give_up(self) -> None:
        """End the attempt without waiting for it; a connection that it comes by all the same is closed."""
        with self._lock:
            self._is_given_up = True
            outcome = self.outcome
            found = self._found_socket() if outcome is None else None
            if found is not None:
                found.shut_down()
            self._end_turn()
        if isinstance(outcome, OdbcConnection):
            outcome.discard()

    def _run(self) -> None:
        outcome: OdbcConnection | Exception
        try:
            outcome = self._connected()
        except Exception as error:
            outcome = error
        with self._lock:
            self.outcome = outcome
            is_too_late = self._is_given_up
            self._end_turn()
            if not isinstance(outcome, OdbcConnection) and self._socket is not None:
                BIRTHS.release(self._socket)
        if is_too_late and isinstance(outcome, OdbcConnection):
            outcome.discard()
        self._ended.put(self._number)

    def _connected(self) -> OdbcConnection:
        try:
            addresses = addresses_of(self._host)
        except (OSError, UnicodeError):
            failure = Failure(sqlstate=_NO_CONNECTION_STATE, native=0, message="host name not found (DNS)")
            raise self._wanted.refusal(failure, self._host) from None
        self._take_turn(addresses)
        raw = self._opened()
        claimed = self._settled_socket()
        connection = OdbcConnection(raw, self._host, self._wanted.dialect, secret=self._wanted.secret, socket=claimed)
        try:
            self._prepare(connection)
        except BaseException:
            connection.discard()
            raise
        return connection

    def _take_turn(self, addresses: frozenset[str]) -> None:
        """Wait until nobody else in this process awaits a new socket to the host; raises ``TargetError``."""
        turn = BIRTHS.turn(self._host)
        has_turn = turn.acquire(timeout=max(0.0, self.deadline - time.monotonic()))
        with self._lock:
            if has_turn and not self._is_given_up:
                self._turn = turn
                self._turn_ends = time.monotonic() + _LONGEST_TURN_SECONDS
                self._newcomer = Newcomer(BIRTHS, self._host, addresses)
                return
        if has_turn:
            turn.release()
        raise self._wanted.silence(self._host)

    def _end_turn(self) -> None:
        if self._turn is not None:
            self._turn.release()
            self._turn = None

    def _found_socket(self) -> DriverSocket | None:
        if self._socket is None and self._newcomer is not None:
            self._socket = self._newcomer.find()
        return self._socket

    def _settled_socket(self) -> DriverSocket | None:
        """The driver's socket now that it is connected: it may have tried several addresses one after the other."""
        with self._lock:
            if self._socket is not None and not self._socket.is_open:
                BIRTHS.release(self._socket)
                self._socket = None
            found = self._found_socket()
            if found is not None:
                found.notice_silence(self._wanted.timeouts.silence_seconds)
            self._end_turn()
            return found

    def _opened(self) -> pyodbc.Connection:
        """The driver's connection; the connection string lives in this one line, which no traceback shows."""
        wanted, host = self._wanted, self._host
        try:
            return pyodbc.connect(
                connection_string(
                    wanted.dialect.attributes(wanted.target, host, wanted.secret, wanted.timeouts, wanted.driver)
                ),
                autocommit=wanted.autocommit,
                timeout=max(1, math.ceil(wanted.timeouts.connect_seconds)),
                attrs_before=wanted.dialect.connect_attributes(),
            )
        except pyodbc.Error as error:
            failure = failure_of(error, [wanted.secret] if wanted.secret is not None else [])
            raise self._refusal(failure) from None

    def _refusal(self, failure: Failure) -> TargetError:
        """Why the driver has made no connection; drivers do not say that a port was closed, so that is asked for."""
        refusal = self._wanted.refusal(failure, self._host)
        if refusal.error_class not in NO_CONNECTION or not self._is_port_closed():
            return refusal
        name, port, product = self._host.name, self._host.port, self._wanted.dialect.product
        text = f"Host {name} refused the connection on port {port}. Is {product} running there and listening?"
        return TargetError(ErrorClass.CONNECTION_LOST, text, code=refusal.code, usable=False)

    def _is_port_closed(self) -> bool:
        seconds = min(_KNOCK_SECONDS, self.deadline - time.monotonic())
        if not self._host.port or seconds <= 0:
            return False
        try:
            socket.create_connection((self._host.name, self._host.port), timeout=seconds).close()
        except ConnectionRefusedError:
            return True
        except OSError:
            return False
        return False

    def _prepare(self, connection: OdbcConnection) -> None:
        for statement in self._wanted.dialect.session_statements:
            connection.query(statement)
        if self._wanted.writes and self._wanted.dialect.refuses_writes(connection):
            raise TargetError(
                ErrorClass.CONNECTION_LOST,
                f"Host {self._host} accepts no writes: it is a standby, or set to read-only.",
                usable=False,
            )
