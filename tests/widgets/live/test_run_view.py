"""A run's charts, table and log together: changes in one of them are shown in the others."""

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QLabel, QSplitter
from pytestqt.qtbot import QtBot

from engine.analysis.recovery.settings import RecoverySettings
from engine.analysis.run_data import RunData
from engine.audit.report import AuditReport, Verdict
from tests.doubles.faulted_runs import FAULT_AT, FaultedRun
from tests.doubles.live_runs import a_live_run, a_mark, a_second, ended
from tests.widgets.accessibility import nameless_controls
from tests.widgets.parts.charts import point_at, viewport_place
from widgets.live.client_cells import Column
from widgets.live.run_view import RunView
from widgets.parts.fonts import scaled
from widgets.parts.look import Look

CLIENTS = 4


@pytest.fixture
def run() -> RunData:
    return a_live_run(CLIENTS, 450)


@pytest.fixture
def view(qtbot: QtBot, run: RunData) -> RunView:
    view = RunView(Look())
    qtbot.addWidget(view)
    view.resize(1180, 720)
    with qtbot.waitActive(view):
        view.show()
        view.activateWindow()
    view.show_run(run)
    return view


def shown_curves(view: RunView) -> list[int]:
    return [key for key in range(CLIENTS + 1) if view.chart.chart.curves.by_key[key].is_visible]


def now_of(view: RunView, client: int) -> str:
    return str(view.table.model.index(client - 1, Column.HEADLINE_NOW).data())


def test_view_without_a_run_needs_no_room_for_charts(qtbot: QtBot, view: RunView) -> None:
    empty = RunView(Look())
    qtbot.addWidget(empty)
    assert empty.minimumSizeHint().height() < view.minimumSizeHint().height()


def test_isolating_in_the_table_toggles_the_curves(qtbot: QtBot, view: RunView) -> None:
    view.table.view.selectRow(2)
    qtbot.keyClick(view.table.view, Qt.Key.Key_Return)
    assert shown_curves(view) == [3]
    assert [view.table.model.is_shown(client) for client in range(1, 5)] == [False, False, True, False]
    qtbot.keyClick(view.table.view, Qt.Key.Key_Return)
    assert shown_curves(view) == [0, 1, 2, 3, 4]


def test_space_hides_a_curve(qtbot: QtBot, view: RunView) -> None:
    view.table.view.selectRow(0)
    qtbot.keyClick(view.table.view, Qt.Key.Key_Space)
    assert shown_curves(view) == [0, 2, 3, 4]


def test_a_curve_hidden_in_the_chart_loses_its_tick(view: RunView) -> None:
    view.chart.set_visible({2: False})
    assert not view.table.model.is_shown(2)


def test_marks_are_renamed_moved_and_removed(qtbot: QtBot, view: RunView) -> None:
    with qtbot.waitSignal(view.mark_changed) as changed:
        view.log.mark_renamed.emit(4, "Shelf pulled")
    assert changed.args == [4, "Shelf pulled", None]
    with qtbot.waitSignal(view.mark_changed) as changed:
        view.chart.chart.marking.moved.emit(4, 198.5)
    assert changed.args == [4, None, 198.5]
    for removal in (view.chart.chart.marking.remove_requested, view.log.mark_removed):
        with qtbot.waitSignal(view.mark_removed) as removed:
            removal.emit(4)
        assert removed.args == [4]


def test_mark_selected_in_the_chart_is_renamed_in_the_log(view: RunView) -> None:
    view.chart.chart.marking.rename_requested.emit(4)
    assert view.log.view.selected_rows() == [3]


def test_a_tick_reaches_every_part(qtbot: QtBot, view: RunView, run: RunData) -> None:
    for client in (1, 3, 4):
        run.add(a_second(client, 450, out=True))
    run.put_event(a_mark(90, 450.1, "Failover"))
    before = view.log.model.rowCount()
    view.refresh()
    qtbot.waitUntil(lambda: [now_of(view, client) for client in (1, 3, 4)] == ["0", "0", "0"])
    assert view.log.model.rowCount() == before + 1


def test_quick_refreshes_do_not_put_off_what_is_below_the_chart(qtbot: QtBot, view: RunView, run: RunData) -> None:
    """As on a busy machine, where the window's timers fire one directly after the other."""
    for client in (1, 3, 4):
        run.add(a_second(client, 450, out=True))
    ticks = QTimer(view, interval=10)
    ticks.timeout.connect(view.refresh)
    ticks.start()
    qtbot.waitUntil(lambda: now_of(view, 1) == "0")


def test_hidden_view_updates_when_shown(qtbot: QtBot, view: RunView, run: RunData) -> None:
    before = now_of(view, 1)
    view.hide()
    for client in (1, 3, 4):
        run.add(a_second(client, 450, out=True))
    view.refresh()
    assert now_of(view, 1) == before != "0"
    view.show()
    qtbot.waitUntil(lambda: now_of(view, 1) == "0")


def test_charts_have_at_least_half_of_the_height(view: RunView) -> None:
    assert view.chart.height() + view.response.height() >= 0.5 * view.height()
    assert view.chart.chart.height() > view.response.times.height()


def test_response_times_are_beside_the_clients_on_a_low_screen(view: RunView) -> None:
    high = view.chart.height()
    view.resize(1180, 600)
    assert view.side.indexOf(view.response) >= 0
    assert view.response.isVisible()
    assert view.chart.height() > 0.4 * view.height()
    view.resize(1180, 720)
    assert view.side.indexOf(view.response) < 0
    assert view.response.isVisible()
    assert abs(view.chart.height() - high) <= 10


def test_all_charts_show_the_same_second(view: RunView) -> None:
    chart = view.chart.chart
    point_at(chart, viewport_place(chart, 120.5, 1_000))
    lines = chart.hover.text.splitlines()
    assert lines[:3] == ["1:30", "Orders per minute", *lines[2:3]]
    assert any(line.startswith("total ") for line in lines)
    assert any(line.startswith("p99 ") and line.endswith(" ms") for line in lines)
    assert view.response.times.hover.crosshair is chart.hover.crosshair


def test_the_layout_is_remembered(qtbot: QtBot, view: RunView) -> None:
    view.table.view.setColumnWidth(Column.P95, 177)
    for splitter in view.findChildren(QSplitter):
        if splitter.orientation() is Qt.Orientation.Vertical:
            splitter.setSizes([300, 300])
    view.response.heat.setChecked(False)
    saved = view.save_layout()
    other = RunView(Look())
    qtbot.addWidget(other)
    other.resize(1180, 720)
    other.restore_layout(saved)
    other.show()
    other.show_run(a_live_run(2, 10))
    assert other.table.view.columnWidth(Column.P95) == 177
    assert not other.response.heat.isChecked()
    assert abs(other.chart.height() - view.chart.height()) <= 2


def test_layout_of_a_low_screen_fits_a_high_screen(qtbot: QtBot, view: RunView) -> None:
    view.resize(1180, 600)
    other = RunView(Look())
    qtbot.addWidget(other)
    other.resize(1180, 720)
    other.restore_layout(view.save_layout())
    other.show()
    other.show_run(a_live_run(2, 10))
    assert other.response.height() > 0.2 * other.height()


def test_unreadable_layout_is_ignored(qtbot: QtBot, view: RunView) -> None:
    height = view.chart.height()
    view.restore_layout({"all": b"no splitter", "clients": b"no columns"})
    assert view.chart.height() == height


def test_a_kept_run_is_shown_with_its_totals(view: RunView) -> None:
    view.show_run(ended(a_live_run(2, 120)))
    assert view.table.model.rowCount() == 3
    assert not view.head.buttons.isVisible()


def advance(view: RunView, qtbot: QtBot, faulted: FaultedRun, second: int) -> None:
    """A second comes, and what is below the chart follows it."""
    faulted.advance_to(second)
    with qtbot.waitSignal(view.recoveries_changed):
        view.refresh()


def test_recovery_replaces_response_times_at_the_first_fault(qtbot: QtBot, view: RunView) -> None:
    view.resize(1180, 600)
    faulted = FaultedRun(2)
    view.show_run(faulted.advance_to(150))
    assert view.response.isVisible()
    assert not view.side.tabBar().isVisible()
    advance(view, qtbot, faulted, 151)
    assert view.recovery.isVisible()
    assert not view.response.isVisible()
    view.side.setCurrentWidget(view.response)
    advance(view, qtbot, faulted, 152)
    assert view.response.isVisible()
    faulted.data.remove_event(90)
    advance(view, qtbot, faulted, 153)
    assert view.side.count() == 1


@pytest.mark.parametrize(("height", "are_both"), [(687, True), (600, False), (510, False)])
def test_notes_of_a_recovery_are_whole_also_below_one_chart(
    qtbot: QtBot, view: RunView, height: int, are_both: bool
) -> None:
    faulted = FaultedRun(4)
    faulted.advance_to(300)
    view.resize(1167, height)
    view.show_run(faulted.end())
    notes = view.recovery.card.text_area
    assert view.recovery.isVisible()
    assert (view.side.indexOf(view.response) < 0) == are_both
    qtbot.waitUntil(lambda: notes.verticalScrollBar().maximum() == 0)


def test_notes_of_a_recovery_are_whole_below_the_charts_of_two_loads(qtbot: QtBot, view: RunView) -> None:
    faulted, other = FaultedRun(4, faults={90: FAULT_AT, 91: 230.2}), FaultedRun(1)
    for each in (faulted, other):
        each.advance_to(300)
    view.resize(1271, 633)  # in a window of 1366 x 768, whose header has another row
    view.show_run(faulted.data, (faulted.data, other.data))
    view.recovery.choose(90)
    notes = view.recovery.card.text_area
    (chart,) = view.loads.others
    qtbot.waitUntil(lambda: chart.isVisible() and notes.isVisible() and notes.verticalScrollBar().maximum() == 0)


def test_no_figure_of_a_recovery_is_cut_with_large_text(qtbot: QtBot, view: RunView) -> None:
    view.setFont(scaled(view.font(), 1.5))
    view.resize(1232, 560)
    faulted = FaultedRun(4)
    view.show_run(faulted.advance_to(300))
    labels = view.recovery.card.findChildren(QLabel)
    qtbot.waitUntil(lambda: all(each.height() >= each.fontMetrics().height() for each in labels if each.isVisible()))


def test_table_width_is_kept_when_recovery_is_shown(qtbot: QtBot, view: RunView) -> None:
    faulted = FaultedRun(2)
    view.show_run(faulted.advance_to(150))
    width = view.table.width()
    advance(view, qtbot, faulted, 151)
    assert view.table.width() == width


def test_a_fault_is_followed_in_the_panel_and_on_the_chart(qtbot: QtBot, view: RunView) -> None:
    faulted = FaultedRun(2)
    view.show_run(faulted.advance_to(150))
    assert view.chart.chart.plot.overlay.levels == ()
    seen = []
    for second in (151, 153, 160, 180):
        advance(view, qtbot, faulted, second)
        ground, overlay = view.chart.chart.plot.background, view.chart.chart.plot.overlay
        seen.append((view.recovery.card.word, len(ground.spans), [level.label for level in overlay.levels]))
    levels = ["baseline", "95 %"]
    assert seen == [("STEADY", 0, levels), ("DOWN", 1, levels), ("DEGRADED", 2, levels), ("RECOVERED", 2, levels)]


def test_the_levels_are_those_of_the_fault_that_is_shown(qtbot: QtBot, view: RunView) -> None:
    faulted = FaultedRun(2, faults={90: FAULT_AT, 91: 230.2})
    view.show_run(faulted.advance_to(260))
    firsts = [view.chart.chart.plot.overlay.levels[0].first]
    qtbot.keyClick(view.recovery, Qt.Key.Key_PageUp, Qt.KeyboardModifier.AltModifier)
    firsts.append(view.chart.chart.plot.overlay.levels[0].first)
    assert firsts == [170, 90]


def test_changed_recovery_settings_are_emitted_and_applied(qtbot: QtBot, view: RunView) -> None:
    view.show_run(FaultedRun(2).advance_to(165))
    assert view.recovery.card.word == "DEGRADED"
    with qtbot.waitSignal(view.recovery_settings_changed) as signal:
        view.recovery.settings_changed.emit(RecoverySettings(threshold_pct=55))
    assert signal.args == [RecoverySettings(threshold_pct=55)]
    assert view.recovery.card.word == "RECOVERED"
    assert "55 %" in [level.label for level in view.chart.chart.plot.overlay.levels]


def test_late_audit_is_shown_in_the_panel(view: RunView) -> None:
    faulted = FaultedRun(2)
    faulted.advance_to(220)
    view.show_run(faulted.end())
    assert view.recovery.card.value("lost orders") == "not audited"
    view.set_audit(AuditReport(verdict=Verdict.CLEAN, stores=()).to_dict())
    assert view.recovery.card.value("lost orders") == "0"
    view.show_run(FaultedRun(2).advance_to(220))
    assert view.recovery.card.value("lost orders") == "at the end"


def test_every_control_has_a_name(view: RunView) -> None:
    view.show_run(FaultedRun(2).advance_to(160))
    assert nameless_controls(view) == []
