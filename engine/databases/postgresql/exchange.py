"""Sends calls of prepared statements over a connection that libpq has opened, and receives the answers, in two ways.

The compiled exchange (``engine.databases.exchange``) speaks the protocol over the connection's socket. It takes a fifth
less processor time for each order, and allows a user loop's rounds to be compiled as well; it exists if ``make setup``
found a C compiler. libpq's own functions work everywhere, also with encryption. Called by the sessions of emulated
users.
"""

import math
import time
from typing import Any, Protocol

from psycopg import OperationalError, pq
from psycopg.pq.abc import PGconn, PGresult

from engine.databases.arrival import Arrival
from engine.databases.exchange import compiled
from engine.databases.exchange.calls import Answer, PreparedCall
from engine.databases.postgresql.wire import Parameter, ResultRows, formats_of, packed, unpack_int

# libpq's prefix of the cause.
_CONSUMING = "consuming input failed: "
GOOD = (pq.ExecStatus.TUPLES_OK, pq.ExecStatus.COMMAND_OK)
_ROW_FRAME, _VALUE_FRAME = 7, 4
_NO_CALL = PreparedCall(b"", "", (), None, None)


class Exchange(Protocol):
    """One call at a time, with binary results; never waits for the server."""

    @property
    def is_open(self) -> bool:
        """Whether the connection is open, as far as is known."""
        ...

    @property
    def arrived(self) -> float:
        """When the last answer came to this machine, by ``wall_clock``; 0 when unknown."""
        ...

    @property
    def warning(self) -> bytes | None:
        """The last warning that came with the last answer."""
        ...

    @property
    def rows_received(self) -> int:
        """The rows of all answers so far."""
        ...

    @property
    def bytes_received(self) -> int:
        """The bytes of these rows, with what frames them in the protocol."""
        ...

    @property
    def sent_at(self) -> float:
        """When the pending call was sent, by the monotonic clock; infinite without one."""
        ...

    @property
    def call(self) -> PreparedCall:
        """The last that was prepared."""
        ...

    def prepare(self, call: PreparedCall, arguments: tuple[Any, ...], /) -> None:
        """Prepare a call to be sent."""
        ...

    def send(self) -> None:
        """Send the prepared call; raises ``OSError``. A lost connection may be noticed only when reading."""
        ...

    def receive(self) -> Answer | None:
        """The answer, which may be the server's error, once all of it has come; raises ``OSError`` when it is lost."""
        ...

    def close(self) -> None:
        """Use the connection no more; it is left open."""
        ...


def name_of(call: PreparedCall) -> bytes:
    """The name that the call's statement is prepared under."""
    assert isinstance(call.name, bytes), "PostgreSQL's prepared statements have names"
    return call.name


def exchange_over(connection: PGconn) -> Exchange:
    """The compiled exchange over a connection if there is one, else libpq's; libpq must not be used meanwhile."""
    if compiled is None or connection.ssl_in_use or _may_be_wrapped(connection):
        return LibpqExchange(connection)
    return compiled.Exchange(connection.socket, "postgresql")


def _may_be_wrapped(connection: PGconn) -> bool:
    """Whether Kerberos may encrypt the connection; libpq does not say whether it does."""
    return any(option.keyword == b"gssencmode" and option.val != b"disable" for option in connection.info)


class LibpqExchange:
    """Implements ``Exchange`` with libpq's own calls."""

    __slots__ = (
        "_arrival",
        "_connection",
        "_formats",
        "_result",
        "_values",
        "arrived",
        "bytes_received",
        "call",
        "rows_received",
        "sent_at",
        "warning",
    )

    def __init__(self, connection: PGconn) -> None:
        self.arrived = 0.0
        self.rows_received = self.bytes_received = 0
        self.warning: bytes | None = None
        self._connection = connection
        self._arrival = Arrival(connection.socket)
        self.sent_at = math.inf
        self.call = _NO_CALL
        self._values: list[bytes | None] = []
        self._formats: tuple[pq.Format, ...] = ()
        self._result: PGresult | None = None
        connection.notice_handler = self._on_notice

    @property
    def is_open(self) -> bool:
        return self._connection.status == pq.ConnStatus.OK

    def prepare(self, call: PreparedCall, arguments: tuple[Any, ...], /) -> None:
        values: tuple[Parameter, ...] = arguments if call.values is None else call.values(*arguments)
        self.call = call
        self._values = [packed(value, kind) for value, kind in zip(values, call.types, strict=True)]
        self._formats = formats_of(call.types)

    def send(self) -> None:
        self.warning = None
        self.sent_at = time.monotonic()
        try:
            name = name_of(self.call)
            self._connection.send_query_prepared(name, self._values, self._formats, pq.Format.BINARY)
        except OperationalError as error:
            self.sent_at = math.inf
            raise ConnectionError(str(error)) from error

    def receive(self) -> "LibpqAnswer | None":
        connection = self._connection
        self.arrived = self._arrival.moment()
        try:
            connection.consume_input()
        except OperationalError as error:
            # An error is why the server closed the connection; a result that went well may not have been committed.
            if self._result is None or self._result.status in GOOD:
                self._result, self.sent_at = None, math.inf
                raise ConnectionError(str(error).removeprefix(_CONSUMING)) from error
            return self._take()
        while not connection.is_busy():
            result = connection.get_result()
            if result is None:
                return self._take()
            self._result = result
        return None

    def close(self) -> None:
        self._connection.notice_handler = None
        self._arrival.leave()

    def _take(self) -> "LibpqAnswer":
        result, self._result = self._result, None
        self.sent_at = math.inf
        assert result is not None, "a question that was asked has a result"
        if result.status not in GOOD and result.error_field(pq.DiagnosticField.SQLSTATE) is None:
            raise ConnectionError(result.get_error_message())  # libpq's own error: the server has said nothing
        self.rows_received += result.ntuples
        self.bytes_received += _row_bytes(result)
        return LibpqAnswer(result)

    def _on_notice(self, notice: PGresult) -> None:
        if notice.error_field(pq.DiagnosticField.SEVERITY_NONLOCALIZED) == b"WARNING":
            self.warning = notice.error_field(pq.DiagnosticField.MESSAGE_PRIMARY)


def _row_bytes(result: PGresult) -> int:
    """What the rows took as DataRow messages: seven bytes each, and four for each value, beside the values."""
    columns = range(result.nfields)
    values = (result.get_value(row, column) for row in range(result.ntuples) for column in columns)
    framing = result.ntuples * (_ROW_FRAME + _VALUE_FRAME * result.nfields)
    return framing + sum(len(value) for value in values if value)


class LibpqAnswer:
    """Implements ``engine.databases.exchange.calls.Answer`` with libpq's result."""

    __slots__ = ("_result", "error_field", "ftype", "get_value", "nfields", "ntuples", "status")

    def __init__(self, result: PGresult) -> None:
        self._result = result
        self.status, self.ntuples, self.nfields = result.status, result.ntuples, result.nfields
        self.get_value, self.ftype, self.error_field = result.get_value, result.ftype, result.error_field

    def integer(self, row_number: int, column_number: int, /) -> int | None:
        value = self._result.get_value(row_number, column_number)
        return None if value is None else unpack_int(value)

    def integer_pairs(self) -> dict[int, int]:
        value = self._result.get_value
        return {unpack_int(value(row, 0) or b""): unpack_int(value(row, 1) or b"") for row in range(self.ntuples)}

    def rows(self) -> ResultRows:
        return ResultRows(self)

    def integer_and_rows(self) -> tuple[int | None, ResultRows]:
        number = self.integer(0, 0) if self.ntuples else None
        found_nothing = number is None or self.get_value(0, 1) is None
        return number, ResultRows(self, first_column=1, skipped=min(1, self.ntuples) if found_nothing else 0)
