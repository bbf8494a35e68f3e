"""The way to the server and back as Spindle times it: trivial statements under Spindle's conditions.

What a call costs beyond the server's work depends on what its sender has to do beside it. So the trips are made as
pgbench's are, within a load: a process of its own runs as many emulated users as the run that is looked at, with the
same orders, sessions and user loop, and in every second one trivial statements stand in place of steps, the same
as in pgbench's. The trips are timed by the very code that times Spindle's calls: until the system's
stamp on the answer; and until the user went on, as pgbench times its own, which says whether the stamps are plausible.

The orders are marked like pgbench's, so that they are never taken for those of the run.
Run as a process by ``tests.benchmarks.child``.
"""

import itertools
import random
import threading
import time
from collections.abc import Generator, Iterator
from dataclasses import asdict
from typing import Any
from unittest.mock import patch

from engine.databases.arrival import wall_clock
from engine.databases.database import Timeouts
from engine.databases.polled_session import PolledSession
from engine.databases.postgresql.calls import CALLS, PreparedCall
from engine.databases.postgresql.session import open_session
from engine.databases.postgresql.wire import ResultRows
from engine.driver.loop_user import LoopUser
from engine.driver.outage import Outage
from engine.driver.start_gate import StartGate
from engine.driver.tally import SecondTally
from engine.driver.timebase import Timebase
from engine.driver.user_connection import UserConnection
from engine.driver.user_loop import UserLoop
from engine.dvdstore.sizing import DbSize
from engine.dvdstore.user import Action, Call, EmulatedUser, Mix, Outcome, Pause, PauseKind, Script
from engine.secrets import Secret
from engine.target import Target
from tests.benchmarks import child
from tests.benchmarks.pgbench_steps import TRIVIAL, replaced_search

APPLICATION = "trips"
"""What the users' sessions are called on the server."""

_NAMING = "name"
_SEARCHES = ("browse_by_category", "browse_by_actor", "browse_by_title")
_STAND_INS = {
    "login": "first read",
    "new_customer": "first write",
    **dict.fromkeys(_SEARCHES, "hot read"),
    "purchase": "hot write",
}
# What an order whose entry was left out goes on with: any customer, since its purchase is left out as well.
_ANSWERS: dict[str, Any] = {"login": (1, ()), "new_customer": 1}
_LOOK_SECONDS = 0.05

Trip = tuple[str, float, float, float]
"""Which statement, when it ended by the wall clock, its milliseconds until the answer had come, and until its user went
on."""


def question_of(target: Target, secret: Secret, mix: Mix, users: int, seconds: float) -> dict[str, Any]:
    """What the process is asked, to be answered with the trips of so many seconds."""
    return {
        "target": child.target_to_plain(target),
        "secret": secret.reveal(),
        "mix": {**asdict(mix), "size": str(mix.size)},
        "users": users,
        "seconds": seconds,
    }


class TripUser:
    """One emulated user with its trips; ``loop`` drives it as ``driven``."""

    def __init__(self, number: int, target: Target, secret: Secret, mix: Mix, loop: UserLoop) -> None:
        self.trips: list[Trip] = []
        timebase, chance = Timebase(time.monotonic()), random.Random(number)
        tally = SecondTally(number, timebase)
        self._number = number
        self._mix = mix
        self._connection: UserConnection[PolledSession] = UserConnection(
            lambda first, _: open_session(target, secret, Timeouts(), first_host=first),
            chance=chance,
            tally=tally,
            outage=Outage(number, timebase),
            stop=loop.stop,
        )
        self.driven = LoopUser(
            name=f"trips-{number}",
            connection=self._connection,
            script=self._script(EmulatedUser(mix, chance, tally).script()),
            starts_at=0.0,
            call_seconds=Timeouts().statement_seconds,
            loop=loop,
        )

    def _script(self, orders: Script) -> Script:
        """The orders as they come, with trivial statements in place of some of their calls."""
        yield Call(_NAMING, ())
        action, order, searched = next(orders), 1, 0
        while True:
            trivial = ""
            if type(action) is Call:
                searched += action.verb in _SEARCHES
                action = marked(action)
                trivial = instead(action, searched, replaced_search(self._mix, order, self._number))
            elif type(action) is Pause and action.kind is PauseKind.THINK:
                order, searched = order + 1, 0
            if trivial and type(action) is Call:
                seconds = yield from self._trip(trivial)
                action = orders.send((_ANSWERS.get(action.verb), None, seconds))
            else:
                action = orders.send((yield action))

    def _trip(self, name: str) -> Generator[Action, Outcome, float]:
        """Make one; its seconds."""
        _, error, seconds = yield Call(name, ())
        if error is not None:
            raise error
        session, now = self._connection.session, wall_clock()
        assert session is not None, "it has just answered"
        waited = now - session.arrived if session.arrived else 0.0
        self.trips.append((name, now, 1000 * seconds, 1000 * (seconds + waited)))
        return seconds


def drive(target: Target, secret: Secret, mix: Mix, users: int, seconds: float) -> list[Trip]:
    """The trips of all users in so many seconds. Raises what ended one of them before."""
    stop = threading.Event()
    gate = StartGate(stop)
    faults: list[Exception] = []
    loop = UserLoop(gate, stop, faults.append)
    crowd = [TripUser(number, target, secret, mix, loop) for number in range(users)]
    with patch.dict(CALLS, _trivial_calls()):
        for user in crowd:
            user.driven.start()
        gate.open(time.monotonic())
        loop.start()
        time.sleep(seconds)
        stop.set()
        loop.wake()
        while any(user.driven.is_alive for user in crowd) and not faults:
            time.sleep(_LOOK_SECONDS)
    faults += [user.driven.failure for user in crowd if user.driven.failure is not None]
    if faults:
        raise faults[0]
    return [trip for user in crowd for trip in user.trips]


def _trivial_calls() -> Iterator[tuple[str, PreparedCall]]:
    """Verbs for the trivial statements, so that a session prepares and calls them like its own."""
    naming = {_NAMING: f"SELECT set_config('application_name', '{APPLICATION}', false)"}
    for name, statement in itertools.chain(TRIVIAL.items(), naming.items()):
        yield name, PreparedCall(name.encode(), statement, (), (), tuple, ResultRows)


def instead(call: Call, searched: int, replaced: int) -> str:
    """The trivial statement that comes in place of a call, if any, by ``pgbench_steps.replaced_search``."""
    if not replaced or (call.verb in _SEARCHES and searched != replaced):
        return ""
    return _STAND_INS.get(call.verb, "")


def marked(call: Call) -> Call:
    """A purchase that is told from the run's by its amounts, as ``pgbench_steps.MARKED``; any other call as it is."""
    if call.verb != "purchase":
        return call
    customer, lines, net, tax, total = call.arguments
    return Call(call.verb, (customer, lines, net, tax + 1, total))


def main() -> None:
    question = child.asked()
    mix = Mix(**{**question["mix"], "size": DbSize.parse(question["mix"]["size"])})
    target = child.target_from_plain(question["target"])
    child.answer(drive(target, Secret(question["secret"]), mix, question["users"], question["seconds"]))


if __name__ == "__main__":
    main()
