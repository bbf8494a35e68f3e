"""The comparison's page: curves at their offsets, and what follows from the choices."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from engine.analysis.comparing.references import shipped_references
from engine.analysis.host.power import DeviceWatts, power_figures
from engine.analysis.run_data import RunData
from engine.record.record import RunRecord
from engine.record.totals import NO_TOTALS
from engine.report.export_kind import ExportKind
from engine.telemetry.event import EventKind, RunEvent
from tests.totals import totals_with
from tests.widgets.accessibility import nameless_controls
from tests.widgets.contrast import colours_of
from tests.widgets.library.runs import a_stored_run
from tests.widgets.library.test_stages_table import STAGES
from tests.widgets.parts.charts import drawn_points
from widgets.library.compare_page import ComparePage
from widgets.parts.chart.marks import mark_colour
from widgets.parts.look import Look

FIRST = a_stored_run((30.25, "Enclosure pulled"), name="before")
SECOND = a_stored_run((20.75, "Enclosure pulled"), name="after", orders=80)
THIRD = a_stored_run(name="after", clients=3, minutes_later=5)


@pytest.fixture
def page(look: Look, qtbot: QtBot) -> ComparePage:
    page = ComparePage(look)
    qtbot.addWidget(page)
    page.resize(1_180, 760)
    with qtbot.waitExposed(page):
        page.show()
    page.show_runs([FIRST, SECOND, THIRD])
    return page


def starts(page: ComparePage) -> dict[object, float]:
    return {key: float(drawn_points(page.chart, key)[0][0]) for key in page.chart.curves.by_key}


def test_runs_are_aligned_at_the_end_of_warm_up(page: ComparePage) -> None:
    assert starts(page) == {0: 0.5, 1: 0.5, 2: 0.5}
    assert [np.nanmax(drawn_points(page.chart, place)[1]) for place in range(3)] == [18_000, 14_400, 36_000]


def test_runs_are_aligned_at_a_mark_and_one_without_it_is_named(page: ComparePage) -> None:
    page.choices.aligned_at.setCurrentIndex(2)
    assert starts(page) == {0: 0.5, 1: 10.0}
    visible_text = [label.text() for label in page.findChildren(QLabel) if label.isVisible()]
    assert any(text.startswith("Not shown, because they have no such mark: after (") for text in visible_text)
    page.choices.aligned_at.setCurrentIndex(0)
    assert set(starts(page)) == {0, 1, 2}


def test_single_client_is_compared_between_runs(page: ComparePage) -> None:
    page.choices.shown.setCurrentIndex(3)
    assert np.isnan(drawn_points(page.chart, 0)[1]).all()
    assert np.nanmax(drawn_points(page.chart, 2)[1]) == 18_000
    assert [page.table.model().index(0, column).data() for column in (1, 2, 6)] == ["–", "–", "18\u202f000"]


def test_watts_are_compared_if_any_run_has_them(page: ComparePage) -> None:
    def figures() -> dict[str, list[str]]:
        model = page.table.model()
        rows = [[model.index(row, column).data() for column in range(7)] for row in range(model.rowCount())]
        return {row[0]: row[1:] for row in rows}

    assert not any("power" in figure or "watt" in figure for figure in figures())
    before = power_figures([DeviceWatts(device="server", active_watts=300, idle_watts=200)], 18_000)
    after = power_figures([DeviceWatts(device="server", active_watts=240, idle_watts=98)], 14_400)
    page.show_runs([FIRST, SECOND, THIRD], power=[before, after, None])
    found = figures()
    assert found["Idle power, W"] == ["200.0", "98.0", "−102.0", "−51.0", "noise unknown", "–"]
    assert found["Active power, W"][:4] == ["300.0", "240.0", "−60.0", "−20.0"]
    assert found["OPM per watt"][:4] == ["60.0", "60.0", "0.0", "0.0"]
    page.choices.shown.setCurrentIndex(1)
    assert "Idle power, W" not in figures(), "one client has no watts of its own"


def test_baseline_can_be_selected(page: ComparePage) -> None:
    assert page.table.model().index(0, 3).data() == "−3\u202f600"
    page.choices.against.setCurrentIndex(1)
    assert page.table.model().index(0, 2).data() == "+3\u202f600"


def test_runs_with_the_same_name_have_their_id(page: ComparePage) -> None:
    names = [page.choices.against.itemText(place) for place in range(3)]
    assert names[0] == "before"
    assert names[1] != names[2]
    assert all(name.startswith("after (") for name in names[1:])


def test_chart_and_table_are_exported(page: ComparePage, qtbot: QtBot) -> None:
    with qtbot.waitSignal(page.export_requested) as signal:
        page.export_button.choices.actions()[1].trigger()
    assert signal.args == [ExportKind.CHART_SVG]
    assert b"before" in page.chart_image(ExportKind.CHART_SVG)
    qtbot.mouseClick(page.copy_button, Qt.MouseButton.LeftButton)
    assert QGuiApplication.clipboard().text().startswith("Figure\tbefore\t")


def test_back_cancels_reading_runs(page: ComparePage, qtbot: QtBot) -> None:
    page.show_loading("Reading the run 1 of 3", 0.2)
    assert page.loading.isVisible()
    page.back_button.setFocus()
    with qtbot.waitSignals([page.cancel_requested, page.back_requested]):
        qtbot.keyClick(page.back_button, Qt.Key.Key_Escape)
    page.show_runs([FIRST, SECOND])
    with qtbot.assertNotEmitted(page.cancel_requested), qtbot.waitSignal(page.back_requested):
        qtbot.keyClick(page.back_button, Qt.Key.Key_Left, Qt.KeyboardModifier.AltModifier)


def test_new_runs_replace_the_compared_ones(page: ComparePage) -> None:
    page.show_runs([THIRD, FIRST])
    assert set(starts(page)) == {0, 1}
    assert np.nanmax(drawn_points(page.chart, 0)[1]) == 36_000


def test_the_divider_is_remembered(page: ComparePage, look: Look, qtbot: QtBot) -> None:
    other = ComparePage(look)
    qtbot.addWidget(other)
    other.restore_layout(page.save_layout())
    assert other.save_layout() == page.save_layout()


def test_every_control_has_a_name(page: ComparePage) -> None:
    assert nameless_controls(page) == []


def test_published_results_are_shown_beside_the_runs(page: ComparePage) -> None:
    page.show_runs([a_stored_run(name="a"), a_stored_run(name="b", orders=130)])
    page.set_references(shipped_references())
    model = page.table.model()
    before = model.columnCount()
    hdd = shipped_references()[0]
    page.references.choose([hdd.name])
    titles = [str(model.headerData(column, Qt.Orientation.Horizontal)) for column in range(model.columnCount())]
    assert titles[before] == f"{hdd.name} (published)"
    assert str(model.index(0, before).data()) == "20\u202f736"
    variability = next(row for row in range(model.rowCount()) if "Variability" in str(model.index(row, 0).data()))
    assert str(model.index(variability, before).data()) == "29.13"
    assert page.chart.amount_range[1] >= 20_736
    page.references.choose([])
    assert model.columnCount() == before


def test_report_button_requests_a_report_of_the_compared_runs(page: ComparePage, qtbot: QtBot) -> None:
    runs = [a_stored_run(name="a"), a_stored_run(name="b", minutes_later=5)]
    page.show_runs(runs)
    with qtbot.waitSignal(page.report_requested) as signal:
        page.report_button.click()
    assert signal.args == [[record.run_id for record, _ in runs]]


def test_tab_order_follows_the_buttons(page: ComparePage, qtbot: QtBot) -> None:
    page.show_runs([a_stored_run(name="a"), a_stored_run(name="b", minutes_later=5)])
    page.back_button.setFocus()
    walked = []
    for _ in range(4):
        qtbot.keyClick(page.focusWidget(), Qt.Key.Key_Tab)
        walked.append(page.focusWidget())
    assert walked == [page.references, page.copy_button, page.report_button, page.export_button]


def a_faulted_run(at_seconds: float, label: str, **more: Any) -> tuple[RunRecord, RunData]:
    record, run = a_stored_run(**more)
    run.put_event(RunEvent(number=9, at_seconds=at_seconds, kind=EventKind.INJECTION, label=label, is_fault=True))
    return record, run


def visible_text(page: ComparePage) -> str:
    return " ".join(label.text() for label in page.findChildren(QLabel) if label.isVisible())


def test_marks_and_faults_have_the_colour_of_their_run(page: ComparePage, look: Look) -> None:
    page.show_runs([a_faulted_run(30.0, "kill primary", name="a"), a_faulted_run(40.0, "freeze", name="b")])
    marks = {mark.label: mark for mark in page.chart.marks}
    assert set(marks) == {"kill primary · a", "freeze · b"}
    colours = [mark_colour(marks[label], look.colours) for label in ("kill primary · a", "freeze · b")]
    assert colours == [look.colours.total, look.colours.clients[1]]
    assert marks["freeze · b"].at_seconds == 40.0


def test_a_mark_that_all_runs_have_at_once_is_drawn_once(page: ComparePage) -> None:
    faulted = [a_faulted_run(at, "kill primary", name=name) for at, name in ((30.0, "a"), (30.02, "b"), (30.04, "c"))]
    page.show_runs(faulted)
    assert [(mark.label, mark.at_seconds, mark.colour) for mark in page.chart.marks] == [("kill primary", 30.0, None)]
    page.show_runs([*faulted[:2], a_faulted_run(31.0, "kill primary", name="c")])
    assert len(page.chart.marks) == 3


def test_runs_are_aligned_at_their_first_fault_also_where_labels_differ(page: ComparePage) -> None:
    page.show_runs([a_faulted_run(30.0, "kill primary", name="a"), a_faulted_run(40.0, "freeze", name="b"), FIRST])
    page.choices.aligned_at.setCurrentText("first fault (2 of 3 runs)")
    assert starts(page) == {0: 10.5, 1: 0.5}
    assert {(mark.label, mark.at_seconds, mark.colour) for mark in page.chart.marks} == {
        ("kill primary", 40.0, None),
        ("freeze", 40.0, None),
    }
    page.choices.aligned_at.setCurrentText("mark “Enclosure pulled” (1 of 3 runs)")
    assert "Without a mark “Enclosure pulled”, aligned: a at its first fault “kill primary”, b at" in visible_text(page)
    assert set(starts(page)) == {0, 1, 2}


def test_plan_differences_are_shown(page: ComparePage) -> None:
    assert "The runs differ in clients (2 / 2 / 3)." in visible_text(page)
    page.show_runs([a_stored_run(name="a"), a_stored_run(name="b")])
    assert "The runs differ" not in visible_text(page)
    assert not page.factors.isVisible()


def a_staged_run(name: str, level: int) -> tuple[RunRecord, RunData]:
    """Its throughput grows by 100 with every 10 users, up to a level."""
    record, run = a_stored_run(name=name)
    stages = tuple(replace(each, headline=min(10 * each.load, level)) for each in STAGES)
    run.totals = replace(run.totals or NO_TOTALS, stages=stages)
    return replace(record, totals=run.totals), run


def test_runs_by_stages_are_compared_over_their_users(page: ComparePage, look: Look) -> None:
    page.show_runs([a_staged_run("old", 200), a_staged_run("new", 400), FIRST])
    throughput, times = page.stages.throughput, page.stages.times
    assert throughput.isVisible()
    assert not page.chart.isVisible()
    assert [curve.points[-1] for curve in throughput.curves] == [(50, 400), (50, 200)], "the baseline is in front"
    assert throughput.curves[1].knee_text == "old (baseline), knee: 20 users, 200\u202fOPM"
    assert [curve.points[0] for curve in times.curves] == [(10, 2.0), (10, 2.0)]
    assert {look.colours.total, look.colours.clients[1]} <= set(colours_of(throughput))
    assert "Not shown, because their load has no such stages: before." in visible_text(page)
    assert not page.choices.aligned_at.isEnabled()

    page.stages.legend.isolate_requested.emit(1)
    assert [curve.points[-1] for curve in throughput.curves] == [(50, 400)]
    page.stages.legend.isolate_requested.emit(1)
    page.stages.legend.toggle_requested.emit(1)
    assert [curve.points[-1] for curve in throughput.curves] == [(50, 200)]

    image = page.chart_image(ExportKind.CHART_SVG)
    assert b"over users" in image
    assert b"old (baseline), knee: 20 users" in image
    page.choices.over.setCurrentIndex(0)
    assert page.chart.isVisible()
    assert page.choices.aligned_at.isEnabled()
    page.show_runs([FIRST, SECOND])
    assert not page.choices.over.isVisible()


def test_differences_within_the_sets_spread_are_noise(page: ComparePage) -> None:
    one, other = a_stored_run(name="a"), a_stored_run(name="b", orders=104)
    repeated = [replace(one[0], totals=totals_with(one[0].totals, opm=opm)) for opm in (17_000, 18_000, 19_000)]
    in_a_set = [(replace(record, run_set="SSD"), run) for record, run in (one, other)]
    page.show_runs(in_a_set, {"SSD": repeated})
    model = page.table.model()
    assert model.index(0, 5).data() == "within noise"
    assert "the 3 runs of set “SSD”" in model.index(0, 5).data(Qt.ItemDataRole.ToolTipRole)
    page.show_runs(in_a_set)
    assert model.index(0, 5).data() == "noise unknown"
