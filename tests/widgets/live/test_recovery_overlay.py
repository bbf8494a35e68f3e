"""What a fault puts on the OPM chart, reading by reading."""

from pytestqt.qtbot import QtBot

from engine.analysis.recovery.judging import recoveries_of
from engine.analysis.run_data import RunData
from engine.analysis.series.headline_curves import Reading
from tests.doubles.faulted_runs import FAULT_AT, FaultedRun
from widgets.live.headline_chart import HeadlineChart
from widgets.parts.look import LIGHT, Look


def a_chart(qtbot: QtBot, run: RunData) -> HeadlineChart:
    chart = HeadlineChart(Look())
    qtbot.addWidget(chart)
    chart.resize(1_000, 400)
    with qtbot.waitExposed(chart):
        chart.show()
    chart.show_run(run)
    recoveries = recoveries_of(run)
    chart.set_recoveries(recoveries, recoveries[-1] if recoveries else None)
    return chart


def levels(chart: HeadlineChart) -> dict[str, float]:
    return {level.label: level.value for level in chart.chart.plot.overlay.levels}


def spans(chart: HeadlineChart) -> list[tuple[float, float, str]]:
    return [(span.first, span.end, span.colour(LIGHT)) for span in chart.chart.plot.background.spans]


def test_baseline_and_threshold_are_lines_and_dip_is_shaded(qtbot: QtBot) -> None:
    run = FaultedRun(2).advance_to(220)
    chart = a_chart(qtbot, run)
    opm = recoveries_of(run)[0].total.baseline.headline_rate
    assert opm is not None
    assert levels(chart) == {"baseline": opm, "95 %": 0.95 * opm}
    assert spans(chart) == [(151, 155, LIGHT.bad), (155, 167, LIGHT.warning)]


def test_running_opm_has_the_level_at_the_fault(qtbot: QtBot) -> None:
    run = FaultedRun(2).advance_to(220)
    chart = a_chart(qtbot, run)
    chart.header.choose(Reading.RUNNING)
    assert levels(chart) == {"at the fault": recoveries_of(run)[0].total.published.headline_rate_before}
    assert len(spans(chart)) == 2
    chart.header.choose(Reading.SECOND)
    assert set(levels(chart)) == {"baseline", "95 %"}


def test_all_faults_are_shaded_and_levels_belong_to_the_selected_one(qtbot: QtBot) -> None:
    run = FaultedRun(2, faults={90: FAULT_AT, 91: 230.2}).advance_to(300)
    chart = a_chart(qtbot, run)
    recoveries = recoveries_of(run)
    assert len(spans(chart)) == 4
    chart.set_recoveries(recoveries, recoveries[0], threshold_pct=80)
    assert levels(chart)["80 %"] == 0.8 * (recoveries[0].total.baseline.headline_rate or 0)


def test_a_refused_baseline_draws_no_level(qtbot: QtBot) -> None:
    assert levels(a_chart(qtbot, FaultedRun(2, faults={90: 33.2}).advance_to(60))) == {}


def test_another_run_starts_without_an_overlay(qtbot: QtBot) -> None:
    chart = a_chart(qtbot, FaultedRun(2).advance_to(220))
    other = FaultedRun(2).advance_to(100)
    chart.show_run(other)
    assert (levels(chart), spans(chart)) == ({}, [])
    chart.set_recoveries([], None)
    assert (levels(chart), spans(chart)) == ({}, [])


def test_unchanged_overlay_is_not_set_again(qtbot: QtBot) -> None:
    run = FaultedRun(2).advance_to(220)
    chart = a_chart(qtbot, run)
    recoveries = recoveries_of(run)
    before = chart.chart.plot.background.spans
    chart.set_recoveries(recoveries, recoveries[0])
    assert chart.chart.plot.background.spans is before
