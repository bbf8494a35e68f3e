"""Opening libpq connections: the parameters, and a connect that keeps its time-out and never holds the lock.

libpq's blocking connect holds the interpreter's lock, so one silent host would stop every user of a client; the
polling connect used here waits in a selector. Each host of a target gets a time-out of its own.
"""

import selectors
import time

from psycopg import pq
from psycopg.conninfo import make_conninfo
from psycopg.pq.abc import PGconn

from engine.databases.database import Timeouts
from engine.databases.postgresql.errors import connect_error, connect_timeout
from engine.errors import ErrorClass, TargetError
from engine.secrets import Secret
from engine.target import Host, Target

APPLICATION = "spindle"
_NO_CONNECTION = (ErrorClass.CONNECTION_LOST, ErrorClass.TIMEOUT)
# A schema of the user's own name would come before the public one.
_SEARCH_PATH = "-c search_path=public"


def conninfo(target: Target, host: Host, secret: Secret | None, timeouts: Timeouts, *, options: str = "") -> str:
    """libpq's connection string for one host of a target; it holds the password, so it must never be shown.

    ``options`` are settings for the server, as ``-c name=value``. Keep-alives notice a silent network while an answer
    is awaited, the user time-out while something is sent: both are needed.
    """
    silence = max(1, round(timeouts.silence_seconds))
    return make_conninfo(
        host=host.name,
        port=host.port,
        dbname=target.database,
        user=target.user,
        password=secret.reveal() if secret else None,
        sslmode=target.tls,
        application_name=APPLICATION,
        connect_timeout=max(2, round(timeouts.connect_seconds)),
        keepalives=1,
        keepalives_idle=max(1, silence // 3),
        keepalives_interval=max(1, silence // 3),
        keepalives_count=2,
        tcp_user_timeout=silence * 1000,
        client_encoding="UTF8",
        target_session_attrs="read-write" if len(target.hosts) > 1 else "any",
        options=f"{_SEARCH_PATH} {options}".strip(),
    )


def connect_any(
    target: Target, secret: Secret | None, timeouts: Timeouts, *, first_host: int = 0, options: str = ""
) -> tuple[PGconn, int]:
    """A connection to the first host that accepts one, and that host's number; beginning with ``first_host``.

    Raises the ``TargetError`` of the last host that was tried, unless an earlier one's says more than "no connection".
    """
    refusals: list[TargetError] = []
    for turn in range(len(target.hosts)):
        number = (first_host + turn) % len(target.hosts)
        try:
            return connect(target, target.hosts[number], secret, timeouts, options=options), number
        except TargetError as refusal:
            refusals.append(refusal)
    raise next((each for each in reversed(refusals) if each.error_class not in _NO_CONNECTION), refusals[-1])


def connect(target: Target, host: Host, secret: Secret | None, timeouts: Timeouts, *, options: str = "") -> PGconn:
    """A connection to one host, made within ``timeouts.connect_seconds``; raises ``TargetError``."""
    deadline = time.monotonic() + timeouts.connect_seconds
    connection = pq.PGconn.connect_start(conninfo(target, host, secret, timeouts, options=options).encode())
    try:
        while True:
            status = connection.connect_poll() if connection.status != pq.ConnStatus.BAD else pq.PollingStatus.FAILED
            if status == pq.PollingStatus.OK:
                return connection
            _wait(connection, status, host, target, deadline)
    except BaseException:
        connection.finish()
        raise


def _wait(connection: PGconn, status: int, host: Host, target: Target, deadline: float) -> None:
    """Wait for what the poll asks for; raises ``TargetError`` when it failed or the deadline has come."""
    if status not in (pq.PollingStatus.READING, pq.PollingStatus.WRITING):
        raise connect_error(connection.get_error_message(), host, target)
    events = selectors.EVENT_READ if status == pq.PollingStatus.READING else selectors.EVENT_WRITE
    seconds = deadline - time.monotonic()
    with selectors.DefaultSelector() as selector:
        selector.register(connection.socket, events)
        if seconds <= 0 or not selector.select(seconds):
            raise connect_timeout(host)
