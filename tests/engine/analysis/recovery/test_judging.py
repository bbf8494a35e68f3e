"""Whole recoveries: what must hold of any run, and the answers to the awkward ones."""

import json
import math

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.analysis.recovery.figures import Recovery, RecoveryState, SubjectRecovery
from engine.analysis.recovery.judging import RecoveryFollower, recoveries_of, recovery_of
from engine.analysis.recovery.settings import RecoverySettings
from engine.analysis.recovery.span import Ending
from engine.record.record import Phases, RunState
from tests.engine.analysis.faulted import constant, fault, run_of, tell, with_faults
from tests.engine.analysis.faulted_runs import SETTINGS, Told, told_runs
from tests.texts import plain

QUICK = settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])


@settings(max_examples=10, suppress_health_check=[HealthCheck.too_slow])
@given(told_runs())
def test_live_and_after_agree_at_every_second(told: Told) -> None:
    whole = told.whole()
    live = told.begun()
    follower = RecoveryFollower(live, SETTINGS)
    for second in range(told.seconds):
        told.tell(live, second)
        followed = follower.update()
        for event, recovery in zip(told.faults, followed, strict=False):
            at = live.measured_end
            if at <= int(event.at_seconds) or at >= whole.measured_end:
                continue
            after = recovery_of(whole, event, SETTINGS, at=at)
            assert recovery.to_dict() == after.to_dict()
            assert recovery_of(live, event, SETTINGS).to_dict() == after.to_dict()


@QUICK
@given(told_runs())
def test_recovered_means_that_the_threshold_was_held(told: Told) -> None:
    whole = told.whole()
    for recovery in recoveries_of(whole, SETTINGS):
        if recovery.state is not RecoveryState.RECOVERED:
            continue
        assert recovery.total.felt.recovered_seconds is not None
        at = recovery.fault.at_seconds + recovery.total.felt.recovered_seconds
        first = math.ceil(round(at, 3))
        rate = {each.client: each.baseline.transactions_per_second for each in recovery.clients}
        levels = []
        for second in range(first, first + SETTINGS.hold_seconds):
            known = [each for each in told.samples[second] if rate[each.client] is not None]
            expected = sum(rate[each.client] or 0.0 for each in known)
            assert expected > 0
            levels.append(sum(each.of("order").n for each in known) / expected)
        assert sum(levels) / len(levels) >= SETTINGS.threshold - 1e-6
        assert min(levels) >= recovery.total.baseline.floors(SETTINGS).second - 1e-6
        if (recovery.total.baseline.spread_pct or 0.0) == 0:
            assert min(levels) >= SETTINGS.threshold - 1e-6


@QUICK
@given(told_runs())
def test_areas_add_up_over_the_clients(told: Told) -> None:
    for recovery in recoveries_of(told.whole(), SETTINGS):
        area = recovery.total.felt.transactions_not_taken
        parts = [each.felt.transactions_not_taken for each in recovery.clients]
        if area is None:
            assert all(part is None for part in parts)
        else:
            assert area == pytest.approx(sum(part for part in parts if part is not None), abs=1e-6)


@QUICK
@given(told_runs())
def test_counts_and_durations_are_never_negative(told: Told) -> None:
    for recovery in recoveries_of(told.whole(), SETTINGS):
        for subject in (recovery.total, *recovery.clients):
            assert all(value >= 0 for value in natural_figures(subject) if value is not None)
            calls = subject.calls
            assert calls.users_lost is None or 0 <= (calls.users_back or 0) <= calls.users_lost


def natural_figures(subject: SubjectRecovery) -> list[float | None]:
    felt, published, clocks = subject.felt, subject.published, subject.clocks
    return [
        felt.detection_lag_seconds,
        felt.first_failed_call_seconds,
        felt.dip_seconds,
        felt.blackout_seconds,
        felt.blackout.total_seconds,
        felt.brownout_seconds,
        *felt.time_to_seconds.values(),
        felt.recovered_seconds,
        felt.lowest_second_pct,
        felt.lowest_window_pct,
        felt.level_after_pct,
        felt.unknown_seconds,
        published.drop_pct,
        published.stabilised_seconds,
        published.back_seconds,
        clocks.elapsed_seconds,
        clocks.in_state_seconds,
        clocks.down_seconds,
        clocks.degraded_seconds,
        *subject.calls.errors.values(),
        subject.tpc_e.recovered_seconds,
    ]


@QUICK
@given(told_runs(can_miss=False), st.integers(0, 10), st.integers(1, 3))
def test_missing_second_is_unknown(told: Told, after: int, client: int) -> None:
    """Taking a second away can't add to a black-out, nor to the orders that were not taken by the others."""
    client = min(client, told.clients)
    second = int(told.faults[-1].at_seconds) + after
    if second >= told.seconds:
        return
    less = Told(
        clients=told.clients,
        samples=[
            [each for each in at if (each.client, number) != (client, second)] for number, at in enumerate(told.samples)
        ],
        probes=told.probes,
        faults=told.faults,
        measuring_from=told.measuring_from,
    )
    whole, holed = (recovery_of(each.whole(), told.faults[-1], SETTINGS) for each in (told, less))
    of_whole, of_holed = whole.clients[client - 1].felt, holed.clients[client - 1].felt
    if whole.account_end == holed.account_end:
        assert of_holed.blackout.total_seconds <= of_whole.blackout.total_seconds
    if second < holed.account_end and of_holed.transactions_not_taken is not None:
        rate, missed = holed.clients[client - 1].baseline.transactions_per_second, 0.0
        orders = {each.second: each.of("order").n for at in less.samples for each in at if each.client == client}
        for at in range(int(told.faults[-1].at_seconds), holed.account_end):
            missed += (rate or 0.0) - orders[at] if at in orders else 0.0
        assert of_holed.transactions_not_taken == pytest.approx(missed)


def dipped(*, before: int = 60, down: int = 4, degraded: int = 6, after: int = 80) -> list[int]:
    return [*constant(before), *constant(down, 0), *constant(degraded, 60), *constant(after)]


def test_states_and_clocks_from_steady_to_recovered() -> None:
    run = run_of(dipped(), dipped())
    told = {at: recovery_of(run, fault(60.0), at=at) for at in (60, 62, 64, 67, 74, 75, 100)}

    assert [recovery.state for recovery in told.values()] == [
        RecoveryState.STEADY,
        RecoveryState.DOWN,
        RecoveryState.DOWN,
        RecoveryState.DEGRADED,
        RecoveryState.DEGRADED,
        RecoveryState.RECOVERED,
        RecoveryState.RECOVERED,
    ]
    assert told[62].total.clocks.in_state_seconds == 2
    assert plain(told[62].sentence) == "No orders for 2 s."
    assert (
        told[67].total.clocks.in_state_seconds,
        told[67].total.clocks.down_seconds,
        told[67].total.clocks.degraded_seconds,
    ) == (3, 4, 3)
    assert told[100].total.clocks.recovered_after_seconds == 10
    assert (told[100].total.clocks.in_state_seconds, told[100].total.clocks.elapsed_seconds) == (30, 40)
    assert plain(told[100].sentence) == "Recovered after 10 s."


def test_the_figures_of_a_clean_outage() -> None:
    recovery = recovery_of(run_of(dipped(), dipped()), fault(60.4))
    felt = recovery.total.felt

    assert recovery.total.baseline.headline_rate == 12_000
    assert (felt.blackout.longest_seconds, felt.blackout.total_seconds) == (4, 4)
    assert (felt.blackout.last_transaction_second, felt.blackout.first_transaction_second) == (59, 64)
    assert felt.brownout_seconds == 6
    assert felt.time_to_seconds == {"50": 3.6, "80": 9.6, "95": 9.6}
    assert felt.recovered_seconds == 9.6
    assert (felt.lowest_second_pct, felt.lowest_second_headline_rate) == (0.0, 0.0)
    assert felt.lowest_window_pct == pytest.approx(36.0)
    assert felt.transactions_not_taken == 2 * (4 * 100 + 6 * 40)
    assert felt.transactions_not_taken_baseline_seconds == pytest.approx(6.4)
    assert (felt.level_after_pct, felt.level_after_known_seconds) == (100.0, 60)
    assert recovery.notes == ()


def test_fault_without_effect_stays_steady() -> None:
    recovery = recovery_of(run_of(constant(120), over=True, measuring_to=120), fault(60.2))

    assert recovery.state is RecoveryState.STEADY
    assert recovery.sentence.startswith("The fault had no effect on the orders:")
    assert recovery.total.felt.transactions_not_taken == 0
    assert recovery.total.felt.recovered_seconds is None
    assert recovery.total.felt.time_to_seconds == {"50": 0.0, "80": 0.0, "95": 0.0}


def test_a_run_that_ends_before_the_recovery_says_so() -> None:
    run = run_of([*constant(60), *constant(20, 0)], measuring_to=80, over=True)
    recovery = recovery_of(run, fault(60.0))

    assert recovery.state is RecoveryState.NOT_RECOVERED
    assert plain(recovery.sentence) == "Not recovered within the run. Measuring ended 20 s after the fault."
    assert recovery.total.felt.recovered_seconds is None
    assert recovery.total.felt.time_to_seconds["95"] is None
    assert recovery.total.felt.transactions_not_taken == 2_000
    assert recovery.total.felt.level_after_pct is None


@pytest.mark.parametrize(
    ("at_seconds", "measuring_from", "refusal"),
    [
        (20.0, 30, "The fault came before measuring began: there was no baseline yet."),
        (33.0, 30, "Only 3 s were measured before the fault; a baseline needs at least 10 s."),
    ],
)
def test_a_fault_before_steady_state_is_not_judged(at_seconds: float, measuring_from: int, refusal: str) -> None:
    run = run_of(dipped(before=20), measuring_from=measuring_from)
    recovery = recovery_of(run, fault(at_seconds))

    assert recovery.state is RecoveryState.NOT_JUDGED
    assert recovery.sentence == recovery.total.baseline.refusal
    assert plain(recovery.sentence) == refusal
    assert recovery.total.felt.transactions_not_taken is None
    assert recovery.total.felt.time_to_seconds == {"50": None, "80": None, "95": None}


def test_blackout_is_known_without_a_baseline() -> None:
    unsteady = [each for _ in range(30) for each in (50, 150)]
    recovery = recovery_of(run_of([*unsteady, *constant(7, 0), *unsteady]), fault(60.0))

    assert recovery.state is RecoveryState.NOT_JUDGED
    assert "varied by 50 %" in recovery.sentence
    assert recovery.total.felt.blackout.longest_seconds == 7
    assert recovery_of(run_of([*unsteady, *constant(7, 0)]), fault(60.0)).state is RecoveryState.DOWN


def test_a_fault_at_the_very_end_is_too_late_to_be_judged() -> None:
    run = run_of(constant(100), measuring_to=100, over=True)

    recovery = recovery_of(run, fault(98.5))
    assert recovery.state is RecoveryState.NOT_JUDGED
    assert plain(recovery.sentence) == "Measuring ended 2 s after the fault, too early to assess the fault."
    assert recovery_of(run, fault(100.5)).sentence == "The fault came after measuring had ended."


def test_a_dead_client_is_unknown_and_the_others_are_judged() -> None:
    recovery = recovery_of(run_of(dipped(), constant(60)), fault(60.0))

    assert recovery.state is RecoveryState.RECOVERED
    assert recovery.total.felt.recovered_seconds == 10
    assert recovery.silent_clients == (2,)
    assert recovery.total.felt.transactions_not_taken == 4 * 100 + 6 * 40
    assert recovery.clients[1].felt.blackout.total_seconds == 0
    assert recovery.total.felt.lowest_second_headline_rate is None
    assert recovery.notes[0].startswith("No data at the end from ds2 #2:")


def test_silent_run_is_not_down() -> None:
    run = run_of([*constant(60), *constant(3, 0), *([None] * 20), *constant(1)])
    recovery = recovery_of(run, fault(60.0), at=80)

    assert recovery.state is RecoveryState.DOWN
    assert recovery.total.felt.blackout.total_seconds == 3
    assert recovery.total.felt.transactions_not_taken == 300
    assert recovery.total.felt.unknown_seconds == 17


def test_a_second_fault_before_the_recovery_keeps_the_first_baseline() -> None:
    run = run_of([*constant(60), *constant(30, 50), *constant(10, 0), *constant(60)])
    first, second = recoveries_of(with_faults(run, 60.0, 90.0))

    assert first.state is RecoveryState.NOT_RECOVERED
    assert first.span.ending is Ending.NEXT_FAULT
    assert plain(first.sentence) == "Not recovered before the next fault. The next fault, Fault 2, came 30 s later."
    assert first.span.end == 90
    assert second.total.baseline.headline_rate == 6_000
    assert second.total.baseline.of_fault == 1
    assert second.total.felt.recovered_seconds == 10
    assert "that before an earlier fault, Fault 1" in second.notes[0]


def test_a_second_fault_after_the_recovery_has_a_baseline_of_its_own() -> None:
    run = run_of([*constant(60), *constant(5, 0), *constant(40, 97), *constant(5, 0), *constant(60, 97)])
    first, second = recoveries_of(with_faults(run, 60.0, 105.0))

    assert first.state is RecoveryState.RECOVERED
    baseline = second.total.baseline
    assert (baseline.of_fault, baseline.first_second, baseline.headline_rate) == (None, 65, 97 * 60)
    assert second.total.felt.recovered_seconds == 5


def test_first_baseline_is_used_for_a_chain_of_faults() -> None:
    run = run_of([*constant(60), *constant(100, 50)])
    recoveries = recoveries_of(with_faults(run, 60.0, 80.0, 100.0, 120.0))

    assert {each.total.baseline.headline_rate for each in recoveries} == {6_000}
    assert [each.total.baseline.of_fault for each in recoveries] == [None, 1, 1, 1]


def test_first_of_two_faults_in_one_second_has_an_empty_span() -> None:
    first, second = recoveries_of(with_faults(run_of(dipped()), 60.1, 60.7))

    assert first.state is RecoveryState.NOT_JUDGED
    assert first.span.seconds == 0
    assert second.total.felt.recovered_seconds == pytest.approx(9.3)


@QUICK
@given(told_runs())
def test_shaded_seconds_are_low_and_in_the_dip_or_a_relapse(told: Told) -> None:
    for recovery in recoveries_of(told.whole(), SETTINGS):
        total = recovery.total
        if not total.baseline.is_usable:
            continue
        rates = {each.client: each.baseline.transactions_per_second for each in recovery.clients}
        shaded = [second for span in recovery.low_spans for second in range(span.first, span.end)]
        assert len(set(shaded)) == len(shaded)
        for second in shaded:
            known = [each for each in told.samples[second] if rates[each.client] is not None]
            before = sum(rates[each.client] or 0.0 for each in known)
            assert sum(each.of("order").n for each in told.samples[second]) == 0 or (
                sum(each.of("order").n for each in known) < SETTINGS.threshold * before
            )
        below = (total.felt.brownout_seconds or 0) + sum(each.below_seconds for each in total.felt.relapse_spans)
        assert len(shaded) >= below


def test_dip_of_one_client_is_detected_without_a_dip_of_the_total() -> None:
    others = [constant(150) for _ in range(23)]
    recovery = recovery_of(run_of(dipped(down=20), *others), fault(60.0))

    assert recovery.state is RecoveryState.STEADY
    assert recovery.clients[0].state is RecoveryState.RECOVERED
    assert recovery.slowest_client == 1
    missed = [each.felt.transactions_not_taken for each in (recovery.total, recovery.clients[0])]
    assert missed == [20 * 100 + 6 * 40] * 2


def test_the_slowest_client_is_the_one_that_has_not_recovered() -> None:
    late = [*constant(60), *constant(90, 20)]
    recovery = recovery_of(run_of(dipped(), late, dipped(degraded=20)), fault(60.0))

    assert recovery.slowest_client == 2
    assert recovery.account_is_open
    assert recovery_of(run_of(dipped()), fault(60.0)).slowest_client is None


def test_follower_keeps_finished_recoveries_and_updates_others() -> None:
    run = with_faults(run_of(dipped()), 60.0)
    follower = RecoveryFollower(run)
    first = follower.update()[0]
    run.put_event(fault(140.0, 2, "Fault 2"))
    for second in range(150, 175):
        tell(run, [0], second)

    ended, newest = follower.update()
    again, _ = follower.update()
    assert (first.span.end, ended.span.end) == (150, 140)
    assert again is ended
    assert newest.state is RecoveryState.DOWN
    assert [each.to_dict() for each in (ended, newest)] == [each.to_dict() for each in recoveries_of(run)]


def test_the_end_of_measuring_is_no_outage() -> None:
    run = run_of([*dipped(after=20), *constant(10, 0)])
    run.set_state(RunState.STOPPING, Phases(warming_up_from=0, measuring_from=0, measuring_to=90))
    recovery = recovery_of(run, fault(60.0))

    assert (recovery.span.end, recovery.span.ending) == (90, Ending.RUN_OVER)
    assert recovery.state is RecoveryState.RECOVERED


def test_seconds_after_the_horizon_do_not_count() -> None:
    brief = RecoverySettings(horizon_seconds=120)
    run = run_of([*constant(60), *constant(200, 0)])
    recovery = recovery_of(run, fault(60.0), brief)

    assert recovery.span.ending is Ending.HORIZON
    assert recovery.state is RecoveryState.NOT_RECOVERED
    assert recovery.total.felt.blackout.total_seconds == 120


def test_plain_values_have_units_and_are_json() -> None:
    run = run_of([*constant(10), *dipped(after=8), *constant(6, 40), *constant(60)], constant(60), measuring_from=10)
    values = recovery_of(run, fault(70.0, 7)).to_dict()

    assert json.loads(json.dumps(values)) == values
    assert (values["number"], values["state"], values["baseline"]["opm"]) == (7, "recovered", 12_000.0)
    felt = values["felt"]
    assert (felt["recovered_seconds"], felt["reached_seconds"], felt["settled_seconds"]) == (10, 10, 24)
    assert (felt["relapses"], felt["relapse_spans"][0]["begins_at_seconds"]) == (1, 88)
    assert values["published"]["drop_pct"] > 0
    assert [client["label"] for client in values["clients"]] == ["ds2 #1", "ds2 #2"]


def test_response_times_need_histograms() -> None:
    recovery: Recovery = recovery_of(run_of(dipped()), fault(60.0))

    assert recovery.total.times_before.p95_ms is None


def test_follower_of_the_total_equals_that_of_all_clients() -> None:
    run = with_faults(run_of([*constant(80), 0, 0, 0, 50, 60, *constant(60)], constant(145, 40)), 80.4)
    whole, total = RecoveryFollower(run).update()[0], RecoveryFollower(run, each_client=False).update()[0]
    assert total.total == whole.total
    assert (total.sentence, total.notes, total.account_end) == (whole.sentence, whole.notes, whole.account_end)
    assert (total.clients, total.slowest_client) == ((), None)
