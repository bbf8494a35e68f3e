from dataclasses import replace
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings

from engine.analysis.recovery import view as recovery_view
from engine.analysis.recovery.judging import recoveries_of
from engine.analysis.recovery.levels import Dip
from engine.analysis.recovery.settings import RecoverySettings
from engine.analysis.recovery.view import view_of, views_of
from engine.telemetry.sample import ProbeSample
from tests.doubles.samples import dvd_sample
from tests.engine.analysis.faulted import constant, fault, noisy, run_of, with_faults
from tests.engine.analysis.faulted_runs import SETTINGS as BRIEF
from tests.engine.analysis.faulted_runs import Told, told_runs

SETTINGS = RecoverySettings()


def test_levels_have_the_total_above_the_clients() -> None:
    view = view_of(run_of([*constant(60), *constant(5, 50)], constant(65, 300)), fault(60.0), SETTINGS)

    assert view.levels[:, 0].tolist() == [0.875, 0.5, 1.0]
    assert view.taken(0).tolist() == [350] * 5
    assert view.taken(1).tolist() == [50] * 5
    assert view.window_levels.shape == (3, 5)
    assert np.isnan(view.window_levels).all()


def test_account_lasts_until_the_last_client_has_recovered() -> None:
    first, second = [*constant(60), *constant(5, 0), *constant(50)], [*constant(60), *constant(20, 0), *constant(35)]
    view = view_of(run_of(first, second), fault(60.0), SETTINGS)

    assert [dip.recovered for dip in view.dips] == [20, 5, 20]
    assert (view.account_places, view.account_is_open) == (20, False)
    assert [view.judged_places(row) for row in view.rows] == [20, 5, 20]
    early = view_of(run_of(first, second), fault(60.0), SETTINGS, 70)
    assert (early.account_places, early.account_is_open) == (10, True)


def test_without_a_dip_there_is_no_account() -> None:
    view = view_of(run_of(constant(300)), fault(60.0), SETTINGS)

    assert (view.account_places, view.account_is_open, view.judged_places(0)) == (0, False, SETTINGS.onset_seconds)


def test_a_client_that_scatters_too_much_is_not_judged_alone() -> None:
    wild = noisy(120, 100, 0.6)
    view = view_of(run_of(*(constant(120, 1_000) for _ in range(9)), wild), fault(60.0), SETTINGS)

    assert view.is_judged(0)
    assert not view.is_judged(10)
    assert view.dips[10].began is None


def test_a_short_outage_of_a_noisy_load_is_reported_by_its_lost_connections() -> None:
    orders = [*noisy(60, 1_000, 0.2), 1_000, 1_000, 600, *constant(20, 1_000)]
    unnoticed = view_of(run_of(orders), fault(61.0), SETTINGS)
    assert unnoticed.total_dip == Dip()

    lost = run_of(orders)
    lost.add(dvd_sample(client=1, second=62, reconnects=8))
    assert view_of(lost, fault(61.0), SETTINGS).total_dip == Dip(began=1, recovered=2)
    probed = run_of(orders)
    for second in range(60, 80):
        probed.add_probe(ProbeSample(store=1, second=second, slots="w------www" if second == 62 else "w" * 10))
    assert view_of(probed, fault(61.0), SETTINGS).dips[1] == Dip(began=1, recovered=2)


def test_a_fault_looks_back_as_far_as_the_chain_of_faults_goes() -> None:
    run = with_faults(run_of([*constant(60), *constant(400, 50)]), 60.0, 150.0, 440.0)
    apart = RecoverySettings(horizon_seconds=200)

    assert view_of(run, run.events[3], SETTINGS).baselines.total.of_fault == 1
    assert view_of(run, run.events[3], apart).baselines.total.of_fault is None
    assert view_of(run, run.events[3], apart).baselines.total.headline_rate == 3_000


@pytest.mark.parametrize("gap", [2, 4])
def test_a_fault_too_soon_after_another_one_takes_its_baseline(gap: int) -> None:
    run = with_faults(run_of(constant(200)), 100.0, 100.0 + gap)

    assert [view.baselines.total.of_fault for _, view in views_of(run, SETTINGS)] == [None, 1]


def test_a_baseline_between_recovery_and_next_fault_that_is_too_short_is_not_taken() -> None:
    run = with_faults(run_of([*constant(60), *constant(5, 0), *constant(60, 98)]), 60.0, 72.0)
    baseline = view_of(run, run.events[2], SETTINGS).baselines.total

    assert (baseline.headline_rate, baseline.of_fault) == (6_000, 1)


def test_each_client_knows_its_store() -> None:
    view = view_of(run_of(constant(20), constant(20)), fault(15.0), SETTINGS)

    assert view.stores == (1, 1)


@settings(max_examples=30)
@given(told_runs())
def test_dips_do_not_depend_on_the_places_computed_first(told: Told) -> None:
    whole, every_share = told.whole(), replace(BRIEF, shares_pct=(40, 95, 99))
    with mock.patch.object(recovery_view, "_NEAR_SECONDS", 24):
        near = [each.to_dict() for each in recoveries_of(whole, every_share)]

    assert near == [each.to_dict() for each in recoveries_of(whole, every_share)]
