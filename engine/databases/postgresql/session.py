"""One emulated user's connection to PostgreSQL: the hot path, on libpq's prepared statements in binary."""

import selectors
import socket
from typing import Any

from psycopg import OperationalError, pq
from psycopg.pq.abc import PGconn

from engine.databases.database import Timeouts
from engine.databases.exchange.calls import Answer, CallTable
from engine.databases.polled_session import PENDING, Pending
from engine.databases.postgresql.connection import connect_any
from engine.databases.postgresql.errors import classified_error, first_line
from engine.databases.postgresql.exchange import GOOD, exchange_over, name_of
from engine.databases.postgresql.preparing import prepare_all
from engine.databases.rounds import Rounds
from engine.errors import ErrorClass, TargetError
from engine.secrets import Secret
from engine.target.target import Host, Target
from engine.workload.actions import Script


def open_session(
    target: Target, secret: Secret | None, timeouts: Timeouts, calls: CallTable, *, first_host: int = 0
) -> "PostgreSQLSession":
    """A session with the statements of its calls prepared; raises ``TargetError``.

    Generic plans are requested so that no call is planned again, and so that the plan does not change during a run.
    Warnings are requested whatever the server's setting: one of them means that a commit may still be lost.
    """
    statement_ms = round(timeouts.statement_seconds * 1000)
    options = (
        f"-c plan_cache_mode=force_generic_plan -c client_min_messages=warning -c statement_timeout={statement_ms}"
    )
    connection, number = connect_any(target, secret, timeouts, first_host=first_host, options=options)
    statements = {name_of(call): (call.statement, call.types) for call in calls.calls.values()}
    try:
        prepare_all(connection, statements, target.hosts[number], timeouts.connect_seconds)
    except TargetError:
        connection.finish()
        raise
    return PostgreSQLSession(connection, target.hosts[number], calls)


class PostgreSQLSession:
    """Implements ``engine.databases.database.PolledSession``; every call is one round trip and one transaction."""

    __slots__ = ("_calls", "_connection", "_exchange", "_table", "host")

    def __init__(self, connection: PGconn, host: Host, calls: CallTable) -> None:
        self.host = host
        self._connection = connection
        self._table = calls
        self._calls = calls.calls
        self._exchange = exchange_over(connection)

    @property
    def sent_at(self) -> float:
        return self._exchange.sent_at

    @property
    def arrived(self) -> float:
        return self._exchange.arrived

    @property
    def received(self) -> tuple[int, int]:
        return self._exchange.rows_received, self._exchange.bytes_received

    def fileno(self) -> int:
        return self._connection.socket

    def join(self, rounds: Rounds, who: object, script: Script) -> None:
        rounds.add(self.fileno(), who, script, self._exchange, self._calls)

    def call(self, name: str, arguments: tuple[Any, ...]) -> Any:
        self.prepare(name, arguments)
        self.send()
        with selectors.DefaultSelector() as selector:
            selector.register(self, selectors.EVENT_READ)
            while (answer := self.receive()) is PENDING:
                selector.select()
        return answer

    def prepare(self, name: str, arguments: tuple[Any, ...]) -> None:
        self._exchange.prepare(self._calls[name], arguments)

    def send(self) -> None:
        try:
            self._exchange.send()
        except OSError as error:
            raise _lost(error) from error

    def receive(self) -> Any | Pending:
        exchange = self._exchange
        try:
            answer = exchange.receive()
        except OSError as error:
            raise _lost(error) from error
        if answer is None:
            return PENDING
        if answer.status not in GOOD:
            raise refusal(answer, usable=exchange.is_open)
        if exchange.warning is not None and self._table.is_recorded(exchange.call):
            # A commit whose wait for the standby was cancelled is acknowledged all the same, and may yet be lost.
            warning = first_line(exchange.warning.decode(errors="replace"))
            text = f"the {name_of(exchange.call).decode()} came with a warning: {warning}"
            raise TargetError(ErrorClass.OTHER, text, usable=False)
        read = exchange.call.read
        assert read is not None, "every call of a table has a result"
        return read(answer)

    def cut(self) -> None:
        try:
            # A copy of the descriptor, so that closing this socket object leaves libpq's own to libpq.
            with socket.fromfd(self._connection.socket, socket.AF_INET, socket.SOCK_STREAM) as copy:
                copy.shutdown(socket.SHUT_RDWR)
        except (OSError, OperationalError):
            return  # it was closed already: there is nothing to cut

    def close(self) -> None:
        self._exchange.close()
        self._connection.finish()


def _lost(error: OSError) -> TargetError:
    return TargetError(ErrorClass.CONNECTION_LOST, first_line(error.strerror or str(error)), usable=False)


def refusal(answer: Answer, *, usable: bool) -> TargetError:
    """The meaning of the server's error; ``usable``: whether the connection is still open."""
    sqlstate, message = (
        (answer.error_field(code) or b"").decode(errors="replace")
        for code in (pq.DiagnosticField.SQLSTATE, pq.DiagnosticField.MESSAGE_PRIMARY)
    )
    return classified_error(message, sqlstate, usable=usable)
