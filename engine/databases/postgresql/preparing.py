"""Prepares a session's statements in one round trip, within the time-out of a connect.

While connecting, a user has no session yet that another thread could cut, so the time-out must be observed here; and on
a busy server every round trip saved lets many users connect sooner.
"""

import selectors
import time
from collections.abc import Mapping, Sequence

from psycopg import OperationalError, pq
from psycopg.pq.abc import PGconn, PGresult

from engine.databases.postgresql.errors import classified_error, connect_timeout
from engine.errors import ErrorClass, TargetError
from engine.target.target import Host

Statements = Mapping[bytes, tuple[str, Sequence[int]]]


def prepare_all(connection: PGconn, statements: Statements, host: Host, timeout_seconds: float) -> None:
    """Prepare statements, by name with their text and parameter types; raises ``TargetError``."""
    deadline = time.monotonic() + timeout_seconds
    try:
        connection.enter_pipeline_mode()
        for name, (statement, types) in statements.items():
            connection.send_prepare(name, statement.encode(), types)
        connection.pipeline_sync()
        connection.flush()
        while not _is_synced(connection):
            _await_input(connection, host, deadline)
            connection.consume_input()
        connection.exit_pipeline_mode()
    except OperationalError as error:
        raise TargetError(ErrorClass.CONNECTION_LOST, str(error), usable=False) from error


def _is_synced(connection: PGconn) -> bool:
    """Take the results that have come; whether the last of them has."""
    ended_before = False
    while not connection.is_busy():
        result = connection.get_result()
        if result is None:
            if ended_before:
                return False
            ended_before = True
            continue
        ended_before = False
        if result.status == pq.ExecStatus.PIPELINE_SYNC:
            return True
        _check(connection, result)
    return False


def _check(connection: PGconn, result: PGresult) -> None:
    if result.status != pq.ExecStatus.COMMAND_OK:
        sqlstate = (result.error_field(pq.DiagnosticField.SQLSTATE) or b"").decode()
        usable = connection.status == pq.ConnStatus.OK
        raise classified_error(result.get_error_message(), sqlstate, usable=usable)


def _await_input(connection: PGconn, host: Host, deadline: float) -> None:
    seconds = deadline - time.monotonic()
    with selectors.DefaultSelector() as selector:
        selector.register(connection.socket, selectors.EVENT_READ)
        if seconds <= 0 or not selector.select(seconds):
            raise connect_timeout(host)
