"""While libpq makes a connection to the session's real server, the interpreter is free for others."""

import ctypes
import selectors
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace

import psycopg
import pytest
from psycopg import pq
from psycopg.pq.abc import PGconn

from engine.databases.database import Timeouts
from engine.databases.postgresql import polling
from engine.databases.postgresql.connection import conninfo
from engine.databases.postgresql.polling import connect_poll
from engine.databases.postgresql.statement import execute
from engine.databases.racing import wait_for
from engine.lab.server import EmbeddedServer
from engine.secrets import Secret

_WAIT_SECONDS = 60.0
_ROLE, _PASSWORD = "whose_proof_takes_long", "a password"
_ITERATIONS = 1_000_000


@pytest.fixture
def slow_to_prove(embedded_server: EmbeddedServer) -> Iterator[PGconn]:
    """A connection that has begun, for a user whose password takes libpq some tenths of a second to prove."""
    target = embedded_server.target("postgres")
    host = target.hosts[0]

    def said(statement: str) -> None:
        execute(target, host, embedded_server.secret, statement, _WAIT_SECONDS)

    said(f"SET scram_iterations = {_ITERATIONS}; CREATE ROLE {_ROLE} LOGIN PASSWORD '{_PASSWORD}'")
    text = conninfo(replace(target, user=_ROLE), host, Secret(_PASSWORD), Timeouts())
    connection = pq.PGconn.connect_start(text.encode())
    yield connection
    connection.finish()
    said(f"DROP ROLE {_ROLE}")


class _Connecting(threading.Thread):
    """Makes a connection; ``polls`` have begun, and one is under way when that is odd."""

    def __init__(self, connection: PGconn) -> None:
        super().__init__(daemon=True)
        self.polls = 0
        self.status = pq.PollingStatus.WRITING
        self._connection = connection

    def run(self) -> None:
        events = {pq.PollingStatus.READING: selectors.EVENT_READ, pq.PollingStatus.WRITING: selectors.EVENT_WRITE}
        while self.status in events:
            wait_for({self._connection.socket: events[self.status]}, time.monotonic() + _WAIT_SECONDS)
            self.polls += 1
            self.status = connect_poll(self._connection)
            self.polls += 1


def _most_looks_into_one_poll(connecting: _Connecting) -> int:
    """How often this thread can look while a poll is under way."""
    looks: dict[int, int] = {}
    while connecting.is_alive():
        connecting.join(0.001)
        if (poll := connecting.polls) % 2:
            looks[poll] = looks.get(poll, 0) + 1
    return max(looks.values())


@pytest.mark.skipif(sys.platform != "linux" or pq.__impl__ != "binary", reason="it is looked for in psycopg's module")
def test_psycopgs_own_libpq_is_found_and_its_connections_have_their_address(slow_to_prove: PGconn) -> None:
    """A version of psycopg that hides either would make every connect hold the interpreter's lock, unnoticed."""
    assert polling._unlocked is not None, f"psycopg {psycopg.__version__} is not among the proven versions, or hides it"
    assert slow_to_prove.pgconn_ptr
    socket_of = ctypes.CDLL(sys.modules[pq.PGconn.__module__].__file__).PQsocket
    socket_of.argtypes = (ctypes.c_void_p,)
    assert socket_of(slow_to_prove.pgconn_ptr) == slow_to_prove.socket, "the address is that of libpq's connection"


def test_the_function_is_not_called_past_a_psycopg_of_an_unproven_version(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(psycopg, "__version__", "3.99.1")
    assert polling._of_psycopgs_own_libpq() is None


@pytest.mark.skipif(polling._unlocked is None, reason="psycopg's libpq is not found through its module here")
def test_others_go_on_while_a_password_is_proved(slow_to_prove: PGconn) -> None:
    connecting = _Connecting(slow_to_prove)
    connecting.start()
    looks = _most_looks_into_one_poll(connecting)

    assert connecting.status == pq.PollingStatus.OK
    assert slow_to_prove.exec_(b"SELECT current_user").get_value(0, 0) == _ROLE.encode()
    assert looks >= 3, "holding the lock, there is one at most"


def test_psycopg_polls_where_libpq_is_not_found(slow_to_prove: PGconn, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(polling, "_unlocked", None)
    connecting = _Connecting(slow_to_prove)
    connecting.start()
    connecting.join(_WAIT_SECONDS)
    assert connecting.status == pq.PollingStatus.OK
