"""Users that rounds serve, over sockets whose other ends the test has."""

import math
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import SimpleNamespace
from typing import Any

import pytest

from engine.databases.postgresql.wire import TEXT
from engine.databases.rounds import Rounds, WaitingRounds, new_rounds
from engine.workload.actions import Action, Call, Outcome, Script
from tests.doubles.postgresql_messages import READY, int4, prepared, row

SEVEN = row([int4(7)]) + READY
CALLS = {
    "seven": prepared(b"seven", read=lambda answer: answer.integer(0, 0)),
    "long": prepared(b"long", (TEXT,)),
}
SEVEN_PLEASE = Call("seven", ())
LONG_BYTES = 3_000_000
LONG = Call("long", (b"x" * LONG_BYTES,))
NEVER = math.inf


def compiled_rounds() -> Rounds:
    if isinstance(rounds := new_rounds("thinking", "working"), WaitingRounds):
        pytest.skip("rounds are compiled on Linux only, where there is a C compiler")
    return rounds


class Pair:
    """Two connected sockets: a user's, and the server's."""

    def __init__(self, made: Callable[[], tuple[socket.socket, socket.socket]] = socket.socketpair) -> None:
        self.near, self.far = made()
        self.near.setblocking(False)

    @property
    def fileno(self) -> int:
        return self.near.fileno()

    def close(self) -> None:
        self.near.close()
        self.far.close()


class Served:
    """A user whose script yields the ``actions`` one after the other and records the outcomes."""

    def __init__(self, rounds: Rounds, pair: Pair, *actions: Action, cipher: Any = None) -> None:
        from engine.databases.exchange._exchange import Exchange

        self.pair = pair
        self.told: list[Outcome] = []
        self.connection = SimpleNamespace(state="working")
        self.waits_since = NEVER
        self.busy_until = 0.0
        self.exchange = Exchange(pair.fileno, "postgresql", cipher)
        self.script = self._script(*actions)
        rounds.add(pair.fileno, self, self.script, self.exchange, CALLS)
        action = next(self.script)
        assert isinstance(action, Call)
        self.exchange.prepare(CALLS["seven"], action.arguments)
        self.exchange.send()

    def _script(self, *actions: Action) -> Script:
        for action in actions:
            self.told.append((yield action))
            while time.monotonic() < self.busy_until:
                pass

    def answered(self) -> None:
        self.pair.far.settimeout(10)
        self.pair.far.recv(65_536)
        self.pair.far.send(SEVEN)

    def has_asked(self) -> bool:
        self.pair.far.setblocking(False)
        try:
            return self.pair.far.recv(1, socket.MSG_PEEK) != b""
        except BlockingIOError:
            return False


@contextmanager
def answering(pair: Pair) -> Iterator[None]:
    """A server that answers each question as soon as it comes."""

    def answer() -> None:
        with suppress(OSError):
            while pair.far.recv(65_536):
                pair.far.send(SEVEN)

    server = threading.Thread(target=answer)
    server.start()
    try:
        yield
    finally:
        pair.far.shutdown(socket.SHUT_RDWR)
        server.join(10)
