"""The contract of an emulated user, however it is driven, with sessions that fail and hang on command.

``test_user_thread`` and ``test_user_loop`` each give the ``stage`` fixture a user of their kind.
"""

import random
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from engine.driver.outage import Outage
from engine.driver.start_gate import StartGate
from engine.driver.tally import SecondTally
from engine.driver.timebase import NEVER, Timebase
from engine.driver.user_connection import FIRST_BACK_OFF_SECONDS, MOST_TIMEOUT_FACTOR, UserConnection, UserState
from engine.driver.user_pool import User
from engine.errors import ErrorClass, TargetError
from engine.histogram import unpack, value_of
from engine.telemetry.event import EventKind
from engine.telemetry.sample import Sample
from engine.workload.actions import Script
from engine.workload.pacing import EVEN, PacedStage, Pacing, PacingPlan, StagedPacing, new_pacing
from engine.workloads.dvdstore.sizing import DbSize
from engine.workloads.dvdstore.transactions import TRANSACTIONS
from engine.workloads.dvdstore.user import DvdStoreUser, Mix
from tests.doubles.samples import dvd_sample, number
from tests.doubles.sessions import LOST, DoubleSession
from tests.waiting import wait_until

MIX = Mix(
    size=DbSize(1, "MB"), think_time_ms=1, pct_new_customers=20, n_searches=2, search_batch_size=5, n_line_items=3
)
REFUSED = TargetError(ErrorClass.CONNECTION_LOST, "Host nowhere refused the connection", usable=False)
LONG_SECONDS = 600.0
NO_USERS = dict.fromkeys(UserState, 0)


class Door:
    """Opens sessions for a user once ``waits_for`` is set, or refuses a given number of times.

    It records the requested hosts.
    """

    def __init__(self, session: Callable[[], DoubleSession]) -> None:
        self.refusals = 0
        self.sessions: list[DoubleSession] = []
        self.first_hosts: list[int] = []
        self.timeout_factor: list[int] = []
        self.error: Exception = REFUSED
        self.waits_for: threading.Event | None = None
        self._session = session

    def __call__(self, first_host: int, timeout_factor: int) -> DoubleSession:
        self.first_hosts.append(first_host)
        self.timeout_factor.append(timeout_factor)
        if self.waits_for is not None:
            self.waits_for.wait()
        if self.refusals:
            self.refusals -= 1
            raise self.error
        self.sessions.append(self._session())
        return self.sessions[-1]


@dataclass(frozen=True, kw_only=True)
class Cast:
    """What a user is made of."""

    connection: UserConnection[Any]
    script: Script
    starts_at: float
    call_seconds: float
    gate: StartGate
    stop: threading.Event


class Stage:
    """A user with all that it needs, and what was counted; ``begins`` makes it of its cast and starts it."""

    def __init__(self, begins: Callable[[Cast], User], session: Callable[[], DoubleSession]) -> None:
        self.door = Door(session)
        self.stop = threading.Event()
        self.gate = StartGate(self.stop)
        self.gate.open(0.0)
        self.tally = SecondTally(
            1, Timebase(time.monotonic()), types=TRANSACTIONS, think_seconds=MIX.think_time_ms / 1000
        )
        self.outage = Outage(1, Timebase(time.monotonic()))
        self.user: User
        self._begins = begins

    def begin(
        self,
        mix: Mix = MIX,
        *,
        call_seconds: float = LONG_SECONDS,
        delay_seconds: float = 0.0,
        pacing: Pacing | None = None,
    ) -> User:
        rng = random.Random(1)
        scripted = DvdStoreUser(mix, rng, self.tally)
        if pacing is not None:
            scripted.pace(pacing, 0)
        self.user = self._begins(
            Cast(
                connection=UserConnection(self.door, rng=rng, tally=self.tally, outage=self.outage, stop=self.stop),
                script=scripted.script(),
                starts_at=time.monotonic() + delay_seconds,
                call_seconds=call_seconds,
                gate=self.gate,
                stop=self.stop,
            )
        )
        return self.user

    @property
    def state(self) -> UserState:
        return self.user.connection.state

    def open_gate(self, moment: float) -> None:
        self.gate.open(moment)
        self.wake()

    def leave(self) -> None:
        """Stop the user, whatever it does."""
        self.stop.set()
        self.open_gate(0.0)

    def wake(self) -> None:
        """Notify the driver of the user that the gate or the stop has changed."""

    def end(self) -> Sample:
        """Stop the user; the sum of what it counted."""
        self.leave()
        wait_until(lambda: not self.user.is_alive, "the user leaves")
        samples = self.tally.take_all(NO_USERS)
        counts = ("orders", "order_us", "purchases", "reconnects", "in_doubt")
        errors: dict[str, int] = {}
        for sample in samples:
            for name, count in sample.errors.items():
                errors[name] = errors.get(name, 0) + count
        return dvd_sample(
            client=1,
            second=0,
            errors=errors,
            overdue=b"".join(sample.overdue or b"" for sample in samples),
            **{name: sum(number(sample, name) for sample in samples) for name in counts},
        )

    def wait_for_session(self, number: int) -> DoubleSession:
        wait_until(lambda: len(self.door.sessions) >= number, f"session {number} is opened")
        return self.door.sessions[number - 1]


def no_loop_is_left() -> bool:
    """Whether every loop of users in this process has ended."""
    return not any(thread.name == "user-loop" for thread in threading.enumerate())


def paced(*stages: PacedStage, changes: tuple[float, ...] = ()) -> Pacing:
    """The pacing of a client whose load begins now, with so many seconds to each change of stages."""
    pacing = new_pacing(PacingPlan(stages=stages, client=0, clients=1, arrivals=EVEN), random.Random(1))
    now = time.monotonic()
    pacing.begin(now, [now + seconds for seconds in changes])
    return pacing


class HeldPacing(StagedPacing):
    """That of a user that is inactive until its stage is said to have begun."""

    def __init__(self) -> None:
        super().__init__(PacingPlan(stages=(PacedStage(seconds=1, users=1),), client=0, clients=1))
        self.stage_has_begun = threading.Event()

    def inactive_seconds(self, user: int, now: float) -> float:
        return 0.0 if self.stage_has_begun.is_set() else 0.1


def bought(session: DoubleSession) -> Callable[[], bool]:
    return lambda: "purchase" in session.calls


class UserContract:
    """One emulated user, from its connection to its end."""

    def test_a_user_orders_until_it_is_stopped_and_closes_its_session(self, stage: Stage) -> None:
        user = stage.begin()
        session = stage.wait_for_session(1)
        wait_until(lambda: session.calls.count("purchase") > 3, "some orders are placed")

        counted = stage.end()

        assert counted.of("order").n == counted.of("purchase").n == session.calls.count("purchase")
        assert session.calls[-1] == "purchase"
        assert session.closed
        assert session.cuts == 0
        assert stage.state is UserState.DOWN
        assert user.failure is None
        assert counted.reconnects == 0
        assert counted.errors == {}

    def test_a_stop_ends_the_longest_pause_to_think(self, stage: Stage) -> None:
        stage.begin(replace(MIX, think_time_ms=3_600_000))
        wait_until(bought(stage.wait_for_session(1)), "an order is placed")
        wait_until(lambda: stage.state is UserState.THINKING, "the user thinks")

        assert stage.end().of("order").n == 1

    def test_inactive_user_stays_connected_and_asks_nothing_until_its_stage(self, stage: Stage) -> None:
        pacing = HeldPacing()
        stage.begin(pacing=pacing)
        session = stage.wait_for_session(1)
        wait_until(lambda: stage.state is UserState.INACTIVE, "the user is inactive")
        assert session.calls == []

        pacing.stage_has_begun.set()
        wait_until(bought(session), "an order is placed")
        assert stage.end().of("order").n > 0
        assert len(stage.door.sessions) == 1

    def test_a_stop_ends_the_longest_inactivity(self, stage: Stage) -> None:
        stage.begin(pacing=paced(PacedStage(seconds=1)))
        wait_until(lambda: stage.state is UserState.INACTIVE, "the user is inactive")

        assert stage.end().of("order").n == 0

    def test_user_of_an_open_loop_begins_what_is_due_and_waits_for_what_is_not(self, stage: Stage) -> None:
        pacing = paced(
            PacedStage(seconds=0.5, rate=1_000_000), PacedStage(seconds=1, rate=0.0001), changes=(0.0000035,)
        )
        stage.begin(replace(MIX, think_time_ms=0), pacing=pacing)
        session = stage.wait_for_session(1)
        wait_until(lambda: session.calls.count("purchase") == 4, "all that is due is placed")
        wait_until(lambda: stage.state is UserState.THINKING, "it waits for what is due next")

        assert pacing.queue(time.monotonic()) == []
        assert stage.end().of("order").n == 4

    def test_response_time_of_an_open_loop_begins_when_the_order_was_due(self, stage: Stage) -> None:
        stage.gate = StartGate(stage.stop)
        due = time.monotonic()
        pacing = paced(PacedStage(seconds=0.5, rate=1_000), PacedStage(seconds=1, rate=0.0001), changes=(0.0005,))
        stage.begin(replace(MIX, think_time_ms=0), pacing=pacing)
        session = stage.wait_for_session(1)
        time.sleep(0.2)  # what is due waits, since nobody is free
        stage.open_gate(0.0)
        wait_until(bought(session), "the order is placed")

        counted = stage.end().of("order")
        assert counted.n == 1
        assert 0.2e6 <= counted.sum_us <= (time.monotonic() - due + 1) * 1e6

    def test_the_first_user_reports_how_late_it_begins(self, stage: Stage) -> None:
        late_seconds: list[float] = []
        stage.gate = StartGate(stage.stop, late_seconds.append)
        stage.begin()
        session = stage.wait_for_session(1)
        began_at = time.monotonic() - 0.25
        stage.open_gate(began_at)
        wait_until(bought(session), "it places an order")

        stage.end()
        (late,) = late_seconds
        assert 0.25 <= late <= time.monotonic() - began_at

    def test_a_user_whose_turn_has_not_come_leaves_without_a_connection(self, stage: Stage) -> None:
        user = stage.begin(delay_seconds=LONG_SECONDS)
        assert stage.state is UserState.DOWN
        assert not user.connection.has_connected

        stage.end()

        assert stage.door.first_hosts == []

    def test_refused_user_tries_each_host_until_connected(self, stage: Stage) -> None:
        stage.door.refusals = 3

        user = stage.begin()
        wait_until(bought(stage.wait_for_session(1)), "an order is placed")

        counted = stage.end()
        assert user.connection.has_connected
        assert stage.door.first_hosts == [0, 1, 2, 3]
        assert counted.errors == {"connection_lost": 3}
        assert counted.reconnects == 0  # it had no connection before

    def test_a_user_that_is_always_refused_is_reconnecting_and_can_be_stopped(self, stage: Stage) -> None:
        stage.door.refusals = 1_000_000

        user = stage.begin()
        wait_until(lambda: len(stage.door.first_hosts) >= 3, "it has tried three times")

        assert stage.state is UserState.RECONNECTING
        assert not user.connection.has_connected
        assert stage.end().errors == {"connection_lost": len(stage.door.first_hosts)}

    def test_a_lost_connection_is_replaced_and_counted(self, stage: Stage) -> None:
        stage.begin()
        first = stage.wait_for_session(1)
        first.fail_next = LOST
        second = stage.wait_for_session(2)
        wait_until(bought(second), "an order is placed on the new connection")

        counted = stage.end()

        assert first.closed
        assert counted.reconnects == 1
        assert counted.errors == {"connection_lost": 1}
        assert (
            counted.of("order").n == first.calls.count("purchase") + second.calls.count("purchase") - counted.in_doubt
        )

    def test_the_time_without_a_connection_is_charged_to_the_order_that_was_due(self, stage: Stage) -> None:
        stage.begin()
        first = stage.wait_for_session(1)
        stage.door.refusals = 2
        first.fail_next = LOST
        second = stage.wait_for_session(2)
        wait_until(bought(second), "an order is placed on the new connection")

        waited = unpack(stage.end().overdue or b"")

        pauses_us = 1e6 * (FIRST_BACK_OFF_SECONDS / 2 + FIRST_BACK_OFF_SECONDS)  # the least that two refusals take
        assert value_of(max(waited)) >= pauses_us

    def test_reconnected_user_thinks_before_its_next_order(self, stage: Stage) -> None:
        stage.gate = StartGate(stage.stop)
        stage.begin(replace(MIX, think_time_ms=3_600_000))
        first = stage.wait_for_session(1)
        first.fail_next = LOST
        stage.open_gate(0.0)
        second = stage.wait_for_session(2)
        wait_until(lambda: stage.state is UserState.THINKING, "the user thinks")

        assert second.calls == []
        lost, back = stage.outage.take_events()
        assert (lost.label, lost.kind) == ("connection lost ×1", EventKind.CONNECTION_LOST)
        assert back.detail.startswith("1 user: first after ")
        assert stage.end().reconnects == 1

    def test_a_user_that_is_cut_at_the_end_has_lost_nothing(self, stage: Stage) -> None:
        user = stage.begin()
        session = stage.wait_for_session(1)
        session.hangs.set()
        assert session.hanging.wait(60)
        assert user.is_alive

        stage.stop.set()
        user.cut("the run was over")
        stage.end()

        assert stage.outage.take_events() == []
        assert not user.is_alive

    def test_a_call_beyond_its_deadline_is_cut_and_counts_as_a_time_out(self, stage: Stage) -> None:
        user = stage.begin(call_seconds=60.0)
        session = stage.wait_for_session(1)
        session.hangs.set()
        assert session.hanging.wait(60)

        ends = user.cut_if_overdue(time.monotonic())
        assert 0.0 < ends - time.monotonic() <= 60.0
        assert session.cuts == 0
        assert user.cut_if_overdue(ends) == float("inf"), "there is nothing left to cut"
        second = stage.wait_for_session(2)
        wait_until(bought(second), "an order is placed on the new connection")

        assert session.cuts == 1
        assert stage.end().errors == {"timeout": 1}
        remarks = [(each.error_class, each.text) for each in stage.tally.take_error_messages()]
        assert remarks == [("timeout", "no answer within 60 s; the connection was cut")]

    def test_state_of_a_user_is_known_during_each_activity(self, stage: Stage) -> None:
        began = time.monotonic()
        user = stage.begin(replace(MIX, think_time_ms=0))
        session = stage.wait_for_session(1)
        session.hangs.set()
        assert session.hanging.wait(60)
        assert began <= user.busy_since <= time.monotonic()

        stage.door.refusals = 1_000_000
        cut_at = time.monotonic()
        user.cut("enough")
        wait_until(lambda: stage.door.refusals < 999_998, "it tries to reconnect")
        assert cut_at <= user.busy_since <= time.monotonic()
        stage.door.refusals = 0
        back = stage.wait_for_session(2)
        wait_until(bought(back), "it buys")

        assert user.busy_since > cut_at
        stage.end()

    def test_a_pause_to_think_is_known_from_its_beginning(self, stage: Stage) -> None:
        user = stage.begin(replace(MIX, think_time_ms=3_600_000))
        wait_until(lambda: stage.state is UserState.THINKING and user.busy_since < NEVER, "the user thinks")

        assert user.busy_since <= time.monotonic()
        stage.end()

    def test_user_without_a_call_is_never_late(self, stage: Stage) -> None:
        user = stage.begin(replace(MIX, think_time_ms=3_600_000))
        wait_until(lambda: stage.state is UserState.THINKING, "the user thinks")

        assert user.cut_if_overdue(time.monotonic() + 1e6) == float("inf")

        assert stage.door.sessions[0].cuts == 0
        stage.end()

    def test_user_cut_at_the_end_has_a_reason(self, stage: Stage) -> None:
        user = stage.begin()
        session = stage.wait_for_session(1)
        session.hangs.set()
        assert session.hanging.wait(60)

        stage.stop.set()
        user.cut("the run was over")

        assert stage.end().errors == {"timeout": 1}
        (remark,) = stage.tally.take_error_messages()
        assert (remark.error_class, remark.text) == ("timeout", "the run was over")
        assert len(stage.door.sessions) == 1
        assert session.closed

    def test_user_pausing_before_a_retry_is_working(self, stage: Stage) -> None:
        stage.begin(replace(MIX, think_time_ms=0))
        session = stage.wait_for_session(1)
        wait_until(bought(session), "the user orders")
        states: set[UserState] = set()
        session.fail_next = TargetError(ErrorClass.OTHER, "disk full")
        before = len(session.calls)

        def goes_on() -> bool:
            states.add(stage.state)
            return len(session.calls) > before + 1

        wait_until(goes_on, "the user orders again")

        assert states == {UserState.WORKING}
        assert stage.end().errors == {"other": 1}

    def test_internal_error_ends_the_user_and_is_recorded(self, stage: Stage) -> None:
        user = stage.begin()
        session = stage.wait_for_session(1)
        session.fail_next = ZeroDivisionError("ours")
        wait_until(lambda: not user.is_alive, "the user ends")

        assert isinstance(user.failure, ZeroDivisionError)
        assert stage.state is UserState.DOWN
        assert session.closed

    def test_internal_error_while_connecting_ends_the_user_and_is_recorded(self, stage: Stage) -> None:
        stage.door.refusals, stage.door.error = 1, KeyError("ours")

        user = stage.begin()
        wait_until(lambda: not user.is_alive, "the user ends")

        assert isinstance(user.failure, KeyError)
        assert not user.connection.has_connected

    def test_connect_timeout_lengthens_the_next_wait(self, stage: Stage) -> None:
        stage.door.refusals = 4
        stage.door.error = TargetError(ErrorClass.TIMEOUT, "no answer in time", usable=False)
        stage.begin()
        stage.wait_for_session(1)

        assert stage.door.timeout_factor == [1, 2, 4, MOST_TIMEOUT_FACTOR, MOST_TIMEOUT_FACTOR]

    def test_refused_connection_does_not_lengthen_the_wait(self, stage: Stage) -> None:
        stage.door.refusals = 3
        stage.begin()
        stage.wait_for_session(1)

        assert stage.door.timeout_factor == [1, 1, 1, 1]

    def test_a_user_waits_connected_until_the_gate_opens(self, stage: Stage) -> None:
        stage.gate = StartGate(stage.stop)
        stage.begin()
        session = stage.wait_for_session(1)
        wait_until(lambda: stage.state is UserState.THINKING, "it waits")
        assert session.calls == []

        stage.open_gate(time.monotonic() + 0.05)
        wait_until(bought(session), "it buys")
