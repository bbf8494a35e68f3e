import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.analysis.recovery.baseline import baseline_at, baselines_at
from engine.analysis.recovery.settings import RecoverySettings
from tests.engine.analysis.faulted import constant, noisy, run_of
from tests.texts import plain

SETTINGS = RecoverySettings()


def test_baseline_is_the_mean_of_the_window_before_the_fault() -> None:
    run = run_of([*constant(40, 500), *constant(60, 100), *constant(20, 0)])
    baseline = baseline_at(run, 100, SETTINGS)

    assert (baseline.first_second, baseline.end_second, baseline.known_seconds) == (40, 100, 60)
    assert (baseline.headline_rate, baseline.spread_pct, baseline.drift_pct, baseline.lowest_pct) == (6_000, 0, 0, 100)
    assert baseline.is_usable


@given(st.lists(st.integers(1, 1_000), min_size=20, max_size=40))
def test_the_spread_is_the_coefficient_of_variation(orders: list[int]) -> None:
    baseline = baseline_at(run_of(orders), len(orders), SETTINGS)

    assert baseline.spread_pct == pytest.approx(100 * np.std(orders) / np.mean(orders))
    half = len(orders) // 2
    assert baseline.drift_pct == pytest.approx(100 * (np.mean(orders[-half:]) / np.mean(orders[:half]) - 1), abs=1e-9)


def test_baseline_refusal_says_how_unsteady_it_is() -> None:
    scattered = baseline_at(run_of([50, 150] * 30), 60, SETTINGS)
    assert plain(scattered.refusal) == (
        "The 60 s before the fault were not steady: orders per second varied by 50 %; at most 30 % is steady."
    )
    assert scattered.headline_rate == 6_000

    drifting = baseline_at(run_of([*constant(30, 150), *constant(30, 100)]), 60, SETTINGS)
    assert plain(drifting.refusal) == (
        "The 60 s before the fault were not steady: their second half had 33 % fewer orders than their first; "
        "at most 20 % is steady."
    )


def test_baseline_limits_are_settings() -> None:
    run = run_of(noisy(60, 1_000, 0.05))

    assert baseline_at(run, 60, SETTINGS).is_usable
    assert not baseline_at(run, 60, RecoverySettings(most_spread_pct=2)).is_usable
    assert baseline_at(run, 60, RecoverySettings(baseline_seconds=20)).first_second == 40


def test_baseline_uses_only_measured_seconds() -> None:
    run = run_of(constant(100), measuring_from=60, measuring_to=90)

    assert baseline_at(run, 59, SETTINGS).refusal.startswith("The fault came before measuring began")
    assert plain(baseline_at(run, 60, SETTINGS).refusal).startswith("Only 0 s were measured before the fault")
    assert plain(baseline_at(run, 69, SETTINGS).refusal) == (
        "Only 9 s were measured before the fault; a baseline needs at least 10 s."
    )
    assert baseline_at(run, 70, SETTINGS).is_usable
    assert baseline_at(run, 90, SETTINGS).refusal == "The fault came after measuring had ended."


def test_baseline_leaves_out_unknown_seconds() -> None:
    run = run_of([*constant(15), *([None] * 30), *constant(15)])
    baseline = baseline_at(run, 60, SETTINGS)
    assert (baseline.known_seconds, baseline.headline_rate, baseline.is_usable) == (30, 6_000, True)

    hardly_known = baseline_at(run_of([*constant(5), *([None] * 55), 1]), 60, SETTINGS)
    assert (
        plain(hardly_known.refusal)
        == "Only 5 s of the 60 s before the fault are known; a baseline needs at least 10 s."
    )


def test_baseline_without_orders_is_refused() -> None:
    refused = baselines_at(run_of(constant(60, 0)), 60, SETTINGS)

    assert refused.total.refusal == refused.clients[0].refusal
    assert plain(refused.total.refusal) == "No order was placed in the 60 s before the fault."
    assert refused.total.headline_rate == 0


def test_the_total_is_the_sum_of_its_clients_even_where_one_is_unknown() -> None:
    baselines = baselines_at(run_of(constant(60, 100), [*([None] * 20), *constant(40, 50)]), 60, SETTINGS)

    assert [each.headline_rate for each in baselines.clients] == [6_000, 3_000]
    assert (baselines.total.headline_rate, baselines.total.spread_pct) == (9_000, 0)
    unknown = baselines_at(run_of(constant(60, 100), [*([None] * 60), 1]), 60, SETTINGS)
    assert (unknown.total.headline_rate, unknown.clients[1].headline_rate) == (6_000, None)


def test_baseline_ignores_seconds_from_known_end_on() -> None:
    baselines = baselines_at(run_of(constant(60)), 60, SETTINGS, known_end=45)

    assert baselines.total.known_seconds == 45


def test_baseline_of_an_older_fault_keeps_its_number() -> None:
    baselines = baselines_at(run_of(constant(60)), 60, SETTINGS)

    assert baselines.of(3).total.of_fault == 3
    assert baselines.of(3).of(5).clients[0].of_fault == 3


@pytest.mark.parametrize(("spread", "floor"), [(0.0, 0.95), (0.04, 0.84), (0.12, 0.56)])
def test_floors_are_lower_for_a_scattering_baseline(spread: float, floor: float) -> None:
    baseline = baseline_at(run_of(noisy(60, 10_000, spread)), 60, SETTINGS)

    assert baseline.floors(SETTINGS).second == pytest.approx(floor, abs=0.06)
    assert baseline.floors(RecoverySettings(threshold_pct=10)).second == 0.1
