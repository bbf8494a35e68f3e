from random import Random
from typing import Any

import pytest

from engine.errors import ErrorClass, TargetError
from engine.workload.actions import Call, Outcome, Pause, PauseKind, Reconnect
from engine.workload.schedule import Delay
from engine.workloads.wholesale import picks
from engine.workloads.wholesale.user import Terminal, WholesaleUser, district_key, district_of
from tests.engine.workloads.tallies import CountingTally


def _user(*, think_time_ms: float = 0, **options: Any) -> tuple[WholesaleUser, CountingTally]:
    tally = CountingTally()
    terminal = Terminal(warehouses=4, mix="specified", think_time_ms=think_time_ms, **options)
    return WholesaleUser(terminal, Random(5), tally), tally


def _answered(action: Any) -> Outcome:
    if isinstance(action, Call):
        is_rolled_back = action.name == "new_order" and action.arguments[3][-1][1] == picks.UNUSED_ITEM
        return (None if is_rolled_back else 4_711, None, 0.01)
    return (None, None, action.seconds if isinstance(action, Pause) else 0.5)


def _run(user: WholesaleUser, actions: int) -> list[Any]:
    script = user.script()
    done = [next(script)]
    for _ in range(actions - 1):
        done.append(script.send(_answered(done[-1])))
    return done


def test_a_user_alternates_between_one_call_and_one_pause() -> None:
    user, tally = _user()
    actions = _run(user, 2_000)
    assert all(isinstance(each, Call) for each in actions[::2])
    assert all(isinstance(each, Pause) and each.kind is PauseKind.THINK for each in actions[1::2])
    assert tally.transactions.total() == 1_000


def test_the_types_of_transactions_follow_the_mix() -> None:
    user, tally = _user()
    _run(user, 40_000)
    total = tally.transactions.total()
    drawn = {**tally.transactions, "new_order": tally.transactions["new_order"] + tally.rolled_back}
    for kind, share in picks.MIXES["specified"].items():
        assert 100 * drawn[kind] / total == pytest.approx(share, abs=1)


def test_acknowledged_orders_are_recorded_with_their_district_and_customer_and_rolled_back_ones_are_not() -> None:
    user, tally = _user(home=3)
    calls = [each for each in _run(user, 10_000)[:-1] if isinstance(each, Call) and each.name == "new_order"]
    committed = [each for each in calls if each.arguments[3][-1][1] != picks.UNUSED_ITEM]
    expected = [(4_711, district_key(3, each.arguments[1]), each.arguments[2]) for each in committed]
    assert tally.acknowledgements == expected
    assert tally.rolled_back == tally.transactions["rolled_back"] == len(calls) - len(committed) > 0
    assert tally.transactions["new_order"] == len(committed)


def test_a_user_without_a_home_visits_all_warehouses() -> None:
    user, _ = _user()
    visited = {each.arguments[0] for each in _run(user, 400) if isinstance(each, Call)}
    assert visited == {1, 2, 3, 4}


def test_a_district_is_found_again_in_its_key() -> None:
    assert district_of(district_key(10_000, 10)) == (10_000, 10)


def test_a_lost_connection_puts_a_new_order_in_doubt_and_is_opened_again() -> None:
    user, tally = _user(home=2)
    script = user.script()
    action: Any = next(script)
    while not (isinstance(action, Call) and action.name == "new_order"):
        action = script.send(_answered(action))
    lost = TargetError(ErrorClass.CONNECTION_LOST, "gone", usable=False)
    following = script.send((None, lost, 0.2))
    assert isinstance(following, Reconnect)
    assert tally.doubts == [(district_key(2, action.arguments[1]), action.arguments[2])]
    assert tally.errors == [lost]
    assert user.has_failed
    assert user.since_due == pytest.approx(0.2)


def test_a_deadlock_is_retried_with_the_same_call() -> None:
    user, tally = _user()
    script = user.script()
    call = next(script)
    pause = script.send((None, TargetError(ErrorClass.DEADLOCK, "deadlock"), 0.1))
    assert isinstance(pause, Pause)
    assert pause.kind is PauseKind.RETRY
    assert script.send((None, None, pause.seconds)) == call
    thinking = script.send((1, None, 0.1))
    assert isinstance(thinking, Pause)
    assert tally.retries == 1
    assert tally.transactions.total() == 1


def test_pauses_as_specified_are_those_of_the_types_before_and_after() -> None:
    user, _ = _user(as_specified=True)
    actions = _run(user, 4_001)
    for before, pause, after in zip(actions[::2], actions[1::2], actions[2::2], strict=False):
        keying = picks.PACING[after.name].keying_seconds
        longest = 10 * picks.PACING[before.name].think_seconds
        assert keying <= pause.seconds <= keying + longest


def test_the_mean_think_time_as_specified_is_that_of_the_mix() -> None:
    terminal = Terminal(warehouses=1, mix="specified", think_time_ms=0, as_specified=True)
    assert terminal.mean_think_seconds == pytest.approx(0.45 * 30 + 0.43 * 15 + 0.04 * (12 + 7 + 7))


def test_a_transaction_that_took_longer_than_the_think_time_is_reported_as_delayed() -> None:
    user, tally = _user(think_time_ms=20)
    script = user.script()
    next(script)
    script.send((1, None, 3.0))
    assert tally.delays == [Delay(3.0, 0.0)]
