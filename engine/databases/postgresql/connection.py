"""Opening libpq connections: the parameters, and a connect that observes its time-out without holding the interpreter's
lock.

libpq's blocking connect holds that lock, so one silent host would stop every user of a client; the polling connect used
here waits in a selector. Each address of each host is a separate attempt: libpq would wait for a silent one until its
time was over.
"""

import selectors
import time
from collections.abc import Sequence

from psycopg import pq
from psycopg.conninfo import make_conninfo
from psycopg.pq.abc import PGconn

from engine.databases.database import Timeouts
from engine.databases.postgresql.errors import connect_error, connect_timeout
from engine.databases.postgresql.polling import connect_poll
from engine.databases.racing import Refusal, first_accepted, wait_for
from engine.secrets import Secret
from engine.target.target import Host, Target

APPLICATION = "spindle"
# A schema of the user's own name would come before the public one.
_SEARCH_PATH = "-c search_path=public"


def conninfo(
    target: Target,
    host: Host,
    secret: Secret | None,
    timeouts: Timeouts,
    *,
    addresses: Sequence[str] = (),
    options: str = "",
) -> str:
    """libpq's connection string for one host of a target; it holds the password, so it must never be shown.

    ``addresses`` are of the host's, when they are known: libpq then looks none up, and goes on to the next one from one
    that refuses. ``options`` are settings for the server, as ``-c name=value``. Keep-alives notice a silent network
    while an answer is awaited, the user time-out while something is sent: both are needed.
    """
    silence = max(1, round(timeouts.silence_seconds))
    return make_conninfo(
        host=",".join([host.name] * max(1, len(addresses))),
        hostaddr=",".join(addresses) or None,
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

    Each has ``timeouts.connect_seconds``; ``engine.databases.racing`` says in which order they are tried, and which
    ``TargetError`` is raised when none accepts.
    """

    def start(host: Host, address: str) -> Attempt:
        return Attempt(target, host, secret, timeouts, addresses=(address,), options=options)

    won, number = first_accepted(target, first_host, start, unresolved_host_error(target))
    return won.connection, number


def unresolved_host_error(target: Target) -> Refusal:
    """What a host of the target's is refused with when its name leads nowhere."""
    return lambda host: connect_error("host name not found (DNS)", host, target)


class Attempt:
    """A connection attempt to a host within ``timeouts.connect_seconds``; implements ``racing.Attempt``.

    Of several ``addresses`` a silent one takes the whole time. ``connection`` exists from the start, and can be used
    once ``advance`` has returned true.
    """

    def __init__(
        self,
        target: Target,
        host: Host,
        secret: Secret | None,
        timeouts: Timeouts,
        *,
        addresses: Sequence[str],
        options: str = "",
    ) -> None:
        self._host = host
        self._target = target
        self.deadline = time.monotonic() + timeouts.connect_seconds
        text = conninfo(target, host, secret, timeouts, addresses=addresses, options=options)
        self.connection = pq.PGconn.connect_start(text.encode())
        self.events = selectors.EVENT_WRITE

    @property
    def socket(self) -> int:
        """What to wait on for ``events`` before the next ``advance``; it changes when libpq tries another way.

        -1 when there is nothing to wait for: the attempt has failed.
        """
        return -1 if self.connection.status == pq.ConnStatus.BAD else self.connection.socket

    def advance(self) -> bool:
        """Do what can be done without waiting; whether the connection is made. Raises ``TargetError``."""
        if self.socket >= 0:
            if not wait_for({self.socket: self.events}, 0.0):
                if time.monotonic() >= self.deadline:
                    raise connect_timeout(self._host)
                return False
            status = connect_poll(self.connection)
            if status == pq.PollingStatus.OK:
                return True
            if status in (pq.PollingStatus.READING, pq.PollingStatus.WRITING):
                reads = status == pq.PollingStatus.READING
                self.events = selectors.EVENT_READ if reads else selectors.EVENT_WRITE
                return False
        raise connect_error(self.connection.get_error_message(), self._host, self._target)

    def give_up(self) -> None:
        self.connection.finish()
