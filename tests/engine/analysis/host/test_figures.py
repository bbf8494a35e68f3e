"""Averages of host series over a part of a run: weighted by time, shifted by hand, gaps counted as nothing."""

import math
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.analysis.host.figures import (
    UtcSpan,
    clock_remarks,
    coverage_sentence,
    coverage_sentences,
    is_sparse,
    mean_over,
    measured_span,
    peak_span,
)
from engine.analysis.host.measurement import HostMeasurement
from engine.analysis.run_data import RunData
from engine.errors import BadInput
from engine.plan.plan import RunPlan
from engine.record.record import Phases, RunState
from engine.telemetry.event import EventCode, RunEvent
from tests.doubles.samples import dvd_sample
from tests.engine.analysis.host.test_series import a_series
from tests.engine.events import suspended, warning
from tests.engine.library.examples import a_finished_record

EPOCH = datetime(2026, 11, 20, 10, 0, 0, tzinfo=UTC)
UTC_EPOCH = EPOCH.timestamp()
SPAN = UtcSpan(first=UTC_EPOCH + 60, end=UTC_EPOCH + 660)
READINGS = st.lists(
    st.tuples(st.integers(0, 500), st.one_of(st.just(math.nan), st.floats(0, 1e4))), unique_by=lambda each: each[0]
).map(sorted)


def a_run(orders: list[int], measuring_from: int | None) -> RunData:
    run = RunData(RunPlan())
    for second, count in enumerate(orders):
        run.add(dvd_sample(client=1, second=second, orders=count))
    run.started_at = EPOCH
    run.set_state(RunState.COMPLETED, Phases(measuring_from=measuring_from, measuring_to=len(orders)))
    return run


def test_mean_is_weighted_by_time_within_the_span() -> None:
    series = a_series([10, 20, 30, 40], [100, 200, 400, 800])
    mean = mean_over(series, UtcSpan(first=15, end=35))
    assert mean.mean == (5 * 200 + 10 * 400 + 5 * 800) / 20
    assert (mean.lowest, mean.highest, mean.samples, mean.covered_pct) == (200, 800, 3, 100)
    assert coverage_sentence(mean, "Power") == ""


def test_mean_uses_shifted_times() -> None:
    span = measured_span(EPOCH, Phases(measuring_from=60, measuring_to=120))
    assert span == UtcSpan(first=UTC_EPOCH + 60, end=UTC_EPOCH + 120)
    true_times = np.arange(1, 301)
    watts = np.where((true_times > 60) & (true_times <= 120), 500.0, 100.0)
    series = a_series((UTC_EPOCH - 90 + true_times).tolist(), watts.tolist())
    assert mean_over(series, span).mean == 100
    assert mean_over(series, span, shift_seconds=90).mean == 500


def test_mean_ignores_gaps() -> None:
    series = a_series([1, 2, 3, 8, 9, 10], [100, 100, 100, 200, math.nan, 200])
    mean = mean_over(series, UtcSpan(first=0, end=10))
    assert mean.mean == 140
    assert (mean.samples, mean.covered_pct) == (5, 50)
    assert coverage_sentence(mean, "Power") == "Power: values are known for 50 % of the span; the gaps are left out."


def test_what_several_series_lack_is_one_sentence() -> None:
    gap = mean_over(a_series([1, 2, 3, 8, 9, 10]), UtcSpan(first=0, end=10))
    whole = mean_over(a_series([1, 2, 3]), UtcSpan(first=0, end=3))
    means = [(gap, f"counter {number}") for number in range(5)]
    assert coverage_sentences([*means, (whole, "whole"), (None, "Power")]) == [
        "counter 0 and 4 other counters: values are known for 60 % of the span; the gaps are left out.",
        "Power: the run has no measuring phase to average over.",
    ]
    assert len(coverage_sentences(means[:3])) == 3


def test_a_latency_that_was_read_is_unknown_without_operations_and_an_imported_one_is_not_known() -> None:
    latency = replace(a_series([1, 2, 3]), name="Disk read latency", unit="ms")
    live = HostMeasurement(number=1, kind="live", file_name="db1", series=(latency,), collector=1)
    assert is_sparse(live, latency)
    assert not is_sparse(live, a_series([1, 2, 3]))
    assert not is_sparse(replace(live, collector=None), latency)


def test_a_span_without_a_value_has_no_mean() -> None:
    mean = mean_over(a_series([1, 2, 3]), UtcSpan(first=100, end=200))
    assert (mean.mean, mean.lowest, mean.highest, mean.samples, mean.covered_pct) == (None, None, None, 0, 0)
    assert coverage_sentence(mean, "CPU") == "CPU: no value lies in the span; check the clock and shift the series."
    assert mean_over(a_series([]), UtcSpan(first=0, end=1)).mean is None


@pytest.mark.parametrize("shift", [math.nan, math.inf, 1e9])
def test_invalid_shift_is_rejected(shift: float) -> None:
    with pytest.raises(BadInput, match="the shift is"):
        mean_over(a_series([1]), UtcSpan(first=0, end=1), shift)


def test_an_empty_span_is_refused() -> None:
    with pytest.raises(BadInput, match="the span to average over is empty"):
        UtcSpan(first=5, end=5)


@pytest.mark.parametrize("phases", [Phases(), Phases(measuring_from=5), Phases(measuring_from=5, measuring_to=5)])
def test_a_run_that_measured_nothing_has_no_span(phases: Phases) -> None:
    assert measured_span(EPOCH, phases) is None


def test_the_peak_is_the_window_with_the_most_orders() -> None:
    run = a_run([99, 99, 1, 5, 5, 1, 1], measuring_from=2)
    assert peak_span(run, window_seconds=2) == UtcSpan(first=UTC_EPOCH + 3, end=UTC_EPOCH + 5)
    assert peak_span(run) == UtcSpan(first=UTC_EPOCH + 2, end=UTC_EPOCH + 7)
    assert peak_span(a_run([5], measuring_from=None)) is None


def remarks_of(*events: RunEvent, system: str = "Linux", span: UtcSpan | None = SPAN) -> list[str]:
    record = a_finished_record(started_at=EPOCH, environment={"workstation": {"system": system}})
    return clock_remarks(record, events, span)


def test_clock_remarks_mention_a_suspend_before_the_span_ends() -> None:
    assert remarks_of(suspended(200.4, 120)) == [
        "The workstation was suspended for 120.0 s at 2:16. Its seconds leave that out, the clocks of hosts"
        " and meters do not: from there on, what is averaged is as much too early."
    ]
    (told,) = remarks_of(suspended(20, 120), suspended(90, 120), suspended(200, 120))
    assert told.endswith(" So it was 2 more times.")


@pytest.mark.parametrize(("at", "system", "span"), [(660, "Linux", SPAN), (200, "Windows", SPAN), (200, "Linux", None)])
def test_clock_remarks_ignore_a_suspend_after_the_span(at: float, system: str, span: UtcSpan | None) -> None:
    assert remarks_of(suspended(at, 120), system=system, span=span) == []


@pytest.mark.parametrize("system", ["Linux", "Windows"])
def test_clock_remarks_mention_a_clock_that_was_set(system: str) -> None:
    label = "the workstation's clock was set 3.0 s ahead"
    was_set = warning(200, EventCode.WORKSTATION_CLOCK_SET, label, ahead_seconds=3.0)
    assert remarks_of(was_set, warning(3, EventCode.PROBE_LOST), system=system) == [
        "The workstation's clock was set 3.0 s ahead at 2:16. What is averaged is timed by the clock as it"
        " was before; shift what was measured by clocks that were right."
    ]


@given(READINGS, st.integers(-50, 550), st.integers(1, 300), st.integers(-100, 100))
def test_a_mean_lies_between_the_values_and_moves_with_the_clock(
    readings: list[tuple[int, float]], first: int, length: int, shift: int
) -> None:
    times, values = [float(time) for time, _ in readings], [value for _, value in readings]
    span = UtcSpan(first=first, end=first + length)
    mean = mean_over(a_series(times, values), span)
    assert 0 <= mean.covered_pct <= 100
    assert (mean.mean is None) is (mean.covered_pct == 0)
    if mean.mean is not None and mean.lowest is not None and mean.highest is not None:
        assert mean.lowest <= mean.mean <= mean.highest
    moved = a_series([time - shift for time in times], values)
    assert mean_over(moved, span, shift_seconds=shift) == mean
