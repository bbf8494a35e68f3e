from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.analysis.latency.grid import STEPS
from engine.analysis.latency.percentiles import merged, percentile_ms
from engine.analysis.latency.series import LatencySeries, SecondTimes
from engine.analysis.run_data import RunData
from engine.histogram import bucket_of, pack
from engine.plan.plan import RunPlan
from engine.telemetry.sample import Sample
from tests.doubles.samples import dvd_sample
from tests.doubles.wholesale_samples import wholesale_sample


def _sample(client: int, second: int, *times_us: int) -> Sample:
    counts: dict[int, int] = {}
    for time_us in times_us:
        counts[bucket_of(time_us)] = counts.get(bucket_of(time_us), 0) + 1
    return dvd_sample(client=client, second=second, orders=len(times_us), histogram=pack(counts))


@given(st.lists(st.lists(st.integers(1, 10**7), max_size=8), min_size=2, max_size=6))
def test_a_second_is_the_merged_histogram_of_its_clients(times: list[list[int]]) -> None:
    series = LatencySeries("order")
    samples = [_sample(client, 4, *of_client) for client, of_client in enumerate(times, start=1)]
    for sample in samples:
        series.add(sample)
    expected = percentile_ms(merged(sample.of("order").histogram for sample in samples), 95)
    shown = series.p95_ms(4, 5)[0]
    assert np.isnan(shown) if expected is None else shown == expected
    assert np.isnan(series.p95_ms(0, 4)).all()


def test_a_late_sample_changes_its_own_second() -> None:
    series = LatencySeries("order")
    series.add(_sample(1, 0, 1_000))
    series.add(_sample(1, 1, 2_000))
    before = series.p99_ms().copy()
    series.add(_sample(2, 0, 9_000))
    after = series.p99_ms()
    assert after[0] > before[0]
    assert after[1] == before[1]


def test_seconds_without_orders_are_not_known() -> None:
    series = LatencySeries("order")
    series.add(_sample(1, 0))
    series.add(_sample(1, 3, 1_000))
    assert np.isnan(series.p95_ms()).tolist() == [True, True, True, False]


def test_put_stores_computed_percentiles() -> None:
    series = LatencySeries("order")
    steps = np.arange(3 * STEPS).reshape(3, STEPS)
    series.put(SecondTimes(first=700, service=np.array([[0.5, 0.6], [1.0, 2.0], [3.0, np.nan]]), steps=steps[:2]))
    intended = np.array([[4.5], [5.0], [6.0]])
    series.put(SecondTimes(first=702, service=np.full((3, 1), 4.0), intended=intended, steps=steps[2:]))
    assert series.p50_ms(700).tolist() == [0.5, 0.6, 4.0]
    assert series.grid.between(700, 703).tolist() == steps.tolist()
    assert series.p95_ms(700).tolist() == [1.0, 2.0, 4.0]
    assert series.p99_ms(700, 701).tolist() == [3.0]
    assert np.isnan(series.p95_ms(0, 700)).all()
    assert np.isnan(series.intended_p95_ms()).tolist() == [True] * 702 + [False]
    assert (series.intended_p95_ms(702)[0], series.intended_p99_ms(702)[0]) == (5.0, 6.0)


def test_recent_histograms_are_those_of_the_window_and_the_client() -> None:
    series = LatencySeries("order")
    for second in range(5):
        series.add(_sample(1, second, 1_000))
        series.add(_sample(2, second, 2_000, 2_000))
    assert merged(series.recent(None, 2, 4).histograms).sum() == 6
    assert merged(series.recent(2, 0, 5).histograms).sum() == 10


def test_a_second_as_intended_holds_its_overdue_orders_too() -> None:
    series = LatencySeries("order")
    served = _sample(1, 0, *[1_000] * 98)
    series.add(replace(served, overdue=pack({bucket_of(50_000): 1, bucket_of(90_000): 1})))
    series.add(replace(_sample(2, 0), overdue=b""))
    series.add(replace(served, second=1, overdue=b""))

    assert series.p99_ms().tolist() == pytest.approx([1.0, 1.0], rel=0.001)
    assert series.intended_p95_ms().tolist() == pytest.approx([1.0, 1.0], rel=0.001)
    assert series.intended_p99_ms().tolist() == pytest.approx([50.0, 1.0], rel=0.001)


def test_intended_percentiles_are_unknown_without_schedule() -> None:
    series = LatencySeries("order")
    series.add(_sample(1, 0, 1_000))
    assert np.isnan(series.intended_p95_ms()).all()
    assert np.isnan(series.intended_p99_ms()).all()


def test_times_as_intended_are_of_all_types_of_transactions() -> None:
    run, late = RunData(RunPlan(workload="wholesale")), pack({bucket_of(900_000): 500})
    run.add(wholesale_sample(1, 0, 100, times_us=1_000, overdue=pack({})))
    run.add(wholesale_sample(1, 1, 100, times_us=1_000, overdue=late))
    assert run.latency.p99_ms() == pytest.approx([1.0, 1.0], rel=0.01), "service times are of New-Orders"
    # Of 226 transactions 100 are New-Orders; the others take ten times as long, and 500 more were overdue.
    assert run.latency.intended_p95_ms() == pytest.approx([10.0, 900.0], rel=0.01)
