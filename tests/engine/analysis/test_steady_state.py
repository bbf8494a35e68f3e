"""Steady state: a run that stands still is let be, drifts and scatter are told, and chance is not."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.analysis.headline import headline_of
from engine.analysis.run_data import RunData
from engine.analysis.series.rates import Rates
from engine.analysis.steady_state import LEAST_WINDOWS, steady_state, steady_state_of
from engine.plan.plan import RunPlan
from engine.record.record import Phases, RunState
from engine.telemetry.event import EventKind, RunEvent
from tests.doubles.samples import dvd_sample
from tests.engine.analysis.faulted import run_of, with_faults
from tests.texts import plain

ORDERS = st.lists(st.one_of(st.just(math.nan), st.integers(0, 5_000).map(float)), max_size=700)

OPM = headline_of("dvdstore")


def by_chance(rates: Rates, seed: int = 1) -> Rates:
    return np.random.default_rng(seed).poisson(rates).astype(np.float64)


@pytest.mark.parametrize("orders_per_second", [2, 50, 3_000])
@pytest.mark.parametrize("seed", range(5))
def test_random_scatter_is_steady(orders_per_second: int, seed: int) -> None:
    found = steady_state(by_chance(np.full(1_800, orders_per_second), seed), OPM)
    assert found.is_steady is True
    assert found.warning == ""


def test_drift_of_a_small_store_is_detected() -> None:
    """From 2,900 orders a second to 630 within two minutes, as histories grow."""
    found = steady_state(by_chance(np.linspace(2_900, 630, 120)), OPM, first_second=60)
    assert (found.first_second, found.end_second, found.window_seconds, found.windows) == (60, 180, 10, 12)
    assert found.is_steady is False
    assert found.drift_pct == pytest.approx(-100 * 2_270 / 1_765, abs=3)
    assert found.warning.startswith("OPM was not steady: it fell by 79 % while it was measured and its windows of 10 s")
    assert "a small store slows down" in found.warning


def test_slow_drift_is_detected_with_its_slope() -> None:
    found = steady_state(by_chance(np.linspace(3_000, 2_700, 1_800)), OPM)
    assert found.slope_pct_per_10_min == pytest.approx(-100 * 100 / 2_850, abs=0.2)
    assert found.spread_pct == pytest.approx(100 * 300 / math.sqrt(12) / 2_850, abs=0.3)
    assert found.warning.startswith("OPM was not steady: it fell by 10 % while it was measured; a small store")


def test_rising_opm_suggests_a_longer_warm_up() -> None:
    assert steady_state(np.linspace(2_000, 3_000, 600), OPM).warning == (
        "OPM was not steady: it rose by 50 % while it was measured and its windows of 10 s varied by 12 %;"
        " use a longer warm-up and run time."
    )
    assert "rose from almost nothing" in steady_state(np.linspace(0, 3_000, 600), OPM).warning


def test_scatter_without_drift_is_detected() -> None:
    found = steady_state(np.tile(np.repeat([3_000.0, 2_000.0], 10), 30), OPM)
    assert found.is_steady is False
    assert found.drift_pct == pytest.approx(0, abs=3)
    assert found.warning.startswith("OPM was not steady: its windows of 10 s varied by 20 %; use a longer warm-up")


def test_a_short_phase_can_not_be_judged() -> None:
    found = steady_state(np.full(12, 500.0), OPM)
    assert found.is_steady is None
    assert found.mean_headline_rate == 30_000
    assert plain(found.warning) == (
        "Steady state not assessed: only 12 s measured; at this rate of orders it takes 60 s."
    )


def test_a_fault_soon_after_measuring_began_leaves_too_little_to_judge() -> None:
    found = steady_state_of(with_faults(run_of([500] * 300, measuring_from=10), 39.2))
    assert found is not None
    assert plain(found.warning) == (
        "Steady state not assessed: only 29 s before the first fault; at this rate of orders it takes 60 s."
    )


def test_without_an_order_or_a_known_second_nothing_is_judged() -> None:
    assert steady_state(np.zeros(600), OPM).warning == "No orders were placed: there is no steady state to assess."
    assert steady_state(np.full(600, np.nan), OPM).is_steady is None
    assert steady_state(np.empty(0), OPM).windows == 0


def test_unknown_seconds_are_no_drop() -> None:
    orders = np.full(600, 500.0)
    orders[100:160] = np.nan
    orders[203:206] = np.nan
    found = steady_state(orders, OPM)
    assert found.is_steady is True
    assert (found.windows, found.spread_pct) == (54, 0)


def test_a_run_is_judged_in_its_measured_seconds_before_its_first_fault() -> None:
    run = RunData(RunPlan())
    for second in range(300):
        run.add(dvd_sample(client=1, second=second, orders=5 if second < 60 else 0 if second >= 200 else 500))
    assert steady_state_of(run) is None
    run.set_state(RunState.COMPLETED, Phases(measuring_from=60, measuring_to=300))
    lost = steady_state_of(run)
    assert lost is not None
    assert lost.is_steady is False
    pulled = RunEvent(at_seconds=200.5, kind=EventKind.MARK, label="Enclosure pulled", number=1, is_fault=True)
    run.put_event(pulled)
    before = steady_state_of(run)
    assert before is not None
    assert (before.first_second, before.end_second, before.is_steady) == (60, 200, True)


@given(ORDERS)
def test_steady_state_accepts_any_orders(orders: list[float]) -> None:
    found = steady_state(np.array(orders, dtype=np.float64), OPM)
    assert bool(found.warning) is (found.is_steady is not True)
    assert found.is_steady is None or found.windows >= LEAST_WINDOWS
    assert (found.slope_pct_per_10_min is None) is (found.is_steady is None)


@given(ORDERS, st.integers(2, 9))
def test_the_figures_are_shares_whatever_the_size_of_the_run(orders: list[float], times: int) -> None:
    one, other = (steady_state(np.array(orders, dtype=np.float64) * factor, OPM) for factor in (1, times))
    if one.window_seconds == other.window_seconds and one.spread_pct is not None:
        assert other.spread_pct == pytest.approx(one.spread_pct)
        assert other.drift_pct == pytest.approx(one.drift_pct, abs=1e-6)
