"""Asking prepared statements and taking their answers over a connection that libpq has made, in two ways.

The compiled one (``_exchange.c``) speaks the protocol over the connection's socket itself, which makes an order cost
its driver a fifth less processor time; it is there where ``make setup`` found a C compiler. libpq's own way goes
everywhere, also through encryption. Called by the sessions of emulated users.
"""

from typing import Protocol

from psycopg import OperationalError, pq
from psycopg.pq.abc import PGconn, PGresult

from engine.databases.arrival import Arrival
from engine.databases.postgresql.wire import Answer, Parameter, packed

try:
    from engine.databases.postgresql import _exchange as compiled
except ImportError:
    compiled = None  # type: ignore[assignment]

# libpq's words before those of the cause.
_CONSUMING = "consuming input failed: "
GOOD = (pq.ExecStatus.TUPLES_OK, pq.ExecStatus.COMMAND_OK)


class Exchange(Protocol):
    """One question at a time, with binary results; never waits for the server."""

    @property
    def is_open(self) -> bool:
        """Whether the connection still stands, as far as was seen."""
        ...

    @property
    def arrived(self) -> float:
        """When the last answer came to this machine, by ``wall_clock``; 0 when unknown."""
        ...

    @property
    def warning(self) -> bytes | None:
        """The last warning that came with the last answer."""
        ...

    def prepare(self, name: bytes, formats: tuple[int, ...], values: tuple[Parameter, ...], /) -> None:
        """Make a prepared statement ready to be asked."""
        ...

    def ask(self) -> None:
        """Send what was prepared; raises ``OSError``. A connection that is lost may say so only when it is read."""
        ...

    def answer(self) -> Answer | None:
        """The answer, which may be the server's error, once all of it has come; raises ``OSError`` when it is lost."""
        ...

    def close(self) -> None:
        """Use the connection no more; it is left open."""
        ...


def exchange_over(connection: PGconn) -> Exchange:
    """The better way of those that there are over a connection; libpq must not be asked anything meanwhile."""
    if compiled is None or connection.ssl_in_use or _may_be_wrapped(connection):
        return LibpqExchange(connection)
    return compiled.Exchange(connection.socket)


def _may_be_wrapped(connection: PGconn) -> bool:
    """Whether Kerberos may encrypt the connection; libpq does not tell whether it does."""
    return any(option.keyword == b"gssencmode" and option.val != b"disable" for option in connection.info)


class LibpqExchange:
    """Fulfils ``Exchange`` with libpq's own calls."""

    __slots__ = ("_arrival", "_connection", "_formats", "_name", "_result", "_values", "arrived", "warning")

    def __init__(self, connection: PGconn) -> None:
        self.arrived = 0.0
        self.warning: bytes | None = None
        self._connection = connection
        self._arrival = Arrival(connection.socket)
        self._name = b""
        self._formats: tuple[int, ...] = ()
        self._values: tuple[bytes, ...] = ()
        self._result: PGresult | None = None
        connection.notice_handler = self._on_notice

    @property
    def is_open(self) -> bool:
        return self._connection.status == pq.ConnStatus.OK

    def prepare(self, name: bytes, formats: tuple[int, ...], values: tuple[Parameter, ...], /) -> None:
        self._name, self._formats, self._values = name, formats, tuple(map(packed, values))

    def ask(self) -> None:
        self.warning = None
        try:
            self._connection.send_query_prepared(self._name, self._values, self._formats, pq.Format.BINARY)
        except OperationalError as error:
            raise ConnectionError(str(error)) from error

    def answer(self) -> PGresult | None:
        connection = self._connection
        self.arrived = self._arrival.moment()
        try:
            connection.consume_input()
        except OperationalError as error:
            if self._result is None:
                raise ConnectionError(str(error).removeprefix(_CONSUMING)) from error
            return self._take()  # the server said why it closed the connection before it did
        while not connection.is_busy():
            result = connection.get_result()
            if result is None:
                return self._take()
            self._result = result
        return None

    def close(self) -> None:
        self._connection.notice_handler = None
        self._arrival.leave()

    def _take(self) -> PGresult:
        result, self._result = self._result, None
        assert result is not None, "a question that was asked has a result"
        if result.status not in GOOD and result.error_field(pq.DiagnosticField.SQLSTATE) is None:
            raise ConnectionError(result.get_error_message())  # libpq's own error: the server has said nothing
        return result

    def _on_notice(self, notice: PGresult) -> None:
        if notice.error_field(pq.DiagnosticField.SEVERITY_NONLOCALIZED) == b"WARNING":
            self.warning = notice.error_field(pq.DiagnosticField.MESSAGE_PRIMARY)
