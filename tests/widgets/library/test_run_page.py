"""A kept run's page."""

from collections.abc import Callable

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from engine.analysis.recovery.judging import times_spans
from engine.analysis.recovery.settings import RecoverySettings
from engine.analysis.recovery.times import BlockHistograms
from engine.analysis.series.blocks import block_of
from engine.report.export_kind import ExportKind
from engine.telemetry.event import EventKind, RunEvent
from engine.telemetry.sample import Sample
from tests.doubles.faulted_runs import FAULT_AT, FaultedRun, a_fault
from tests.engine.events import suspended
from tests.widgets.accessibility import nameless_controls
from tests.widgets.library.host import a_measurement, a_series
from tests.widgets.library.runs import a_stored_mixed_run, a_stored_run
from tests.widgets.parts.charts import drawn_points
from widgets.library.run_page import RunPage
from widgets.parts.look import Look

Key = Qt.Key


@pytest.fixture
def page(look: Look, qtbot: QtBot) -> RunPage:
    page = RunPage(look)
    qtbot.addWidget(page)
    page.resize(1_180, 760)
    with qtbot.waitExposed(page):
        page.show()
    return page


def test_curve_equals_stored_counts_and_mark_is_at_its_second(page: RunPage) -> None:
    record, run = a_stored_run((30.25, "Enclosure pulled"))
    page.show_run(record, run)
    seconds, opm = drawn_points(page.view.chart.chart, 0)
    assert seconds[np.nanargmax(opm)] == 0.5
    assert np.nanmax(opm) == 60 * 300
    events = page.events.model
    assert events.rowCount() == 1
    assert page.tabs.currentIndex() == 0


def test_totals_plan_and_environment_have_tabs(page: RunPage) -> None:
    record, run = a_stored_run()
    page.show_run(record, run)
    titles = [page.tabs.tabText(number) for number in range(page.tabs.count()) if page.tabs.isTabVisible(number)]
    assert titles == [
        "Run",
        "Clients",
        "Response times",
        "Recovery",
        "Audit",
        "Host",
        "History",
        "Plan",
        "Environment",
        "Events",
    ]
    assert page.totals.view.model().rowCount() == 4
    assert "2 clients × 8 users" in page.plan.sentences.text()
    assert page.environment.model().index(1, 0).data() == "servers"


def test_workstation_suspend_is_mentioned_beside_host_means(page: RunPage) -> None:
    record, run = a_stored_run()
    run.put_event(suspended(30, 12, number=7))
    page.show_run(record, run)
    page.host.show_measurements([a_measurement(a_series())])
    assert page.host.missing.startswith("The workstation was suspended for 12.0 s at 0:20.")


def test_reading_a_run_can_be_cancelled(page: RunPage, qtbot: QtBot) -> None:
    page.show_loading("evening load", 0.5)
    assert page.loading.isVisible()
    assert not page.export_button.isEnabled()
    with qtbot.waitSignal(page.cancel_requested):
        qtbot.mouseClick(page.loading.cancel, Qt.MouseButton.LeftButton)
    page.show_run(*a_stored_run())
    assert page.export_button.isEnabled()
    assert not page.loading.isVisible()


@pytest.mark.parametrize(
    "leave",
    [
        lambda qtbot, page: qtbot.keyClick(page.tabs, Key.Key_Escape),
        lambda qtbot, page: qtbot.keyClick(page.tabs, Key.Key_Left, Qt.KeyboardModifier.AltModifier),
        lambda qtbot, page: qtbot.mouseClick(page.back_button, Qt.MouseButton.LeftButton),
    ],
    ids=["Esc", "Alt+Left", "button"],
)
def test_back_leads_to_the_library(page: RunPage, qtbot: QtBot, leave: Callable[[QtBot, RunPage], None]) -> None:
    page.show_run(*a_stored_run())
    page.tabs.setFocus()
    with qtbot.assertNotEmitted(page.cancel_requested), qtbot.waitSignal(page.back_requested):
        leave(qtbot, page)


def test_leaving_the_page_cancels_reading(page: RunPage, qtbot: QtBot) -> None:
    page.show_loading("evening load", None)
    with qtbot.waitSignals([page.cancel_requested, page.back_requested]):
        qtbot.mouseClick(page.back_button, Qt.MouseButton.LeftButton)


def test_marks_are_renamed_and_removed_in_the_events(page: RunPage, qtbot: QtBot) -> None:
    page.show_run(*a_stored_run((30.25, "Enclosure pulled")))
    page.tabs.setCurrentWidget(page.events.parentWidget())
    with qtbot.waitSignal(page.mark_changed) as signal:
        page.events.model.setData(page.events.model.index(0, 1), "Failover")
    assert signal.args == [5, "Failover", None]
    page.events.view.selectRow(0)
    with qtbot.waitSignal(page.mark_removed) as signal:
        qtbot.keyClick(page.events.view, Key.Key_Delete)
    assert signal.args == [5]


def test_a_changed_mark_is_drawn(page: RunPage) -> None:
    record, run = a_stored_run((30.25, "Enclosure pulled"))
    page.show_run(record, run)
    run.put_event(RunEvent(at_seconds=31.0, kind=EventKind.MARK, label="Failover", number=5))
    page.refresh_events()
    assert page.events.model.index(0, 1).data() == "Failover"
    assert [mark.label for mark in page.times.chart.times.marks] == ["Failover"]


def test_duplicate_and_export_name_the_run(page: RunPage, qtbot: QtBot) -> None:
    record, run = a_stored_run()
    page.show_run(record, run)
    with qtbot.waitSignal(page.duplicate_requested) as signal:
        qtbot.mouseClick(page.duplicate_button, Qt.MouseButton.LeftButton)
    assert signal.args == [record.run_id]
    with qtbot.waitSignal(page.export_requested) as signal:
        page.export_button.choices.actions()[3].trigger()
    assert signal.args == [[record.run_id], ExportKind.CHART_PNG]
    assert page.chart_image(ExportKind.CHART_PNG).startswith(b"\x89PNG")


def test_another_run_opens_at_the_first_tab(page: RunPage) -> None:
    record, run = a_stored_run()
    page.show_run(record, run)
    page.tabs.setCurrentIndex(2)
    page.show_run(record, run)
    assert page.tabs.currentIndex() == 2
    page.show_run(*a_stored_run(minutes_later=1))
    assert page.tabs.currentIndex() == 0


def test_the_layout_is_remembered(page: RunPage, look: Look, qtbot: QtBot) -> None:
    page.show_run(*a_stored_run())
    page.totals.view.setColumnHidden(3, True)
    other = RunPage(look)
    qtbot.addWidget(other)
    other.restore_layout(page.save_layout())
    assert other.totals.view.isColumnHidden(3)
    other.restore_layout({})


def test_every_control_has_a_name(page: RunPage) -> None:
    page.show_run(*a_stored_run())
    assert nameless_controls(page) == []


def a_figure(page: RunPage, title: str) -> str:
    model = page.recovery.table.model
    row = next(row for row in range(model.rowCount()) if model.index(row, 0).data() == title)
    return str(model.index(row, 1).data())


def test_recovery_has_a_tab(page: RunPage) -> None:
    record, _ = a_stored_run()
    faulted = FaultedRun(2, faults={90: FAULT_AT, 91: 230.2})
    samples: list[Sample] = []
    faulted.hears = samples.append
    faulted.advance_to(300)
    run = faulted.end()
    page.show_run(record, run)
    page.tabs.setCurrentWidget(page.recovery)
    assert page.recovery.faults.count() == 3, "two faults, and the spread of both"
    assert a_figure(page, "Before") == "–"
    blocks = [block_of([each for each in samples if each.client == client]).histograms for client in (1, 2)]
    page.set_histograms(BlockHistograms(blocks, times_spans(run)))
    assert a_figure(page, "Before") == "9 / 9 / 9\u202fms"
    faulted.data.remove_event(91)
    page.refresh_events()
    assert page.recovery.faults.count() == 1


def test_recovery_settings_apply_to_every_tab(qtbot: QtBot, page: RunPage) -> None:
    record, _ = a_stored_run()
    faulted = FaultedRun(2)
    faulted.advance_to(300)
    page.show_run(record, faulted.end())
    assert page.recovery.card.clock == "16.6\u202fs"
    page.set_recovery_settings(RecoverySettings(threshold_pct=55))
    assert page.recovery.card.clock == "4.6\u202fs"
    with qtbot.waitSignal(page.recovery_settings_changed):
        page.view.recovery.settings_changed.emit(RecoverySettings())
    assert page.recovery.card.clock == "16.6\u202fs"


def test_limitations_are_shown_above_the_figures(page: RunPage) -> None:
    record, run = a_stored_run()
    page.show_run(record, run)
    assert page.warnings.text.startswith("Steady state not assessed: only")
    assert page.warnings.isVisibleTo(page)
    page.show_loading("another", None)
    assert not page.warnings.isVisibleTo(page)


def test_limitations_are_recomputed_when_faults_change(page: RunPage) -> None:
    record, run = a_stored_run()
    page.show_run(record, run)
    assert "only 50\u202fs measured" in page.warnings.text
    run.put_event(a_fault(5, at_seconds=30.25))
    page.refresh_events()
    assert "only 20\u202fs before the first fault" in page.warnings.text
    run.remove_event(5)
    page.refresh_events()
    assert "only 50\u202fs measured" in page.warnings.text


def test_run_name_is_shown_once(page: RunPage) -> None:
    record, run = a_stored_run(name="evening load")
    page.show_run(record, run)
    page.refresh_events()
    assert [label.text() for label in page.findChildren(QLabel) if label.isVisible()].count("evening load") == 1


def test_every_tab_of_a_mixed_run_is_that_of_the_selected_load(page: RunPage, qtbot: QtBot) -> None:
    record, loads = a_stored_mixed_run()
    page.show_run(record.of_load(0), loads.loads[0], loads.loads, loads.titles)
    assert _titles(page)[1:4] == ["OPM", "Peak\nOPM", "Orders"]
    assert "Rollbacks" in _titles(page)
    assert page.view.head._rollbacks.isVisibleTo(page)
    assert page.events.model.rowCount() == 1, "what happened to clients of the other load is not of this one"
    with qtbot.waitSignal(page.load_selected) as selected:
        page.load_bar.setCurrentIndex(1)
    assert selected.args == [1]

    page.show_run(record.of_load(1), loads.loads[1], loads.loads, loads.titles)
    assert _titles(page)[1:4] == ["tasks/min", "Peak\ntasks/min", "Tasks"]
    assert "Rollbacks" not in _titles(page)
    assert not page.view.head._rollbacks.isVisibleTo(page)
    assert page.events.model.rowCount() == 2
    assert page.totals.view.model().index(0, 1).data() == "960.0", "800 tasks in 50 s"
    assert "1 client × 100 users" in page.plan.sentences.text()
    assert len(page.view.loads.others) == 1, "the headline of the other load is in sight"


def _titles(page: RunPage) -> list[str]:
    model = page.totals.view.model()
    return [model.headerData(column, Qt.Orientation.Horizontal) for column in range(model.columnCount())]
