"""Users of PostgreSQL in a loop fulfil the contract too, whether its rounds serve them or leave them to the loop."""

import sys
from collections.abc import Iterator

import pytest

from engine.databases import rounds
from engine.driver import user_loop
from engine.errors import ErrorClass, TargetError
from tests.doubles.postgresql_wire import WireSession
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
    stage = LoopStage(WireSession)
    yield stage
    stage.leave()
    stage.user.cut("the test is over")
    assert stage.faults == []


class TestServedUser(UserContract):
    """The contract, over PostgreSQL's protocol."""

    def test_internal_error_ends_the_user_and_is_recorded(self, stage: Stage) -> None:
        user = stage.begin()
        session = stage.wait_for_session(1)
        assert isinstance(session, WireSession)
        session.spoil_next = True
        wait_until(lambda: not user.is_alive, "the user ends")

        assert isinstance(user.failure, ValueError)
        assert session.closed


def test_deadlock_is_retried(stage: LoopStage) -> None:
    stage.begin()
    session = stage.wait_for_session(1)
    session.fail_next = TargetError(ErrorClass.DEADLOCK, "deadlock detected")
    wait_until(lambda: session.fail_next is None, "a call fails")
    before = len(session.calls)
    wait_until(lambda: len(session.calls) > before + 10, "the user goes on")

    assert stage.end().errors == {"deadlock": 1}


def test_a_purchase_with_a_warning_is_in_doubt(stage: LoopStage) -> None:
    stage.begin()
    session = stage.wait_for_session(1)
    assert isinstance(session, WireSession)
    session.warnings["purchase"] = "canceling wait for synchronous replication due to user request"
    second = stage.wait_for_session(2)
    wait_until(bought(second), "an order is placed on another connection")

    counted = stage.end()
    assert (counted.in_doubt, counted.errors) == (1, {"other": 1})


def test_warning_with_another_call_is_ignored(stage: LoopStage) -> None:
    stage.begin()
    session = stage.wait_for_session(1)
    assert isinstance(session, WireSession)
    session.warnings["browse"] = "by the way"
    wait_until(lambda: not session.warnings, "it has come")
    before = len(session.calls)
    wait_until(lambda: len(session.calls) > before + 10, "the user goes on")

    assert stage.end().errors == {}
