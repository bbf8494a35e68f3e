"""A user in a loop fulfils the contract, and shares the loop with others."""

import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from engine.databases.rounds import WaitingRounds
from engine.driver.connector_pool import ConnectorPool
from engine.driver.loop_user import LoopUser
from engine.driver.start_gate import Pace, StartGate
from engine.driver.timebase import NEVER
from engine.driver.user_connection import UserState
from engine.driver.user_loop import UserLoop
from tests.doubles.sessions import LOST, DoubleSession, NetworkDoubleSession, PolledDoubleSession
from tests.engine.driver.user_contract import MIX, Cast, Stage, UserContract, bought, no_loop_is_left
from tests.waiting import wait_until


class LoopStage(Stage):
    """A stage whose users live in one loop; the loop starts with the first of them."""

    def __init__(self, session: Callable[[], Any] = PolledDoubleSession) -> None:
        super().__init__(self._begun, session)
        self.loop: UserLoop
        self.keeps_time: tuple[float, Callable[[], float]] | None = None
        self.faults: list[Exception] = []
        self.connectors = ConnectorPool(4, self.stop)

    def polled(self, number: int) -> PolledDoubleSession:
        session = self.wait_for_session(number)
        assert isinstance(session, PolledDoubleSession)
        return session

    def wake(self) -> None:
        self.loop.wake()
        if self.stop.is_set():
            self.connectors.end()

    def _begun(self, cast: Cast) -> LoopUser:
        self.loop = UserLoop(cast.gate, cast.stop, self.faults.append)
        user = self.user_of(cast)
        user.start()
        if self.keeps_time is not None:
            self.loop.set_timer(*self.keeps_time)
        self.loop.start()
        return user

    def user_of(self, cast: Cast) -> LoopUser:
        return LoopUser(
            connection=cast.connection,
            script=cast.script,
            starts_at=cast.starts_at,
            call_seconds=cast.call_seconds,
            loop=self.loop,
            connectors=self.connectors,
        )


@pytest.fixture
def stage() -> Iterator[LoopStage]:
    stage = LoopStage()
    yield stage
    stage.leave()
    stage.user.cut("the test is over")
    assert stage.faults == []


class TestUserLoop(UserContract):
    """The contract, on a polled session."""


def test_partial_answer_is_awaited(stage: LoopStage) -> None:
    stage.begin()
    session = stage.polled(1)
    before = len(session.calls)
    session.in_parts = True
    wait_until(lambda: not session.in_parts and len(session.calls) > before + 1, "the user goes on")

    assert stage.end().errors == {}


def test_lost_server_is_noticed_at_the_next_call(stage: LoopStage) -> None:
    user = stage.begin(replace(MIX, think_time_ms=3_600_000))
    session = stage.polled(1)
    wait_until(lambda: stage.state is UserState.THINKING, "the user thinks")
    session.go_away()
    wait_until(lambda: isinstance(user, LoopUser) and user.fileno < 0, "the loop listens to it no more")

    assert stage.state is UserState.THINKING
    assert stage.end().errors == {}


@pytest.mark.parametrize("thinks", [True, False])
def test_lost_server_is_not_polled_for_thinking_users(stage: LoopStage, *, thinks: bool) -> None:
    """Whose pause has ended has a question ready in the rounds: without its socket it would wait for ever."""
    user = stage.begin()
    assert isinstance(user, LoopUser)
    stage.wait_for_session(1)
    stage.leave()
    wait_until(no_loop_is_left, "the loop is over, and has closed its rounds")
    near, far = socket.socketpair()
    with near, far:
        user.session = session = SimpleNamespace(sent_at=NEVER, fileno=near.fileno)  # type: ignore[assignment]
        user.fileno = near.fileno()
        user.waits_since = 1.0 if thinks else NEVER
        stage.loop._rounds = WaitingRounds()
        stage.loop._rounds.add(user.fileno, user)
        far.close()
        stage.loop._handle(user, None, time.monotonic(), 0.0)

        assert user.session is (None if thinks else session)
        assert stage.loop._rounds.turn(0.0, NEVER, False) == ([] if thinks else [(user, None)])
        stage.loop._rounds.close()


def test_unsendable_request_is_a_failed_call(stage: LoopStage) -> None:
    stage.begin()
    first = stage.polled(1)

    def refuse() -> None:
        raise LOST

    first.send = refuse  # type: ignore[method-assign]
    wait_until(bought(stage.wait_for_session(2)), "an order is placed on the new connection")

    counted = stage.end()
    assert counted.errors == {"connection_lost": 1}
    assert counted.reconnects == 1
    assert first.closed


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux stamps what arrives")
def test_delays_of_the_loop_are_not_response_time(stage: LoopStage) -> None:
    stage.loop = UserLoop(stage.gate, stage.stop, stage.faults.append)
    asking, holding = (Stage(stage.user_of, NetworkDoubleSession) for _ in range(2))
    for each in (asking, holding):
        each.stop, each.gate = stage.stop, stage.gate
        each.begin().start()
    stage.user = asking.user
    stage.loop.start()
    theirs, other = asking.wait_for_session(1), holding.wait_for_session(1)
    assert isinstance(theirs, NetworkDoubleSession)
    assert isinstance(other, NetworkDoubleSession)
    wait_until(lambda: stage.loop.take_answers_waited() is not None, "what arrives is stamped")
    asked_after = time.monotonic()
    theirs.hangs.set()
    assert theirs.hanging.wait(60)
    held, released, answer = threading.Event(), threading.Event(), other.receive

    def held_up() -> object:
        held.set()
        released.wait(60)
        return answer()

    other.receive = held_up  # type: ignore[method-assign]
    assert held.wait(60)
    theirs.hangs.clear()
    theirs.answer_now()
    answered_before = time.monotonic()
    wait_until(lambda: time.monotonic() > answered_before + 3, "the answer has waited for three seconds")
    stage.loop.take_answers_waited()
    released.set()
    before = theirs.calls.count("purchase")
    wait_until(lambda: theirs.calls.count("purchase") > before + 1, "the order is through")
    stage.leave()
    wait_until(lambda: not (asking.user.is_alive or holding.user.is_alive), "both leave")

    slowest_us = max(each.of("order").max_us for each in asking.tally.take_all({}))
    assert slowest_us / 1e6 < answered_before - asked_after + 2
    waited_seconds = stage.loop.take_answers_waited()
    assert waited_seconds is not None
    assert waited_seconds >= 3.0, "it is told apart"


def test_hanging_or_failing_user_does_not_block_others(stage: LoopStage) -> None:
    doors: list[PolledDoubleSession] = []
    stop = stage.stop
    stage.loop = UserLoop(stage.gate, stop, stage.faults.append)
    others = [Stage(stage.user_of, PolledDoubleSession) for _ in range(3)]
    for other in others:
        other.stop, other.gate = stop, stage.gate
        user = other.begin()
        user.start()
    stage.user = others[0].user
    hanging, failing, well = (other.user for other in others)
    stage.loop.start()
    for other in others:
        session = other.wait_for_session(1)
        assert isinstance(session, PolledDoubleSession)
        doors.append(session)
    doors[0].hangs.set()
    assert doors[0].hanging.wait(60)
    doors[1].fail_next = ZeroDivisionError("ours")
    wait_until(lambda: not failing.is_alive, "one has failed")
    before = len(doors[2].calls)
    wait_until(lambda: len(doors[2].calls) > before + 20, "the other goes on")

    assert isinstance(failing.failure, ZeroDivisionError)
    assert hanging.is_alive
    stage.leave()
    hanging.cut("the test is over")
    wait_until(lambda: not (hanging.is_alive or well.is_alive), "both leave")


def test_user_without_a_thread_for_reconnecting_ends_alone(stage: LoopStage, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_thread(_: LoopUser) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(LoopUser, "reconnect", no_thread)
    stage.loop = UserLoop(stage.gate, stage.stop, stage.faults.append)
    users = [Stage(stage.user_of, PolledDoubleSession) for _ in range(2)]
    for each in users:
        each.stop, each.gate = stage.stop, stage.gate
        each.begin().start()
    lost, well = (each.user for each in users)
    stage.user = well
    stage.loop.start()
    users[0].wait_for_session(1).fail_next = LOST
    wait_until(lambda: not lost.is_alive, "one has ended")
    others = users[1].wait_for_session(1)
    before = len(others.calls)
    wait_until(lambda: len(others.calls) > before + 20, "the other goes on")

    assert isinstance(lost.failure, RuntimeError)
    assert well.is_alive


def test_error_that_ends_the_loop_is_reported(stage: LoopStage) -> None:
    def tick() -> float:
        raise ZeroDivisionError("ours")

    stage.keeps_time = (time.monotonic(), tick)
    connection = stage.begin().connection
    wait_until(lambda: bool(stage.faults), "it is told")
    assert isinstance(stage.faults.pop(), ZeroDivisionError)
    wait_until(lambda: connection.session is not None, "the user has connected, to no loop any more")
    connection.close()


def test_busy_loop_keeps_time(stage: LoopStage) -> None:
    ticked: list[tuple[float, int]] = []
    first = time.monotonic() + 0.2

    def tick() -> float:
        ticked.append((time.monotonic(), threading.get_native_id()))
        return first + 0.02 * len(ticked)

    stage.keeps_time = (first, tick)
    stage.begin()
    session = stage.polled(1)
    before = len(session.calls)
    wait_until(lambda: len(ticked) >= 20 and len(session.calls) > before, "the loop ticks, and its user goes on")
    stage.end()
    assert all(moment >= first + 0.02 * number for number, (moment, _) in enumerate(ticked)), "never early"
    assert {thread for _, thread in ticked} == {stage.loop.thread_id}


def test_idle_loop_keeps_time(stage: LoopStage) -> None:
    ticked = threading.Event()

    def tick() -> float:
        ticked.set()
        return float("inf")

    stage.keeps_time = (time.monotonic() + 0.5, tick)
    stage.begin(replace(MIX, think_time_ms=3_600_000))
    assert ticked.wait(60)


def test_time_is_kept_between_two_answers_that_came_together(stage: LoopStage) -> None:
    stage.loop = UserLoop(stage.gate, stage.stop, stage.faults.append)
    users = [Stage(stage.user_of, PolledDoubleSession) for _ in range(2)]
    for each in users:
        each.stop, each.gate = stage.stop, stage.gate
        each.begin().start()
    stage.user = users[0].user
    happened: list[str] = []
    due = 0.0

    def tick() -> float:
        nonlocal due
        if happened:
            happened.append("tick")
            return float("inf")
        if all(session.hangs.is_set() and session.hanging.is_set() for session in sessions):
            for session in sessions:
                session.hangs.clear()
                session.answer_now()
        due = time.monotonic() + 0.01
        return due

    def taken_slowly(answer: Callable[[], object]) -> Callable[[], object]:
        def taken() -> object:
            if len(happened) < 3:
                wait_until(lambda: time.monotonic() > due, "time is up")
                happened.append("answer")
            return answer()

        return taken

    sessions: list[PolledDoubleSession] = []
    for each in users:
        session = each.wait_for_session(1)
        assert isinstance(session, PolledDoubleSession)
        session.hangs.set()
        session.receive = taken_slowly(session.receive)  # type: ignore[method-assign]
        sessions.append(session)
    stage.loop.set_timer(time.monotonic(), tick)
    stage.loop.start()

    wait_until(lambda: len(happened) >= 3, "both answers are taken")
    stage.leave()
    assert happened[:3] == ["answer", "tick", "answer"]


def test_the_loop_ends_with_its_last_user(stage: LoopStage) -> None:
    stage.begin()
    wait_until(bought(stage.wait_for_session(1)), "an order is placed")
    stage.end()

    wait_until(no_loop_is_left, "the loop has ended")
    stage.loop.wake()


def test_a_pause_to_think_ends_by_itself(stage: LoopStage) -> None:
    stage.begin(replace(MIX, think_time_ms=20))
    session: DoubleSession = stage.wait_for_session(1)
    wait_until(lambda: session.calls.count("purchase") > 5, "six orders are placed")
    assert stage.end().errors == {}


def test_answer_waiting_time_is_unknown_without_timestamps(stage: LoopStage) -> None:
    user = stage.begin()
    session = stage.polled(1)
    wait_until(lambda: len(session.calls) > 5, "the user orders")

    assert stage.loop.take_answers_waited() is None
    assert user.thread_id == stage.loop.thread_id
    stage.end()


def test_users_of_different_loops_begin_in_their_turns(stage: LoopStage) -> None:
    stage.gate = StartGate(stage.stop)
    users, loops = [], []
    for _ in range(2):
        stage.loop = UserLoop(stage.gate, stage.stop, stage.faults.append)
        loops.append(stage.loop)
        users.append(Stage(stage.user_of, PolledDoubleSession))
        users[-1].stop, users[-1].gate = stage.stop, stage.gate
        users[-1].begin().start()
        stage.loop.start()
    stage.user = users[0].user
    sessions = [each.wait_for_session(1) for each in users]
    stage.gate.open(time.monotonic(), Pace(every_seconds=10_000.0))
    for loop in loops:
        loop.wake()
    wait_until(lambda: max(len(session.calls) for session in sessions) > 20, "one orders")
    assert min(len(session.calls) for session in sessions) == 0, "the other waits for its turn"

    stage.stop.set()
    stage.gate.open(0.0)
    for loop in loops:
        loop.wake()
    wait_until(lambda: not any(each.user.is_alive for each in users), "both leave")


def test_user_waiting_for_a_thread_counts_as_disconnected(stage: LoopStage) -> None:
    stage.connectors = ConnectorPool(1, stage.stop)
    stage.loop = UserLoop(stage.gate, stage.stop, stage.faults.append)
    users = [Stage(stage.user_of, PolledDoubleSession) for _ in range(2)]
    for each in users:
        each.stop, each.gate, each.outage = stage.stop, stage.gate, stage.outage
        each.begin().start()
    stage.user = users[0].user
    stage.loop.start()
    first = [each.wait_for_session(1) for each in users]
    server_is_back = threading.Event()
    for each, session in zip(users, first, strict=True):
        each.door.waits_for = server_is_back
        session.fail_next = LOST
    wait_until(lambda: all(each.state is UserState.RECONNECTING for each in users), "both have lost their connections")

    lost = stage.outage.take_events()
    assert sum(event.data["users"] for event in lost) == 2
    wait_until(lambda: sum(len(each.door.first_hosts) for each in users) == 3, "one hangs on the thread of both")
    server_is_back.set()
    for each in users:
        wait_until(bought(each.wait_for_session(2)), "an order is placed on the new connection")
    (back,) = stage.outage.take_events()
    assert back.data["users"] == 2
