"""One emulated user's connection to MariaDB or MySQL: the hot path, on prepared calls through the compiled exchange.

The isolation level is the server's own default (repeatable read, if nobody has changed it), as with DVD Store 2: it
belongs to what is measured, and is recorded with the run.
"""

import math
import selectors
import time
from functools import lru_cache
from typing import Any

from engine.databases.database import Timeouts
from engine.databases.exchange import compiled
from engine.databases.exchange.calls import Answer, CallTable, PreparedCall
from engine.databases.failure import Failure
from engine.databases.mariadb.errors import INTERRUPTED, classified_error, connect_error
from engine.databases.mariadb.native.connection import Attempt, Connection
from engine.databases.mariadb.settings import COMMITTING, session_settings
from engine.databases.polled_session import PENDING, Pending
from engine.databases.racing import first_accepted
from engine.databases.rounds import Rounds
from engine.errors import ErrorClass, TargetError
from engine.secrets import Secret
from engine.target.target import Host, Target
from engine.workload.actions import Script

_NUMBER, _SQLSTATE, _MESSAGE = ord("E"), ord("C"), ord("M")
_NO_CONNECTION_STATE = "08001"
# What is sent after a call that was interrupted.
_COMMITTING = PreparedCall(None, COMMITTING, (), None, None)
_ROLLBACK = PreparedCall(None, "ROLLBACK", (), None, None)
_MOST_NUMBERINGS = 64


def open_session(
    target: Target, secret: Secret | None, timeouts: Timeouts, calls: CallTable, *, first_host: int = 0
) -> "NativeSession":
    """A session on the first of the target's hosts that takes writes and has the store; raises ``TargetError``."""
    statements = tuple(call.statement for call in calls.calls.values())

    def start(host: Host, address: str) -> Attempt:
        return Attempt(
            target,
            host,
            address,
            secret,
            timeouts,
            settings=session_settings(target.kind, timeouts.statement_seconds),
            statements=statements,
            writes=len(target.hosts) > 1,
        )

    def nowhere(host: Host) -> TargetError:
        failure = Failure(sqlstate=_NO_CONNECTION_STATE, native=0, message="host name not found (DNS)")
        return connect_error(failure, host, target)

    made, _ = first_accepted(target, first_host, start, nowhere)
    assert made.connection is not None, "an attempt that was accepted has a connection"
    patience_seconds = timeouts.statement_seconds + timeouts.silence_seconds
    session = NativeSession(made.connection, calls, patience_seconds=patience_seconds)
    try:
        session.try_call(timeouts.connect_seconds)
    except TargetError:
        session.close()
        raise
    return session


class NativeSession:
    """Implements ``engine.databases.polled_session.PolledSession``; every call is one round trip and one transaction.

    ``patience_seconds`` is how long a blocking call waits for a silent server if no other thread cuts it.
    """

    __slots__ = (
        "_calls",
        "_connection",
        "_exchange",
        "_interrupted",
        "_patience_seconds",
        "_sent_at",
        "_table",
        "host",
    )

    def __init__(self, connection: Connection, calls: CallTable, *, patience_seconds: float) -> None:
        self.host = connection.host
        self._connection = connection
        self._table = calls
        self._calls = _numbered(tuple(calls.calls.items()), connection.numbers)
        self._exchange = compiled.Exchange(connection.fileno(), "mysql", connection.cipher)
        self._patience_seconds = patience_seconds
        self._interrupted: TargetError | None = None  # until it is known what became of the call
        self._sent_at = math.inf

    def call(self, name: str, arguments: tuple[Any, ...]) -> Any:
        return self._query_and_wait(name, arguments, self._patience_seconds)

    def try_call(self, within_seconds: float) -> None:
        """Raise the ``TargetError`` of a database that holds no store, or of a server that gives no answer."""
        self._query_and_wait(*self._table.trial, within_seconds)

    @property
    def sent_at(self) -> float:
        return self._exchange.sent_at if self._interrupted is None else self._sent_at

    @property
    def arrived(self) -> float:
        return self._exchange.arrived

    @property
    def received(self) -> tuple[int, int]:
        return self._exchange.rows_received, self._exchange.bytes_received

    def fileno(self) -> int:
        return self._connection.fileno()

    def join(self, rounds: Rounds, who: object, script: Script) -> None:
        rounds.add(self.fileno(), who, script, self._exchange, self._calls)

    def prepare(self, name: str, arguments: tuple[Any, ...]) -> None:
        self._exchange.prepare(self._calls[name], arguments)

    def send(self) -> None:
        try:
            self._exchange.send()
        except OSError as error:
            raise self._lost(error) from error

    def receive(self) -> Any | Pending:
        exchange = self._exchange
        sent_at = exchange.sent_at
        try:
            answer = exchange.receive()
        except OSError as error:
            raise self._lost(error) from error
        if answer is None:
            return PENDING
        failure = _failure_in(answer)
        if self._interrupted is not None:
            return self._settle(answer, failure)
        if failure is not None:
            refusal = classified_error(failure, usable=exchange.is_open)
            if failure.native in INTERRUPTED and refusal.usable:
                return self._end_transaction(refusal, sent_at)
            raise refusal
        read = exchange.call.read
        assert read is not None, "every call of a table has a result"
        return read(answer)

    def cut(self) -> None:
        self._connection.cut()

    def close(self) -> None:
        is_idle = self._exchange.is_open and self._exchange.sent_at == math.inf
        self._exchange.close()
        self._connection.close(in_order=is_idle)

    def _end_transaction(self, interrupted: TargetError, sent_at: float) -> Pending:
        """Roll an interrupted call back: no handler of the procedure was asked, so its transaction may be open, and the
        next one would commit it. Of a recorded call, ask before whether the procedure was at its commit already.
        """
        self._interrupted, self._sent_at = interrupted, sent_at
        is_recorded = self._table.is_recorded(self._exchange.call)
        self._exchange.prepare(_COMMITTING if is_recorded else _ROLLBACK, ())
        self.send()
        return PENDING

    def _settle(self, answer: Answer, failure: Failure | None) -> Pending:
        """Continue with the answers to these statements; in the end, raise the outcome of the call."""
        interrupted = self._interrupted
        assert interrupted is not None
        if failure is None and self._exchange.call is _COMMITTING and answer.get_value(0, 0) is None:
            self._exchange.prepare(_ROLLBACK, ())
            self.send()
            return PENDING
        self._interrupted = None
        if failure is not None or self._exchange.call is _COMMITTING:
            raise TargetError(interrupted.error_class, str(interrupted), code=interrupted.code, usable=False)
        raise interrupted

    def _lost(self, error: OSError) -> TargetError:
        self._interrupted = None
        return TargetError(ErrorClass.CONNECTION_LOST, error.strerror or str(error), usable=False)

    def _query_and_wait(self, name: str, arguments: tuple[Any, ...], seconds: float) -> Any:
        deadline = time.monotonic() + seconds
        self.prepare(name, arguments)
        self.send()
        with selectors.DefaultSelector() as selector:
            selector.register(self, selectors.EVENT_READ)
            while (answer := self.receive()) is PENDING:
                left = deadline - time.monotonic()
                if left <= 0:
                    raise TargetError(
                        ErrorClass.TIMEOUT, f"Host {self.host} gave no answer within {seconds:g} s.", usable=False
                    )
                selector.select(left)
        return answer


@lru_cache(_MOST_NUMBERINGS)
def _numbered(calls: tuple[tuple[str, PreparedCall], ...], numbers: tuple[int, ...]) -> dict[str, PreparedCall]:
    """The calls of a session that knows their statements by these numbers; most servers give every session the same."""
    return {name: call._replace(name=number) for (name, call), number in zip(calls, numbers, strict=True)}


def _failure_in(answer: Answer) -> Failure | None:
    """The server's error, if it has answered with one."""
    number = answer.error_field(_NUMBER)
    if number is None:
        return None
    sqlstate, message = ((answer.error_field(code) or b"").decode(errors="replace") for code in (_SQLSTATE, _MESSAGE))
    return Failure(sqlstate=sqlstate, native=int.from_bytes(number, "little"), message=message)
