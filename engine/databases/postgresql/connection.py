"""Opening libpq connections: the parameters, and a connect that keeps its time-out and never holds the lock.

libpq's blocking connect holds the interpreter's lock, so one silent host would stop every user of a client; the
polling connect used here waits in a selector. Each address of each host of a target gets a time-out of its own, and
one that is silent does not hold the others up: libpq, which knows them all, would wait for it until its time was over.
"""

import selectors
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from socket import SOCK_STREAM, getaddrinfo

from psycopg import pq
from psycopg.conninfo import make_conninfo
from psycopg.pq.abc import PGconn

from engine.databases.database import Timeouts
from engine.databases.postgresql.errors import connect_error, connect_timeout
from engine.databases.postgresql.polling import connect_poll
from engine.errors import ErrorClass, TargetError
from engine.secrets import Secret
from engine.target import Host, Target

APPLICATION = "spindle"
STAGGER_SECONDS = 0.25
_NO_CONNECTION = (ErrorClass.CONNECTION_LOST, ErrorClass.TIMEOUT)
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

    One that is silent, or an address of one, does not hold the next up: after ``STAGGER_SECONDS`` both are tried, and
    the first that accepts is taken. Each has ``timeouts.connect_seconds``. Raises the ``TargetError`` of the last that
    was tried, unless an earlier one's says more than "no connection".
    """
    race = _Race(target, [(first_host + turn) % len(target.hosts) for turn in range(len(target.hosts))])
    try:
        while race.goes_on:
            if race.next_is_due:
                race.start_next(
                    lambda host, address: Attempt(target, host, secret, timeouts, addresses=(address,), options=options)
                )
            race.wait()
            won = race.winner()
            if won is not None:
                return won
    finally:
        race.give_up()
    raise race.refusal()


class _Race:
    """The hosts of a target that are tried, at first one alone, then with those that come after it in ``turns``; of
    each, one address after the other in the same way."""

    def __init__(self, target: Target, turns: Sequence[int]) -> None:
        self._under_way: list[tuple[int, Attempt]] = []
        self._target = target
        # A host's addresses are looked up when its turn comes, which may take long.
        self._waiting: deque[tuple[int, tuple[str, ...] | None]] = deque((number, None) for number in turns)
        self._refusals: dict[int, list[TargetError]] = {number: [] for number in turns}
        self._next_start = 0.0

    @property
    def goes_on(self) -> bool:
        return bool(self._waiting or self._under_way)

    @property
    def next_is_due(self) -> bool:
        return bool(self._waiting) and (not self._under_way or time.monotonic() >= self._next_start)

    def start_next(self, attempt: "Callable[[Host, str], Attempt]") -> None:
        number, addresses = self._waiting.popleft()
        host = self._target.hosts[number]
        try:
            address, *others = addresses or addresses_of(host, self._target)
        except TargetError as refusal:
            self._refusals[number].append(refusal)
            return
        if others:
            self._waiting.appendleft((number, tuple(others)))
        self._under_way.append((number, attempt(host, address)))
        self._next_start = time.monotonic() + STAGGER_SECONDS

    def wait(self) -> None:
        """Until an attempt can go on, its deadline has come, or the next one's turn has."""
        attempts = [attempt for _, attempt in self._under_way]
        moments = [attempt.deadline for attempt in attempts] + [self._next_start] * bool(self._waiting)
        if attempts:
            wait_for({attempt.socket: attempt.events for attempt in attempts}, min(moments))

    def winner(self) -> tuple[PGconn, int] | None:
        """Let every attempt do what it can; the connection that was accepted, if any was, and its host's number."""
        for each in tuple(self._under_way):
            number, attempt = each
            try:
                if attempt.go_on():
                    self._under_way.remove(each)
                    return attempt.connection, number
            except TargetError as refusal:
                self._refusals[number].append(refusal)
                self._under_way.remove(each)
                attempt.give_up()
        return None

    def give_up(self) -> None:
        for _, attempt in self._under_way:
            attempt.give_up()

    def refusal(self) -> TargetError:
        told = [refusal for of_host in self._refusals.values() for refusal in of_host]
        return next((each for each in reversed(told) if each.error_class not in _NO_CONNECTION), told[-1])


class Attempt:
    """A connection to a host that is being made, within ``timeouts.connect_seconds``; nothing of it waits.

    Of several ``addresses`` one that is silent has all of the time. ``connection`` is there from the beginning, and can
    be used when ``go_on`` has said so.
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
        """What to wait on for ``events`` before the next ``go_on``; it changes when libpq tries another way.

        -1 when there is nothing to wait for: the attempt has failed.
        """
        return -1 if self.connection.status == pq.ConnStatus.BAD else self.connection.socket

    def go_on(self) -> bool:
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


def wait_for(sockets: Mapping[int, int], until: float) -> bool:
    """Wait until one of the sockets has its events, or it is ``until``; whether one has. One of -1 has at once."""
    if -1 in sockets:
        return True
    with selectors.DefaultSelector() as selector:
        for socket, events in sockets.items():
            selector.register(socket, events)
        return bool(selector.select(max(0.0, until - time.monotonic())))


def addresses_of(host: Host, target: Target) -> tuple[str, ...]:
    """The host's addresses, one at least, looked up here because libpq would hold the interpreter's lock meanwhile; the
    folder of a local socket has one that is empty. Raises ``TargetError`` when the name leads nowhere."""
    if host.name.startswith("/"):
        return ("",)
    try:
        found = getaddrinfo(host.name, host.port, type=SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise connect_error("host name not found (DNS)", host, target) from error
    return tuple(dict.fromkeys(str(address[0]) for *_, address in found))
