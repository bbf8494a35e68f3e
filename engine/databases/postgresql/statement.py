"""One statement on one host, whatever its role, under a deadline that cuts the connection: for injections."""

import selectors
import time
from dataclasses import replace

from psycopg import OperationalError, pq
from psycopg.pq.abc import PGconn, PGresult

from engine.databases.database import Timeouts
from engine.databases.postgresql.connection import connect_any
from engine.databases.postgresql.errors import classified_error
from engine.databases.racing import wait_for
from engine.errors import ErrorClass, TargetError
from engine.secrets import Secret
from engine.target.target import Host, Target

_CONNECT_SECONDS = 5.0
_MOST_ROWS = 20
_COPIES = (pq.ExecStatus.COPY_IN, pq.ExecStatus.COPY_OUT, pq.ExecStatus.COPY_BOTH)


def execute(target: Target, host: Host, secret: Secret | None, statement: str, timeout_seconds: float) -> str:
    """Execute it and return the rows' values, and the tag of each command.

    The server has the time-out too, so that it does not continue without a client. Raises ``TargetError``.
    """
    until = time.monotonic() + timeout_seconds
    timeouts = Timeouts(connect_seconds=min(_CONNECT_SECONDS, timeout_seconds))
    options = f"-c statement_timeout={round(1000 * timeout_seconds)}"
    connection, _ = connect_any(replace(target, hosts=(host,)), secret, timeouts, options=options)
    try:
        connection.send_query(statement.encode())
        connection.flush()
        text = []
        while (result := _next_result(connection, host, until)) is not None:
            text.append(_output(connection, result))
    except OperationalError as error:
        raise TargetError(ErrorClass.CONNECTION_LOST, str(error), usable=False) from error
    finally:
        connection.finish()
    return "\n".join(text)


def _next_result(connection: PGconn, host: Host, until: float) -> PGresult | None:
    while connection.is_busy():
        if not wait_for({connection.socket: selectors.EVENT_READ}, until):
            raise TargetError(ErrorClass.TIMEOUT, f"Host {host} gave no answer to the statement in time.", usable=False)
        connection.consume_input()
    return connection.get_result()


def _output(connection: PGconn, result: PGresult) -> str:
    if result.status in _COPIES:
        raise TargetError(ErrorClass.OTHER, "A COPY to or from the client can't be injected.", usable=False)
    if result.status not in (pq.ExecStatus.TUPLES_OK, pq.ExecStatus.COMMAND_OK):
        sqlstate = (result.error_field(pq.DiagnosticField.SQLSTATE) or b"").decode()
        usable = connection.status == pq.ConnStatus.OK
        raise classified_error(result.get_error_message(), sqlstate, usable=usable)
    rows = [
        ", ".join(_text(result.get_value(row, column)) for column in range(result.nfields))
        for row in range(min(result.ntuples, _MOST_ROWS))
    ]
    return "\n".join([*rows, (result.command_status or b"").decode()])


def _text(value: bytes | None) -> str:
    return "null" if value is None else value.decode(errors="replace")
