"""An attempt to connect to one host, on a separate thread: a driver's connect call may hang, and is then abandoned.

Called by ``engine.databases.odbc.connecting``.
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
from engine.databases.odbc.sockets import SOCKET_REGISTRY, DriverSocket, SocketSearch, addresses_of
from engine.errors import ErrorClass, TargetError
from engine.secrets import Secret
from engine.target.target import Host, Target

_FIRST_CHECK_SECONDS = 0.002
_CHECK_LESS_OFTEN_BY = 1.5
_LONGEST_PAUSE_SECONDS = 0.05
# On a busy workstation a driver may take long to open its socket. After this time the next connection to the host may
# begin; then neither socket may be identifiable.
_LONGEST_LOCK_SECONDS = 2.0
_NEVER = float("inf")
_NO_CONNECTION_STATE = "08001"
_PORT_CHECK_SECONDS = 0.2
NO_CONNECTION = (ErrorClass.CONNECTION_LOST, ErrorClass.TIMEOUT)
"""The errors of a host that does not even answer; any other error is more informative."""


@dataclass(frozen=True, kw_only=True)
class ConnectRequest:
    """What to connect to, for every host of a target; with ``writes``, a host that is read-only is refused."""

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
    """An attempt to connect to one host, started by the constructor.

    ``outcome`` is the connection, or the error; an internal error is kept as it is. When it is set, the attempt's
    ``number`` is put into the queue ``ended``.
    """

    def __init__(self, request: ConnectRequest, host: Host, number: int, ended: "SimpleQueue[int]") -> None:
        now = time.monotonic()
        self.deadline = now + request.timeouts.connect_seconds
        self.checks_at = now + _FIRST_CHECK_SECONDS
        self.outcome: OdbcConnection | Exception | None = None
        self._request = request
        self._host = host
        self._number = number
        self._ended = ended
        self._pause = _FIRST_CHECK_SECONDS
        self._connect_lock: threading.Lock | None = None
        self._connect_lock_ends = 0.0
        self._search: SocketSearch | None = None
        self._socket: DriverSocket | None = None
        self._is_given_up = False
        self._lock = threading.Lock()
        threading.Thread(target=self._run, name=f"odbc-connect-{host}", daemon=True).start()

    def check(self) -> None:
        """Search for the socket of a slow driver, so that it can be shut down and the next attempt can begin.

        To be called at ``checks_at``, which is infinite once there is nothing left to search for.
        """
        with self._lock:
            if self._connect_lock is not None and (
                self._found_socket(is_thorough=False) or time.monotonic() >= self._connect_lock_ends
            ):
                self._release_connect_lock()
            self._pause = min(_CHECK_LESS_OFTEN_BY * self._pause, _LONGEST_PAUSE_SECONDS)
            is_over = self._search is not None and self._connect_lock is None
            self.checks_at = _NEVER if is_over else time.monotonic() + self._pause

    def give_up(self) -> None:
        """Abandon the attempt without waiting for it; a connection that it still makes is closed."""
        with self._lock:
            self._is_given_up = True
            outcome = self.outcome
            found = self._found_socket() if outcome is None else None
            if found is not None:
                found.shut_down()
            self._release_connect_lock()
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
            self._release_connect_lock()
            if not isinstance(outcome, OdbcConnection) and self._socket is not None:
                SOCKET_REGISTRY.release(self._socket)
        if is_too_late and isinstance(outcome, OdbcConnection):
            outcome.discard()
        self._ended.put(self._number)

    def _connected(self) -> OdbcConnection:
        try:
            addresses = addresses_of(self._host)
        except (OSError, UnicodeError):
            failure = Failure(sqlstate=_NO_CONNECTION_STATE, native=0, message="host name not found (DNS)")
            raise self._request.refusal(failure, self._host) from None
        self._acquire_connect_lock(addresses)
        raw = self._opened()
        claimed = self._settled_socket()
        connection = OdbcConnection(raw, self._host, self._request.dialect, secret=self._request.secret, socket=claimed)
        try:
            self._prepare(connection)
        except BaseException:
            connection.discard()
            raise
        return connection

    def _acquire_connect_lock(self, addresses: frozenset[str]) -> None:
        """Wait until no other attempt in this process awaits a new socket to the host; raises ``TargetError``."""
        connect_lock = SOCKET_REGISTRY.connect_lock(self._host)
        is_acquired = connect_lock.acquire(timeout=max(0.0, self.deadline - time.monotonic()))
        with self._lock:
            if is_acquired and not self._is_given_up:
                self._connect_lock = connect_lock
                self._connect_lock_ends = time.monotonic() + _LONGEST_LOCK_SECONDS
                self._search = SocketSearch(SOCKET_REGISTRY, self._host, addresses)
                return
        if is_acquired:
            connect_lock.release()
        raise self._request.silence(self._host)

    def _release_connect_lock(self) -> None:
        if self._connect_lock is not None:
            self._connect_lock.release()
            self._connect_lock = None

    def _found_socket(self, *, is_thorough: bool = True) -> DriverSocket | None:
        if self._socket is None and self._search is not None:
            self._socket = self._search.find(is_thorough=is_thorough)
        return self._socket

    def _settled_socket(self) -> DriverSocket | None:
        """The driver's socket once connected: before, it may have been one to another of the host's addresses."""
        with self._lock:
            if self._socket is not None and not self._socket.is_open:
                SOCKET_REGISTRY.release(self._socket)
                self._socket = None
            found = self._found_socket()
            if found is not None:
                found.enable_keepalive(self._request.timeouts.silence_seconds)
            self._release_connect_lock()
            return found

    def _opened(self) -> pyodbc.Connection:
        """The driver's connection; the connection string lives in this one line, which no traceback shows."""
        request, host = self._request, self._host
        try:
            return pyodbc.connect(
                connection_string(
                    request.dialect.attributes(request.target, host, request.secret, request.timeouts, request.driver)
                ),
                autocommit=request.autocommit,
                timeout=max(1, math.ceil(request.timeouts.connect_seconds)),
                attrs_before=request.dialect.connect_attributes(),
            )
        except pyodbc.Error as error:
            failure = failure_of(error, [request.secret] if request.secret is not None else [])
            raise self._refusal(failure) from None

    def _refusal(self, failure: Failure) -> TargetError:
        """Why there is no connection. Drivers do not report that a port is closed, so the port is checked."""
        refusal = self._request.refusal(failure, self._host)
        if refusal.error_class not in NO_CONNECTION or not self._is_port_closed():
            return refusal
        name, port, product = self._host.name, self._host.port, self._request.dialect.product
        text = f"Host {name} refused the connection on port {port}. Is {product} running there and listening?"
        return TargetError(ErrorClass.CONNECTION_LOST, text, code=refusal.code, usable=False)

    def _is_port_closed(self) -> bool:
        seconds = min(_PORT_CHECK_SECONDS, self.deadline - time.monotonic())
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
        for statement in self._request.dialect.session_statements:
            connection.query(statement)
        if self._request.writes and self._request.dialect.refuses_writes(connection.query):
            raise TargetError(
                ErrorClass.CONNECTION_LOST,
                f"Host {self._host} accepts no writes: it is a standby, or set to read-only.",
                usable=False,
            )
