"""The way to the server and back as Spindle times it: trivial statements beside the load of a run.

A few users in a process of their own, driven by the very loop that drives an emulated user's calls, and over the same
exchange; so they are sent, waited for and timed by the same code. An order of theirs is a trivial statement after the
pause to think, when their process of the server has slept, then three that read and one that writes, hot on its heels.
Their times are until the system's stamp on the answer, as Spindle's; and until the loop took the answer, as pgbench
times its own, which says whether the stamps are plausible. Run as a process by ``tests.benchmarks.child``.
"""

import itertools
import random
import threading
import time
from typing import Any

from psycopg import pq
from psycopg.pq.abc import PGconn

from engine.databases.arrival import wall_clock
from engine.databases.database import PENDING, Pending, Timeouts
from engine.databases.postgresql.connection import connect_any
from engine.databases.postgresql.exchange import GOOD, Answer, exchange_over
from engine.databases.postgresql.preparing import prepare_all
from engine.driver.outage import Outage
from engine.driver.start_gate import StartGate
from engine.driver.tally import SecondTally
from engine.driver.timebase import Timebase
from engine.driver.user_connection import UserConnection
from engine.driver.user_loop import LoopUser, UserLoop
from engine.dvdstore.user import Call, Pause, PauseKind, Script
from engine.secrets import Secret
from engine.target import Target
from tests.benchmarks import child
from tests.benchmarks.pgbench_steps import TRIVIAL

APPLICATION = "trips"
"""What the users' sessions are called on the server."""

_USERS = 4
_HOT = ("hot read", "hot read", "hot read", "hot write")
_ORDERS = (("first read", *_HOT), ("first write", *_HOT))
_LOOK_SECONDS = 0.05

Trip = tuple[str, float, float, float]
"""Which statement, when it ended by the wall clock, its milliseconds until the answer had come and until it was taken.
"""


class TripSession:
    """What a ``UserLoop`` asks of a ``PolledSession``, for the trivial statements; a verb is the name of one.

    ``waited`` is for how many seconds the last answer had been there when it was taken.
    """

    def __init__(self, target: Target, secret: Secret) -> None:
        self.arrived = self.waited = 0.0
        self._connection, number = connect_any(target, secret, Timeouts())
        self.host = target.hosts[number]
        statements = {name.encode(): (text, ()) for name, text in TRIVIAL.items()}
        prepare_all(self._connection, statements, self.host, Timeouts().connect_seconds)
        _name(self._connection)
        self._exchange = exchange_over(self._connection)

    def fileno(self) -> int:
        return self._connection.socket

    def prepare(self, verb: str, _: tuple[Any, ...]) -> None:
        self._exchange.prepare(verb.encode(), (), ())

    def ask(self) -> None:
        self._exchange.ask()

    def answer(self) -> Answer | Pending:
        taken_at = wall_clock()
        answer = self._exchange.answer()
        if answer is None:
            return PENDING
        if answer.status not in GOOD:
            raise RuntimeError(str(answer.error_field(pq.DiagnosticField.MESSAGE_PRIMARY)))
        self.arrived = self._exchange.arrived
        self.waited = max(0.0, taken_at - self.arrived) if self.arrived else 0.0
        return answer

    def close(self) -> None:
        self._exchange.close()
        self._connection.finish()


class _TripUser:
    """One user: its connection, its script, and its part of ``trips``."""

    def __init__(self, number: int, target: Target, secret: Secret, think_seconds: float, loop: UserLoop) -> None:
        self.trips: list[Trip] = []
        self._number = number
        self._think_seconds = think_seconds
        timebase = Timebase(time.monotonic())
        connection: UserConnection[Any] = UserConnection(
            lambda *_: TripSession(target, secret),
            chance=random.Random(number),
            tally=SecondTally(number, timebase),
            outage=Outage(number, timebase),
            stop=loop.stop,
        )
        self._connection = connection
        self.driven = LoopUser(
            name=f"trips-{number}",
            connection=connection,
            script=self._script(),
            starts_at=0.0,
            call_seconds=Timeouts().statement_seconds,
            loop=loop,
        )

    def _script(self) -> Script:
        chance = random.Random(self._number)
        for turn in itertools.count(self._number):
            yield Pause(chance.uniform(0, 2 * self._think_seconds), PauseKind.THINK)
            for name in _ORDERS[turn % len(_ORDERS)]:
                _, error, seconds = yield Call(name, ())
                if error is not None:
                    raise error
                session = self._connection.session
                assert session is not None, "it has just answered"
                self.trips.append((name, wall_clock(), 1000 * seconds, 1000 * (seconds + session.waited)))


def drive(target: Target, secret: Secret, think_time_ms: float, seconds: float) -> list[Trip]:
    """The trips of all users in so many seconds. Raises what ended one of them before."""
    stop = threading.Event()
    gate = StartGate(stop)
    loop = UserLoop(gate, stop)
    users = [_TripUser(number, target, secret, think_time_ms / 1000, loop) for number in range(_USERS)]
    for user in users:
        user.driven.start()
    gate.open(time.monotonic())
    loop.start()
    time.sleep(seconds)
    stop.set()
    loop.wake()
    while any(user.driven.is_alive for user in users):
        time.sleep(_LOOK_SECONDS)
    for user in users:
        if user.driven.failure is not None:
            raise user.driven.failure
    return [trip for user in users for trip in user.trips]


def _name(connection: PGconn) -> None:
    result = connection.exec_(f"SET application_name = '{APPLICATION}'".encode())
    assert result.status == pq.ExecStatus.COMMAND_OK, result.get_error_message()


def main() -> None:
    question = child.asked()
    target = child.target_from_plain(question["target"])
    child.answer(drive(target, Secret(question["secret"]), question["think_time_ms"], question["seconds"]))


if __name__ == "__main__":
    main()
