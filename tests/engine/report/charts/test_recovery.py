import numpy as np
import pytest

from engine.analysis.recovery.figures import Recovery
from engine.analysis.recovery.judging import DEFAULTS, recovery_of
from engine.analysis.run_data import RunData
from engine.report.charts.recovery import fault_figure, tpc_figure
from engine.report.document import BandTone, LineChart, LineStyle
from tests.engine.analysis.faulted import Orders, constant, run_of, with_faults


def faulted(orders: Orders, at: float) -> tuple[RunData, Recovery]:
    run = with_faults(run_of(orders, over=True), at)
    return run, recovery_of(run, run.sorted_events()[0])


def test_fault_figure_spans_baseline_to_end_of_account() -> None:
    run, recovery = faulted([*constant(100), *constant(8, 0), *constant(200)], 100)
    chart = fault_figure(run, recovery, DEFAULTS).chart
    assert isinstance(chart, LineChart)
    assert chart.lines[0].x[0] == 100 - DEFAULTS.baseline_seconds + 0.5
    assert chart.lines[0].x[-1] == 108 + DEFAULTS.after_seconds - 0.5
    assert np.count_nonzero(chart.lines[0].y == 0) == 8
    assert chart.level is not None
    assert chart.level.y == pytest.approx(0.95 * 6_000)
    assert [mark.label for mark in chart.marks] == ["Fault 1"]


def test_fault_figure_without_baseline_has_no_level() -> None:
    run, recovery = faulted(constant(30), 2)
    chart = fault_figure(run, recovery, DEFAULTS).chart
    assert chart.level is None


def test_tpc_figure_overlays_whole_minutes() -> None:
    run, recovery = faulted(
        [*constant(30, 7), *constant(120), *constant(30, 0), *constant(30), *constant(100, 90)], 150
    )
    figure = tpc_figure(run, recovery)
    assert figure is not None
    assert isinstance(figure.chart, LineChart)
    after, before = figure.chart.lines
    assert (after.label, before.label) == ("After the fault", "Before the fault")
    assert after.style is before.style is LineStyle.STEPS
    assert after.x.tolist() == before.x.tolist() == [0, 60, 120]
    assert after.y.tolist() == [3_000, 5_400, 5_400]
    assert before.y.tolist() == [6_000, 6_000, 6_000]
    assert figure.chart.level is not None
    assert figure.chart.level.y == pytest.approx(0.95 * 6_000)


def test_a_minute_of_which_a_second_is_missing_is_a_gap() -> None:
    run, recovery = faulted([*constant(60), *constant(30), None, *constant(100)], 60)
    figure = tpc_figure(run, recovery)
    assert figure is not None
    assert isinstance(figure.chart, LineChart)
    assert np.isnan(figure.chart.lines[0].y).tolist() == [True, False, False]


def test_tpc_figure_of_an_early_fault_has_no_minute_before() -> None:
    run, recovery = faulted(constant(200), 40)
    figure = tpc_figure(run, recovery)
    assert figure is not None
    assert isinstance(figure.chart, LineChart)
    assert [line.label for line in figure.chart.lines] == ["After the fault"]


def test_less_than_two_minutes_make_no_graph() -> None:
    assert tpc_figure(*faulted(constant(179), 60)) is None


def test_a_relapse_is_drawn_and_tinted_to_its_end() -> None:
    run, recovery = faulted([*constant(100), *constant(4, 0), *constant(55), *constant(90, 40), *constant(100)], 100)
    chart = fault_figure(run, recovery, DEFAULTS).chart
    assert isinstance(chart, LineChart)
    assert [(band.x0, band.x1, band.tone) for band in chart.bands] == [
        (100, 104, BandTone.OUT),
        (159, 249, BandTone.LOW),
    ]
    assert chart.lines[0].x[-1] == 249 + DEFAULTS.after_seconds - 0.5
