"""Recoveries after which the load fell under the threshold again."""

import math

from hypothesis import HealthCheck, given, settings

from engine.analysis.recovery.figures import RecoveryState
from engine.analysis.recovery.judging import recoveries_of, recovery_of
from engine.telemetry.event import EventCode
from tests.engine.analysis.faulted import constant, fault, run_of
from tests.engine.analysis.faulted_runs import SETTINGS, Told, told_runs
from tests.engine.events import limit
from tests.texts import plain

QUICK = settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])


def test_relapse_keeps_the_first_recovery() -> None:
    run = run_of([*constant(60), *constant(4, 0), *constant(8), *constant(6, 40), *constant(80)])
    recovery = recovery_of(run, fault(60.2))
    felt = recovery.total.felt

    assert (felt.recovered_seconds, felt.settled_seconds, felt.relapses) == (3.8, 17.8, 1)
    (relapse,) = felt.relapse_spans
    assert (relapse.begins_at_seconds, relapse.after_seconds) == (72, 11.8)
    assert (relapse.lasts_seconds, relapse.is_over, relapse.below_seconds, relapse.blackout_seconds) == (6, True, 6, 0)
    assert (relapse.lowest_second_pct, relapse.transactions_not_taken, relapse.limits) == (40, 360, ())
    assert recovery.state is RecoveryState.RECOVERED
    assert plain(recovery.sentence) == "Recovered after 3.8 s; relapse at 1:12 for 6 s, down to 40 %."
    assert (felt.transactions_not_taken, felt.brownout_seconds, recovery.account_end) == (400, 0, 64)


def test_first_recovery_is_kept_during_a_relapse() -> None:
    run = run_of([*constant(60), *constant(4, 0), *constant(8), *constant(6, 40), *constant(80)])
    assert recovery_of(run, fault(60.0), at=70).state is RecoveryState.RECOVERED

    fallen = recovery_of(run, fault(60.0), at=77)
    assert fallen.state is RecoveryState.RELAPSED
    assert (fallen.total.felt.recovered_seconds, fallen.total.felt.settled_seconds) == (4, None)
    assert fallen.total.clocks.in_state_seconds == 5
    assert plain(fallen.sentence) == "Recovered after 4 s; relapse at 1:12 for 5 s, not over, down to 40 %."


def test_a_run_that_ends_in_a_relapse_had_recovered() -> None:
    run = run_of([*constant(60), *constant(4, 0), *constant(8), *constant(20, 40)], measuring_to=92, over=True)
    recovery = recovery_of(run, fault(60.0))
    assert recovery.state is RecoveryState.RELAPSED
    assert plain(recovery.sentence) == (
        "Recovered after 4 s; relapse at 1:12 for 20 s, not over, down to 40 %. Measuring ended 32 s after the fault."
    )


def test_relapse_without_orders_counts_as_blackout() -> None:
    run = run_of([*constant(60), *constant(4, 0), *constant(8), *constant(3, 0), *constant(20)])
    down = recovery_of(run, fault(60.0), at=74)
    assert down.state is RecoveryState.DOWN
    assert plain(down.sentence) == (
        "No order for 2 s; recovered after 4 s at first; relapse at 1:12 for 2 s, not over, no order for 2 s."
    )
    assert plain(recovery_of(run, fault(60.0)).sentence) == (
        "Recovered after 4 s; relapse at 1:12 for 3 s, no order for 3 s."
    )


def test_a_relapse_says_what_limited_the_run_meanwhile() -> None:
    run = run_of([*constant(60), *constant(4, 0), *constant(8), *constant(6, 40), *constant(80)], constant(74, 5))
    how = "up to 99 % in use"
    run.put_event(limit(70.0, EventCode.WORKSTATION_BUSY, how, lasted_seconds=20, busy_pct=99, number=9))
    (relapse,) = recovery_of(run, fault(60.0)).total.felt.relapse_spans
    assert [plain(limit) for limit in relapse.limits] == ["workstation 99 % busy", "4 s of ds2 #2 unknown"]
    assert "down to 40 %, workstation 99 % busy." in plain(recovery_of(run, fault(60.0)).sentence)


@QUICK
@given(told_runs())
def test_first_recovery_does_not_depend_on_later_seconds(told: Told) -> None:
    whole = told.whole()
    for recovery in recoveries_of(whole, SETTINGS):
        for subject in (recovery.total, *recovery.clients):
            felt = subject.felt
            if felt.recovered_seconds is None:
                assert felt.relapse_spans == ()
                continue
            first = math.ceil(round(recovery.fault.at_seconds + felt.recovered_seconds, 3))
            early = recovery_of(whole, recovery.fault, SETTINGS, at=first + SETTINGS.hold_seconds)
            row = 0 if subject.client is None else subject.client
            assert (early.total, *early.clients)[row].felt.recovered_seconds == felt.recovered_seconds


@QUICK
@given(told_runs())
def test_relapses_lie_between_the_recovery_and_the_end(told: Told) -> None:
    for recovery in recoveries_of(told.whole(), SETTINGS):
        for subject in (recovery.total, *recovery.clients):
            felt, begin = subject.felt, subject.felt.recovered_seconds
            for relapse in felt.relapse_spans:
                assert begin is not None
                assert begin < relapse.after_seconds < begin + SETTINGS.after_seconds
                assert 0 <= relapse.blackout_seconds <= relapse.below_seconds <= relapse.lasts_seconds
                begin = round(relapse.after_seconds + relapse.lasts_seconds, 3)
            if felt.relapse_spans and felt.relapse_spans[-1].is_over:
                assert felt.settled_seconds == begin
            elif felt.relapse_spans:
                assert felt.settled_seconds is None
            else:
                assert felt.settled_seconds == felt.recovered_seconds
