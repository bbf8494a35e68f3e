"""A session without a server, for the tests of code that drives sessions: it answers, fails or hangs as configured."""

import math
import socket
import threading
import time
from collections.abc import Callable
from typing import Any

from engine.databases.arrival import Arrival
from engine.databases.polled_session import PENDING, Pending
from engine.databases.rounds import Rounds
from engine.errors import ErrorClass, TargetError
from engine.target.target import Host
from engine.workload.actions import Script

PRICE = 999
LOST = TargetError(ErrorClass.CONNECTION_LOST, "server closed the connection", usable=False)
_HANGS_AT_MOST_SECONDS = 30.0


class NoRows:
    """An empty answer."""

    def __len__(self) -> int:
        return 0

    def decoded(self) -> list[tuple[Any, ...]]:
        return []


_RESULTS = {"login": (7, NoRows()), "new_customer": 8, "purchase": 9}


class DoubleSession:
    """Fulfils ``engine.databases.database.Session``.

    ``fail_next`` makes the next call raise; while ``hangs`` is set, a call waits until it is cut.
    """

    host = Host("nowhere", 5432)

    def __init__(self) -> None:
        self.fail_next: Exception | None = None
        self.hangs = threading.Event()
        self.hanging = threading.Event()
        self.calls: list[str] = []
        self.cuts = 0
        self.closed = False
        self._was_cut = threading.Event()

    @property
    def received(self) -> tuple[int, int]:
        """A row of ten bytes for each call."""
        return len(self.calls), 10 * len(self.calls)

    def call(self, name: str, arguments: tuple[Any, ...]) -> Any:
        assert not self.closed, "a session was used after it was closed"
        self.calls.append("browse" if name.startswith("browse") else name)
        failure, self.fail_next = self.fail_next, None
        if failure is not None:
            raise failure
        if self.hangs.is_set():
            self._hang()
        if name == "prices":
            return dict.fromkeys(*arguments, PRICE)
        return _RESULTS.get(name, NoRows())

    def cut(self) -> None:
        self.cuts += 1
        self._was_cut.set()

    def close(self) -> None:
        self.closed = True

    def _hang(self) -> None:
        self.hanging.set()
        assert self._was_cut.wait(_HANGS_AT_MOST_SECONDS), "nobody cut the call that hung"
        raise LOST


class PolledDoubleSession(DoubleSession):
    """Fulfils ``engine.databases.database.PolledSession``. With ``in_parts`` the next answer comes in two."""

    def __init__(self) -> None:
        super().__init__()
        self.in_parts = False
        self._near, self._far = self.connected()
        self.arrived = 0.0
        self.sent_at = math.inf
        self._arrival = Arrival(self._near.fileno())
        self._asked: Callable[[], Any] = self._nothing

    def fileno(self) -> int:
        return self._near.fileno()

    def join(self, rounds: Rounds, who: object, script: Script) -> None:
        rounds.add(self.fileno(), who)

    def prepare(self, name: str, arguments: tuple[Any, ...]) -> None:
        self._asked = lambda: self.call(name, arguments)

    def send(self) -> None:
        self.sent_at = time.monotonic()
        if self.hangs.is_set():
            self.hanging.set()
        else:
            self._far.send(b".")

    def receive(self) -> Any | Pending:
        self.arrived = self._arrival.moment()
        self._near.recv(1)
        if self.in_parts:
            self.in_parts = False
            self._far.send(b".")
            return PENDING
        self.sent_at = math.inf
        return self._asked()

    def answer_now(self) -> None:
        """What was asked while it ``hangs`` is answered after all."""
        self._far.send(b".")

    def connected(self) -> tuple[socket.socket, socket.socket]:
        """The user's end of the connection, and the server's."""
        return socket.socketpair()

    def go_away(self) -> None:
        """The server ends the connection."""
        self._far.shutdown(socket.SHUT_RDWR)

    def cut(self) -> None:
        super().cut()
        self._far.send(b".")

    def close(self) -> None:
        super().close()
        self._arrival.leave()
        self._near.close()
        self._far.close()

    def _hang(self) -> None:
        """Only a call that was asked after ``hangs`` was set stays without an answer, until the session is cut."""
        if self.cuts:
            raise LOST

    def _nothing(self) -> None:
        raise AssertionError("an answer was read before anything was asked")


class NetworkDoubleSession(PolledDoubleSession):
    """A polled session over the loopback, where the system stamps what arrives."""

    def connected(self) -> tuple[socket.socket, socket.socket]:
        return tcp_pair()


def tcp_pair() -> tuple[socket.socket, socket.socket]:
    """Two connected sockets on the loopback."""
    with socket.create_server(("127.0.0.1", 0)) as door:
        near = socket.create_connection(door.getsockname())
        far, _ = door.accept()
    return near, far
