"""A native connection that is being made: from the socket to the prepared statements, without ever waiting.

Called by the sessions; ``engine.databases.racing`` tries the hosts of a target in turn.
"""

import errno
import os
import selectors
import socket
import ssl
import struct
import time
from collections.abc import Sequence
from contextlib import suppress

from engine.databases.database import Timeouts
from engine.databases.failure import TIMEOUT_STATE, Failure
from engine.databases.keepalive import enable_keepalive
from engine.databases.mariadb.errors import classified_error, connect_error
from engine.databases.mariadb.native.handshake import UnknownMethod, log_in
from engine.databases.mariadb.native.packets import Channel, Cipher, Malformed, Steps
from engine.databases.mariadb.native.replies import OK, Refused, checked, columns_of, is_end, row_of
from engine.databases.racing import wait_for
from engine.errors import ErrorClass, TargetError
from engine.secrets import Secret
from engine.target.target import Host, Target

_QUERY, _PREPARE = b"\x03", b"\x16"
_LOST, _NO_CONNECTION, _TLS_FAILED = 2013, 2003, 2026
_PREPARED = struct.Struct("<xIHH")
_Socket = socket.socket
_READ_ONLY = "SELECT @@GLOBAL.read_only OR @@GLOBAL.innodb_read_only"


class Connection:
    """A connection that is logged in and has prepared its statements, which the server knows by ``numbers``."""

    def __init__(self, host: Host, channel: Channel, numbers: tuple[int, ...]) -> None:
        self.host = host
        self.numbers = numbers
        self._channel = channel

    @property
    def cipher(self) -> Cipher | None:
        return self._channel.cipher

    def fileno(self) -> int:
        return self._channel.socket.fileno()

    def cut(self) -> None:
        """Shut the connection down, which ends a waiting call; thread-safe, never waits."""
        try:
            self._channel.socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            return  # it was closed already: there is nothing to cut

    def close(self, *, in_order: bool) -> None:
        """``in_order``: no call is in progress, and the server is sent the end of the session."""
        if in_order:
            with suppress(OSError):  # it has gone before
                next(self._channel.quit(), None)
        self._channel.socket.close()


class Attempt:
    """Implements ``engine.databases.racing.Attempt``, for one address of a host; ``connection`` is there in the end.

    ``settings`` is the session's SET statement; ``writes``: a host that takes none is no good.
    """

    def __init__(
        self,
        target: Target,
        host: Host,
        address: str,
        secret: Secret | None,
        timeouts: Timeouts,
        *,
        settings: str,
        statements: Sequence[str],
        writes: bool,
    ) -> None:
        self.deadline = time.monotonic() + timeouts.connect_seconds
        self._last_chance = self.deadline + timeouts.connect_seconds
        self.events = selectors.EVENT_WRITE
        self.connection: Connection | None = None
        self._target, self._host, self._address = target, host, address
        self._secret = secret
        self._silence_seconds = timeouts.silence_seconds
        self._settings, self._statements, self._writes = settings, statements, writes
        self._socket: _Socket | None = None
        self._steps = self._connecting()
        self._has_begun = False

    @property
    def socket(self) -> int:
        return -1 if self._socket is None else self._socket.fileno()

    def advance(self) -> bool:
        is_ready = not self._has_begun or wait_for({self.socket: self.events}, 0.0)
        # Accepted if it answered in time, even if it was polled late; rejected if it never ends.
        if time.monotonic() >= (self._last_chance if is_ready else self.deadline):
            raise self._refusal(Failure(sqlstate=TIMEOUT_STATE, native=0, message="no answer in time"))
        if not is_ready:
            return False
        self._has_begun = True
        try:
            self.events = next(self._steps)
        except StopIteration as made:
            self.connection = made.value
            return True
        except UnknownMethod as unknown:
            raise self._unknown_method(str(unknown)) from None
        except Refused as refused:
            raise self._refusal(refused.failure) from None
        except Malformed as malformed:
            raise self._refusal(Failure(sqlstate="08S01", native=_LOST, message=str(malformed))) from malformed
        except OSError as error:
            raise self._refusal(_failure_of(error)) from error
        return False

    def give_up(self) -> None:
        self._steps.close()
        if self._socket is not None:
            self._socket.close()

    def _connecting(self) -> Steps[Connection]:
        channel = Channel((yield from self._connected()))
        yield from log_in(channel, self._target, self._host.name, self._secret)
        try:
            yield from _query(channel, self._settings)
            if self._writes and (yield from _query(channel, _READ_ONLY)) != [("0",)]:
                raise TargetError(
                    ErrorClass.CONNECTION_LOST,
                    f"Host {self._host} takes no writes: it is a standby, or set to read-only.",
                    usable=False,
                )
            numbers = []
            for statement in self._statements:
                numbers.append((yield from _prepare(channel, statement)))
        except Refused as refused:
            error = classified_error(refused.failure, usable=True)
            raise TargetError(error.error_class, str(error), code=error.code, usable=False) from None
        if channel.has_more:
            raise Malformed("the server says more than it was asked")
        return Connection(self._host, channel, tuple(numbers))

    def _connected(self) -> Steps[_Socket]:
        if not self._address:
            raise OSError(errno.ENOENT, "it is no name of a host")
        family = socket.AF_INET6 if ":" in self._address else socket.AF_INET
        connected = self._socket = socket.socket(family, socket.SOCK_STREAM)
        connected.setblocking(False)
        enable_keepalive(connected, self._silence_seconds)
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            connected.connect((self._address, self._host.port))
        except BlockingIOError:
            yield selectors.EVENT_WRITE
            cause = connected.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
            if cause:
                raise OSError(cause, os.strerror(cause)) from None
        return connected

    def _refusal(self, failure: Failure) -> TargetError:
        return connect_error(failure, self._host, self._target)

    def _unknown_method(self, method: str) -> TargetError:
        return TargetError(
            ErrorClass.REJECTED,
            f"Host {self._host} logs user '{self._target.user}' in by the method '{method}', which Spindle itself does"
            " not know; add driver= with the name of an installed ODBC driver to the target, or change the method.",
            usable=False,
        )


def _failure_of(error: OSError) -> Failure:
    if isinstance(error, ssl.SSLError):
        reason = getattr(error, "verify_message", "") or error.reason or "no agreement"
        return Failure(sqlstate="08001", native=_TLS_FAILED, message=f"TLS/SSL error: {reason}")
    if error.errno is None:
        return Failure(sqlstate="08S01", native=_LOST, message=str(error))
    return Failure(sqlstate="08001", native=_NO_CONNECTION, message=f"{error.strerror} ({error.errno})")


def _query(channel: Channel, statement: str) -> Steps[list[tuple[str | None, ...]]]:
    """Execute a statement; the rows of its result, none of one without."""
    packet = checked((yield from channel.command(_QUERY + statement.encode())))
    columns, rows = columns_of(packet), []
    if not columns:
        return []
    yield from _skip_definitions(channel, columns)
    while not is_end(packet := checked((yield from channel.receive()))):
        rows.append(row_of(packet, columns))
    return rows


def _prepare(channel: Channel, statement: str) -> Steps[int]:
    """Prepare a statement; its number."""
    packet = checked((yield from channel.command(_PREPARE + statement.encode())))
    if len(packet) < _PREPARED.size:
        raise Malformed("a packet is too short")
    if packet[0] != OK:
        raise Malformed("a statement was not prepared")
    number, columns, parameters = _PREPARED.unpack_from(packet)
    for definitions in (parameters, columns):
        if definitions:
            yield from _skip_definitions(channel, definitions)
    prepared: int = number
    return prepared


def _skip_definitions(channel: Channel, count: int) -> Steps[None]:
    for _ in range(count):
        checked((yield from channel.receive()))
    if not is_end(checked((yield from channel.receive()))):
        raise Malformed("definitions have no end")
