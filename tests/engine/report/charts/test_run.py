from dataclasses import replace

import numpy as np
import pytest

from engine.analysis.recovery.judging import recoveries_of
from engine.histogram import bucket_of, pack
from engine.plan.load.stage import Stage
from engine.report.charts.palette import DARK as DARK_INK
from engine.report.charts.palette import PAPER
from engine.report.charts.run import headline_figure, marks_between, phase_bands, seconds_figure, times_figure
from engine.report.document import AxisFormat, BandTone, Level, LineChart, LineStyle
from engine.telemetry.event import EventKind, RunEvent
from tests.engine.analysis.faulted import constant, run_of, with_faults
from tests.engine.report.reported import a_plan, a_reported_run, samples_of
from widgets.parts.look import DARK, LIGHT

FAULT = RunEvent(at_seconds=5.4, kind=EventKind.INJECTION, label="Kill primary", is_fault=True)
NEWS = RunEvent(at_seconds=5.6, kind=EventKind.WARNING, label="node1 has ended")


def line_chart(figure: object) -> LineChart:
    chart = figure.chart  # type: ignore[attr-defined]
    assert isinstance(chart, LineChart)
    return chart


def test_opm_figure_has_all_clients_and_each() -> None:
    chart = line_chart(headline_figure(a_reported_run((10, 20)).data))
    assert [line.label for line in chart.lines[:2]] == ["All clients", "All clients, running OPM"]
    assert chart.lines[0].style is LineStyle.TOTAL
    assert chart.lines[0].y[-1] == 60 * 30
    assert [line.y[-1] for line in chart.lines[2:]] == [600, 1_200]
    assert chart.x_format is AxisFormat.CLOCK


def test_a_value_stands_in_the_middle_of_its_second_and_measuring_begins_at_nought() -> None:
    run = a_reported_run().data
    chart = line_chart(headline_figure(run))
    assert chart.x_label == "Time since measuring began, min:s"
    assert chart.lines[0].x[0] == 0.5 - run.phases.measuring_from
    assert chart.lines[0].x[-1] == run.end - 0.5 - run.phases.measuring_from


def test_clients_have_the_hues_that_they_have_in_the_window() -> None:
    chart = line_chart(headline_figure(a_reported_run((10, 20)).data))
    assert chart.lines[1].style is LineStyle.AVERAGE
    assert [(line.label, line.hue) for line in chart.lines[2:]] == [("ds2 #1", 0), ("ds2 #2", 1)]
    assert PAPER.series == LIGHT.clients
    assert DARK_INK.series == DARK.clients


def test_low_seconds_are_tinted() -> None:
    run = with_faults(run_of([*constant(60), 0, 50, *constant(60)], measuring_from=10), 60.0)
    chart = line_chart(headline_figure(run, recoveries_of(run)))
    low = [(band.x0, band.x1, band.tone) for band in chart.bands if band.tone is not BandTone.PHASE]
    assert low == [(50, 51, BandTone.OUT), (51, 52, BandTone.LOW)]


def test_clients_beyond_the_palette_are_not_drawn() -> None:
    assert len(line_chart(headline_figure(a_reported_run((10,) * 9).data)).lines) == 2
    assert len(line_chart(headline_figure(a_reported_run((10,)).data)).lines) == 2


def test_running_opm_is_of_the_measured_seconds_only() -> None:
    running = line_chart(headline_figure(a_reported_run().data)).lines[1]
    assert np.isnan(running.y[:3]).all()
    assert not np.isnan(running.y[3:]).any()


def test_response_times_are_drawn_where_they_are_known() -> None:
    run = a_reported_run(order_ms=4).data
    chart = line_chart(times_figure(run))
    assert [line.label for line in chart.lines] == ["mean", "p95", "p99"]
    assert chart.lines[0].y.tolist() == [4.0] * run.end
    assert times_figure(a_reported_run(samples=samples_of((0, 0))).data) is None


def test_response_times_end_with_measuring() -> None:
    run = a_reported_run(order_ms=4).data
    run.set_state(run.state, replace(run.phases, measuring_to=run.end - 2))
    for line in line_chart(times_figure(run)).lines:
        assert np.isnan(line.y).tolist() == [False] * (run.end - 2) + [True] * 2


def test_response_times_over_a_decade_have_a_logarithmic_axis() -> None:
    assert not line_chart(times_figure(a_reported_run(order_ms=4).data)).is_logarithmic
    waited = [replace(each, overdue=pack({bucket_of(26_000_000): 5})) for each in samples_of((10, 20))]
    assert line_chart(times_figure(a_reported_run(samples=waited).data)).is_logarithmic


def test_with_a_schedule_the_times_as_intended_are_drawn_beside_those_served() -> None:
    samples = [replace(each, overdue=pack({bucket_of(90_000): 5})) for each in samples_of((10, 20))]
    figure = times_figure(a_reported_run(samples=samples).data)
    assert figure is not None
    assert "as intended" in figure.caption
    lines = {line.label: line.y.tolist() for line in line_chart(figure).lines}
    assert list(lines) == ["mean", "service p95", "service p99", "p95 as intended", "p99 as intended"]
    assert lines["service p99"] == [4.002] * 9
    assert lines["p99 as intended"] == pytest.approx([90.0] * 9, rel=0.001)
    open_loop = replace(a_plan(), think_time_ms=0, rate=600.0)
    figure = times_figure(a_reported_run(plan=open_loop, samples=samples).data)
    assert [line.label for line in line_chart(figure).lines] == ["mean", "p95", "p99"]


def test_seconds_are_those_of_the_span() -> None:
    level = Level(y=1_000, label="threshold")
    figure = seconds_figure(a_reported_run(events=(FAULT,)).data, 4, 8, caption="Around.", level=level)
    chart = line_chart(figure)
    assert chart.lines[0].x.tolist() == [1.5, 2.5, 3.5, 4.5]
    assert chart.level == level
    assert [mark.label for mark in chart.marks] == ["Kill primary"]
    assert chart.bands == ()


def test_bands_are_the_ramp_and_the_warm_up() -> None:
    assert [(band.x0, band.x1, band.label) for band in phase_bands(a_reported_run().data)] == [
        (-3, -2, "ramp"), (-2, 0, "warm-up"),
    ]  # fmt: skip


def test_marks_exclude_consequences() -> None:
    run = a_reported_run(events=(FAULT, NEWS)).data
    assert [(mark.x, mark.is_fault) for mark in marks_between(run, 0, 9)] == [(pytest.approx(2.4), True)]
    assert marks_between(run, 0, 5) == ()


def test_stages_are_bands_named_by_their_load() -> None:
    run = a_reported_run().data
    stages = (Stage(users=4, seconds=2), Stage(users=8, seconds=60))
    run.plan = replace(run.plan, threads=8, stages=stages, faults=())
    *_, first, second = phase_bands(run)
    assert (first.x0, first.x1, first.label, first.tone) == (0, 2, "4 users", BandTone.PLAIN)
    assert (second.x0, second.x1, second.label, second.tone) == (2, run.measured_end - 3, "8 users", BandTone.PHASE)
