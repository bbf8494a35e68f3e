"""Queries and commands of the lab to one of its servers: log position, standbys, clients, and promotion.

Called by the lab's cluster. Each console is one connection of the superuser to one host, closed at its time-out,
because a frozen server does not enforce its own.
"""

import os
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass

from engine.databases.database import Timeouts
from engine.databases.postgresql.admin import Connection, opened
from engine.errors import ErrorClass, TargetError
from engine.secrets import Secret
from engine.target.target import Target

STREAMING = "streaming"
_POLL_SECONDS = 0.004
# libpq gives no SQLSTATE for a refused connection; the lab's servers speak English.
_NOT_YET = "the database system is"
_STARTING_POLL_SECONDS = 0.05
_POSITION = """\
SELECT pg_is_in_recovery(),
    (CASE WHEN pg_is_in_recovery() THEN pg_last_wal_receive_lsn() ELSE pg_current_wal_flush_lsn() END
        - '0/0'::pg_lsn)::bigint,
    (CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_flush_lsn() END
        - '0/0'::pg_lsn)::bigint"""
_FOLLOWERS = """\
SELECT pid, application_name, state, sync_state, (replay_lsn - '0/0'::pg_lsn)::bigint
FROM pg_stat_replication WHERE state IN ('streaming', 'catchup')"""
_USERS = """\
SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()
ORDER BY state = 'active' DESC, datname <> 'postgres' DESC, pid"""


@dataclass(frozen=True, kw_only=True)
class Position:
    """How far a server has got in the WAL, in bytes from its beginning: safely written, and replayed.

    Of a primary both are what it has flushed; a standby that has received nothing yet counts what it has replayed.
    """

    is_standby: bool
    received: int
    replayed: int


@dataclass(frozen=True, kw_only=True)
class Follower:
    """A standby as its primary sees it; ``pid`` is the process that sends it the WAL."""

    pid: int
    name: str
    is_streaming: bool
    sync_state: str
    replayed: int


class Console:
    """The superuser's connection to one server. Everything raises ``TargetError``."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def position(self) -> Position:
        row = self._connection.execute(_POSITION).fetchone()
        assert row is not None
        is_standby, received, replayed = row
        replayed_bytes = _number(replayed)
        return Position(
            is_standby=bool(is_standby), received=max(_number(received), replayed_bytes), replayed=replayed_bytes
        )

    def followers(self) -> list[Follower]:
        """The standbys that are connected and follow."""
        rows = self._connection.execute(_FOLLOWERS).fetchall()
        return [
            Follower(
                pid=_number(pid),
                name=str(name),
                is_streaming=state == STREAMING,
                sync_state=str(sync_state),
                replayed=_number(replayed),
            )
            for pid, name, state, sync_state, replayed in rows
        ]

    def users(self) -> list[int]:
        """The processes that serve others' connections, busy ones first."""
        return [_number(pid) for (pid,) in self._connection.execute(_USERS).fetchall()]

    def promote(self, *, timeout_seconds: float) -> None:
        """Make a standby the primary; returns when it takes writes."""
        deadline = time.monotonic() + timeout_seconds
        self._connection.execute("SELECT pg_promote(wait => false)")
        while self.position().is_standby:
            if time.monotonic() > deadline:
                raise TargetError(ErrorClass.TIMEOUT, f"the promotion took more than {timeout_seconds:g} s")
            time.sleep(_POLL_SECONDS)


@contextmanager
def console(target: Target, secret: Secret, *, timeout_seconds: float) -> Iterator[Console]:
    """A console of the target's one host, for so many seconds in all; a server that is starting is waited for.

    Raises ``TargetError``.
    """
    deadline = time.monotonic() + timeout_seconds
    with (
        _opened(target, secret, deadline) as connection,
        socket.socket(fileno=os.dup(connection.fileno())) as held,
    ):
        timer = threading.Timer(max(deadline - time.monotonic(), 0.0), _cut, (held,))
        timer.daemon = True
        timer.start()
        try:
            yield Console(connection)
        finally:
            timer.cancel()


@contextmanager
def _opened(target: Target, secret: Secret, deadline: float) -> Iterator[Connection]:
    with ExitStack() as stack:
        while True:
            seconds = max(deadline - time.monotonic(), _POLL_SECONDS)
            try:
                connection = stack.enter_context(opened(target, secret, Timeouts(connect_seconds=seconds)))
            except TargetError as error:
                if _NOT_YET not in str(error) or time.monotonic() + _STARTING_POLL_SECONDS > deadline:
                    raise
                time.sleep(_STARTING_POLL_SECONDS)
            else:
                break
        yield connection


def _cut(held: socket.socket) -> None:
    with suppress(OSError):
        held.shutdown(socket.SHUT_RDWR)


def _number(value: object) -> int:
    return int(str(value)) if value is not None else 0
