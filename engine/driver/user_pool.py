"""All emulated users of a client, on threads or in loops: started, inspected and cut together.

Called by the main thread of the client's process, except for the users' states and waits, which any thread may read.
"""

import itertools
import random
import threading
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from engine.databases.async_system import AsyncSession
from engine.driver.async_user import AsyncUser, OpenSession
from engine.driver.connector_pool import threads_for
from engine.driver.drive import Drive
from engine.driver.loop_user import LoopUser
from engine.driver.messages import ClientStart
from engine.driver.outage import Outage
from engine.driver.tally import SecondTally
from engine.driver.timebase import NEVER, Timebase
from engine.driver.user_connection import BaseConnection, Connect, UserConnection, UserState
from engine.driver.user_thread import UserThread
from engine.workload.pacing import Pacing
from engine.workload.user import EmulatedUser

_STACK_BYTES = 512 * 1024
# A server that enforces the statement time-out itself answers before we cut the connection.
_GRACE_SECONDS = 2.0


class User(Protocol):
    """One emulated user, as the main thread of its process sees it."""

    failure: Exception | None

    @property
    def connection(self) -> BaseConnection[Any]: ...

    @property
    def is_alive(self) -> bool: ...

    @property
    def thread_id(self) -> int | None:
        """The system's number of the thread that drives the user; ``None`` before ``start``."""
        ...

    @property
    def busy_since(self) -> float:
        """When the present call, pause or reconnect began; infinite between two of them. From any thread."""
        ...

    def start(self) -> None: ...

    def cut_if_overdue(self, now: float) -> float:
        """Cut the connection if the present call is past its deadline; otherwise return this deadline.

        Infinite when there is nothing left to cut.
        """
        ...

    def cut(self, because: str) -> None:
        """End the present call with a time-out."""
        ...


class UserPool:
    """The users that ``start`` specifies, driven by their process's ``drive`` and paced by ``pacing``, if there is one.

    ``connect_for`` returns what opens the session of a user, whose number counts those of all clients of the store: a
    ``Connect``, or an ``OpenSession`` where an ``AsyncLoop`` drives the users.
    """

    def __init__(
        self,
        start: ClientStart,
        connect_for: Callable[[int], Connect[Any] | OpenSession],
        *,
        drive: Drive,
        timebase: Timebase,
        tally: SecondTally,
        outage: Outage,
        pacing: Pacing | None = None,
    ) -> None:
        self._drive = drive
        self._pacing = pacing
        self._connectors = drive.new_connector_pool(threads_for(start.ramp_rate, start.timeouts.connect_seconds))
        self._scripted: list[EmulatedUser] = []  # in the users' order
        self._users: Sequence[User] = [
            self._user(start, number, connect_for(start.first_user + number), timebase, tally, outage)
            for number in range(start.threads)
        ]

    def start(self) -> None:
        """Every user connects at its time; returns at once."""
        threading.stack_size(_STACK_BYTES)
        for user in self._users:
            user.start()

    def cut_overdue(self, now: float) -> float:
        """Cut the users whose call is past its deadline; returns the earliest deadline of the other calls, or infinity.

        A call that begins meanwhile has its deadline ``call_seconds`` later.
        """
        return min(user.cut_if_overdue(now) for user in self._users)

    def cut(self, because: str) -> None:
        """Cut all users that have not left."""
        for user in self._users:
            if user.is_alive:
                user.cut(because)

    @property
    def all_have_connected(self) -> bool:
        return all(user.connection.has_connected for user in self._users)

    @property
    def is_alive(self) -> bool:
        return any(user.is_alive for user in self._users)

    @property
    def at_work(self) -> int:
        """How many users are working on an order: they wait for an answer or process one."""
        return sum(user.is_alive and user.connection.state is UserState.WORKING for user in self._users)

    @property
    def failures(self) -> list[Exception]:
        """The internal errors that ended users."""
        return [user.failure for user in self._users if user.failure is not None]

    @property
    def thread_ids(self) -> set[int]:
        """The system's numbers of the threads that drive the users: one for each, or fewer for all of them."""
        return {number for user in self._users if (number := user.thread_id) is not None}

    def states(self) -> dict[str, int]:
        """How many users are in each state; they add up to all users."""
        states = [user.connection.state for user in self._users]
        return {state.value: states.count(state) for state in UserState}

    def received(self) -> tuple[int, int]:
        """The rows of all answers that the users have got so far, and their bytes."""
        each = [user.connection.received for user in self._users]
        return sum(rows for rows, _ in each), sum(size for _, size in each)

    def waits(self, now: float) -> list[float]:
        """For each user with an order due: for how many seconds it has been due."""
        waits = map(_waited, self._users, self._scripted, itertools.repeat(now))
        return [seconds for seconds in waits if seconds > 0]

    def _user(
        self,
        start: ClientStart,
        number: int,
        connect: Connect[Any] | OpenSession,
        timebase: Timebase,
        tally: SecondTally,
        outage: Outage,
    ) -> User:
        rng = random.Random((start.seed << 32) + (start.client << 16) + number)
        new_user = start.found_workload().user
        assert new_user is not None, "the clients of this workload run a program"
        scripted = new_user(
            start.parameters,
            think_time_ms=start.think_time_ms,
            number=start.first_user + number,
            random=rng,
            tally=tally,
        )
        self._scripted.append(scripted)
        if self._pacing is not None:
            scripted.pace(self._pacing, number)
        script = scripted.script()
        starts_at = timebase.epoch + number / start.ramp_rate
        call_seconds = start.timeouts.statement_seconds + _GRACE_SECONDS
        if self._drive.async_loop is not None:
            return AsyncUser(
                connection=BaseConnection[AsyncSession](rng=rng, tally=tally, outage=outage, stop=self._drive.stop),
                open_session=connect,
                script=script,
                starts_at=starts_at,
                call_seconds=call_seconds,
                loop=self._drive.async_loop,
            )
        connection: UserConnection[Any] = UserConnection(
            connect, rng=rng, tally=tally, outage=outage, stop=self._drive.stop
        )
        if (loop := self._drive.next_loop()) is not None:
            return LoopUser(
                connection=connection,
                script=script,
                starts_at=starts_at,
                call_seconds=call_seconds,
                loop=loop,
                connectors=self._connectors,
            )
        return UserThread(
            name=f"user-{number}",
            connection=connection,
            script=script,
            starts_at=starts_at,
            call_seconds=call_seconds,
            gate=self._drive.gate,
            stop=self._drive.stop,
        )


def _waited(user: User, scripted: EmulatedUser, now: float) -> float:
    """0 for a user with no order due: it has left, or thinks, or is inactive, after a successful order."""
    waited = scripted.since_due  # read first: a wait that ends meanwhile is to be missed rather than counted twice
    began = user.busy_since
    is_between = user.connection.state in (UserState.THINKING, UserState.INACTIVE)
    if not user.is_alive or (is_between and not scripted.has_failed):
        return 0.0
    return waited + (0.0 if began == NEVER else max(0.0, now - began))
