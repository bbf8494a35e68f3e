"""Users over MySQL's protocol: those whom the compiled rounds serve, and those who are left to the loop."""

import sys
from collections.abc import Iterator

import pytest

from engine.databases import rounds
from engine.driver import user_loop
from engine.errors import ErrorClass, TargetError
from tests.doubles.mysql_packets import error, ok, packet, packets
from tests.doubles.mysql_wire import MySQLWireSession
from tests.engine.driver.test_user_loop import LoopStage
from tests.engine.driver.user_contract import Stage, UserContract, bought
from tests.waiting import wait_until

pytest.importorskip("engine.databases.exchange._exchange", reason="set up without a C compiler")


@pytest.fixture(params=["served", "left to the loop"])
def stage(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[LoopStage]:
    if request.param == "served":
        if sys.platform != "linux":
            pytest.skip("rounds are compiled on Linux only")
    else:
        monkeypatch.setattr(user_loop, "new_rounds", lambda *_: rounds.WaitingRounds())
    stage = LoopStage(MySQLWireSession)
    yield stage
    stage.leave()
    stage.user.cut("the test is over")
    assert stage.faults == []


def wire_session(stage: LoopStage, number: int = 1) -> MySQLWireSession:
    session = stage.wait_for_session(number)
    assert isinstance(session, MySQLWireSession)
    return session


class TestServedMySQLUser(UserContract):
    """The contract, over MySQL's protocol."""

    def test_internal_error_ends_the_user_and_is_recorded(self, stage: Stage) -> None:
        user = stage.begin()
        session = stage.wait_for_session(1)
        assert isinstance(session, MySQLWireSession)
        session.spoil_next = True
        wait_until(lambda: not user.is_alive, "the user ends")

        assert isinstance(user.failure, ValueError)
        assert session.closed


def test_deadlock_is_retried(stage: LoopStage) -> None:
    stage.begin()
    session = wire_session(stage)
    session.fail_next = TargetError(ErrorClass.DEADLOCK, "deadlock detected")
    wait_until(lambda: session.fail_next is None, "a call fails")
    before = len(session.calls)
    wait_until(lambda: len(session.calls) > before + 10, "the user goes on")

    assert stage.end().errors == {"deadlock": 1}


@pytest.mark.parametrize(
    "raw",
    [
        packet(ok(), 2),
        packets(b"\xfb/etc/passwd"),
        packets(b"\xff"),
        b"\xff\xff\xff\x01",
        b"HTTP/1.1 400 Bad Request\r\n",
        packet(error(1927, "Connection was killed", "70100"), 0),
    ],
    ids=["another number", "a file is asked for", "half an error", "16 MiB", "another protocol", "killed"],
)
def test_malformed_answer_is_a_lost_connection(stage: LoopStage, raw: bytes) -> None:
    stage.begin()
    wire_session(stage).raw_next = raw
    second = wire_session(stage, 2)
    wait_until(bought(second), "an order is placed on another connection")

    assert stage.end().errors == {"connection_lost": 1}


def test_answer_to_another_call_is_rejected(stage: LoopStage) -> None:
    """Each answer behind the one that came twice would be the answer to the question before."""
    stage.begin()
    wire_session(stage).twice_next = True
    second = wire_session(stage, 2)
    wait_until(bought(second), "an order is placed on another connection")

    assert stage.end().errors == {"connection_lost": 1}
