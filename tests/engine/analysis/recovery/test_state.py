"""The words of a state; that the states follow each other is tested with whole recoveries."""

import pytest

from engine.analysis.recovery.figures import RecoveryState
from engine.analysis.recovery.judging import recovery_of
from engine.analysis.recovery.settings import RecoverySettings
from tests.engine.analysis.faulted import constant, fault, run_of, with_faults
from tests.texts import plain

DOWN, LOW = [*constant(60), *constant(30, 0)], [*constant(60), *constant(10, 0), *constant(20, 50)]


@pytest.mark.parametrize(
    ("orders", "sentence"),
    [
        (DOWN, "No orders for 30 s."),
        (LOW, "Orders are placed, but not yet 95 % of the baseline for 5 s."),
        (constant(90), "The fault had no effect on the orders so far: they did not stay under 95 % of the baseline."),
        ([*constant(60), *constant(3, 0), *constant(27)], "Recovered after 3 s."),
    ],
)
def test_each_state_has_its_sentence(orders: list[int], sentence: str) -> None:
    assert plain(recovery_of(run_of(orders), fault(60.0)).sentence) == sentence


def test_not_recovered_sentence_says_within_what_time() -> None:
    over = run_of(DOWN, measuring_to=90, over=True)
    assert plain(recovery_of(over, fault(60.0)).sentence) == (
        "Not recovered within the run. Measuring ended 30 s after the fault."
    )
    followed = with_faults(run_of(DOWN), 60.0, 75.0)
    assert plain(recovery_of(followed, followed.events[1]).sentence) == (
        "Not recovered before the next fault. The next fault, Fault 2, came 15 s later."
    )
    brief = RecoverySettings(onset_seconds=10, horizon_seconds=20)
    assert plain(recovery_of(run_of(DOWN), fault(60.0), brief).sentence) == (
        "Not recovered within the time considered. That is 20 s from the fault on."
    )


def test_state_clock_begins_with_the_state() -> None:
    recovery = recovery_of(run_of(LOW), fault(60.4))
    state, clocks = recovery.state, recovery.total.clocks

    assert state is RecoveryState.DEGRADED
    assert (clocks.elapsed_seconds, clocks.in_state_seconds) == (29.6, 20.0)
    assert (clocks.down_seconds, clocks.degraded_seconds) == (10, 20)


def test_a_brown_out_without_a_black_out_was_never_down() -> None:
    recovery = recovery_of(run_of([*constant(60), *constant(20, 50)]), fault(60.0))
    state, clocks = recovery.state, recovery.total.clocks

    assert state is RecoveryState.DEGRADED
    assert (clocks.in_state_seconds, clocks.down_seconds) == (20, 0)


def test_unknown_seconds_leave_the_state_as_it_was_last_known() -> None:
    run = run_of([*constant(60), *constant(5, 0), *([None] * 5), 100])

    assert recovery_of(run, fault(60.0), at=70).state is RecoveryState.DOWN
    assert recovery_of(run, fault(60.0), at=71).state is RecoveryState.DEGRADED
