"""The event log by keys: marks renamed and removed, the newest line followed."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLineEdit, QMenu
from pytestqt.qtbot import QtBot

from engine.analysis.run_data import RunData
from engine.telemetry.event import EventKind, RunEvent
from tests.doubles.live_runs import a_live_run, a_mark
from tests.widgets.accessibility import nameless_controls
from widgets.live.event_log import EventLog
from widgets.live.event_model import TEXT_COLUMN
from widgets.parts.look import Look

MARK_ROW, PHASE_ROW, MARK_NUMBER = 3, 2, 4


@pytest.fixture
def run() -> RunData:
    return a_live_run(4, 450)


@pytest.fixture
def log(qtbot: QtBot, run: RunData) -> EventLog:
    log = EventLog(Look())
    qtbot.addWidget(log)
    log.resize(400, 120)
    with qtbot.waitActive(log):
        log.show()
        log.activateWindow()
    log.show_run(run)
    return log


def add_phases(run: RunData, count: int) -> None:
    for number in range(100, 100 + count):
        run.put_event(RunEvent(number=number, at_seconds=500 + number, kind=EventKind.PHASE, label=f"news {number}"))


def test_f2_renames_a_mark(qtbot: QtBot, log: EventLog) -> None:
    log.view.selectRow(MARK_ROW)
    qtbot.keyClick(log.view, Qt.Key.Key_F2)
    editor = log.view.findChild(QLineEdit)
    assert editor is not None
    assert editor.text() == "Enclosure pulled"
    editor.selectAll()
    qtbot.keyClicks(editor, "Shelf pulled")
    with qtbot.waitSignal(log.mark_renamed) as renamed:
        qtbot.keyClick(editor, Qt.Key.Key_Return)
    assert renamed.args == [MARK_NUMBER, "Shelf pulled"]


def test_a_phase_is_neither_renamed_nor_removed(qtbot: QtBot, log: EventLog) -> None:
    log.view.selectRow(PHASE_ROW)
    with qtbot.assertNotEmitted(log.mark_removed):
        qtbot.keyClick(log.view, Qt.Key.Key_F2)
        qtbot.keyClick(log.view, Qt.Key.Key_Delete)
    assert log.view.findChild(QLineEdit) is None


def test_delete_removes_the_selected_marks(qtbot: QtBot, log: EventLog) -> None:
    log.view.selectAll()
    removed: list[int] = []
    log.mark_removed.connect(removed.append)
    qtbot.keyClick(log.view, Qt.Key.Key_Delete)
    assert removed == [MARK_NUMBER, 21]


def test_chart_can_open_the_name_editor(qtbot: QtBot, log: EventLog) -> None:
    log.rename_mark(MARK_NUMBER)
    assert log.view.findChild(QLineEdit) is not None
    assert log.view.selected_rows() == [MARK_ROW]


def test_new_events_keep_the_name_editor_open(qtbot: QtBot, log: EventLog, run: RunData) -> None:
    log.rename_mark(MARK_NUMBER)
    editor = log.view.findChild(QLineEdit)
    assert editor is not None
    editor.selectAll()
    qtbot.keyClicks(editor, "Shelf")
    add_phases(run, 30)
    log.refresh()
    assert editor.isVisible()
    assert editor.text() == "Shelf"


def test_newest_line_is_followed_unless_scrolled_up(qtbot: QtBot, log: EventLog, run: RunData) -> None:
    bar = log.view.verticalScrollBar()
    qtbot.waitUntil(lambda: bar.value() == bar.maximum() > 0)
    add_phases(run, 10)
    log.refresh()
    qtbot.waitUntil(lambda: bar.value() == bar.maximum() > 10)
    bar.setValue(3)
    add_phases(run, 20)
    log.refresh()
    assert bar.value() == 3


def test_lines_are_copied_as_text(qtbot: QtBot, log: EventLog) -> None:
    log.view.selectRow(MARK_ROW)
    qtbot.keyClick(log.view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == "Time\tWhat happened\n2:49.4\tEnclosure pulled"


def test_menu_offers_possible_actions(qtbot: QtBot, log: EventLog) -> None:
    log.view.selectRow(PHASE_ROW)
    log.view.customContextMenuRequested.emit(log.view.rect().center())
    menu = log.findChild(QMenu)
    assert menu is not None
    assert [action.isEnabled() for action in menu.actions()] == [False, False, True]
    menu.close()
    qtbot.waitUntil(lambda: log.findChild(QMenu) is None)
    log.view.selectRow(MARK_ROW)
    log.view.customContextMenuRequested.emit(log.view.rect().center())
    menu = log.findChild(QMenu)
    assert menu is not None
    with qtbot.waitSignal(log.mark_removed) as removed:
        menu.actions()[1].trigger()
    assert removed.args == [MARK_NUMBER]
    menu.close()


def test_new_mark_is_shown_at_the_next_tick(log: EventLog, run: RunData) -> None:
    run.put_event(a_mark(200, 449.5, "Failover"))
    log.refresh()
    last = log.model.rowCount() - 1
    assert log.model.index(last, 1).data() == "Failover"


def test_every_control_has_a_name(log: EventLog) -> None:
    assert nameless_controls(log) == []


WARNING = "the workstation distorted the run for 17 s: a heartbeat of ds2 #1 came up to 84 ms late (p99)"


def test_warning_wraps_and_short_line_is_one_row_high(qtbot: QtBot, log: EventLog, run: RunData) -> None:
    usual = log.view.rowHeight(PHASE_ROW)
    run.put_event(RunEvent(number=99, at_seconds=1, kind=EventKind.WARNING, label=WARNING))
    log.refresh()
    row = log.model.row_of(99)
    assert row is not None
    assert log.view.rowHeight(row) > 2 * log.view.fontMetrics().height()
    assert log.view.rowHeight(PHASE_ROW) == usual
    narrow = log.view.rowHeight(row)
    log.resize(1_600, 120)
    qtbot.waitUntil(lambda: log.view.rowHeight(row) == usual < narrow)


def test_long_error_has_at_most_two_lines(qtbot: QtBot, log: EventLog, run: RunData) -> None:
    usual, line = log.view.rowHeight(PHASE_ROW), log.view.fontMetrics().lineSpacing()
    text = "connection lost: server closed the connection unexpectedly while it was asked for the next page of titles"
    for number, label in ((98, text), (99, 5 * text)):
        run.put_event(RunEvent(number=number, at_seconds=number, kind=EventKind.TARGET_ERROR, label=label))
    log.refresh()
    rows = [log.model.row_of(number) for number in (98, 99)]
    assert [log.view.rowHeight(row) for row in rows if row is not None] == [usual + line] * 2


def test_a_line_that_does_not_fit_has_two_rows_of_text(qtbot: QtBot, log: EventLog, run: RunData) -> None:
    usual, two_lines = log.view.rowHeight(PHASE_ROW), 2 * log.view.fontMetrics().lineSpacing()
    label = "all users of all clients are connected again"
    run.put_event(RunEvent(number=98, at_seconds=98, kind=EventKind.CONNECTION_BACK, label=label))
    log.refresh()
    row = log.model.row_of(98)
    assert row is not None
    index = log.model.index(row, TEXT_COLUMN)
    log.view.setWordWrap(False)
    needed = log.view.sizeHintForIndex(index).width()  # with icon and margins
    log.view.setWordWrap(True)
    seen = set()
    for width in range(log.width() - 100, log.width() + 100, 2):
        log.resize(width, 120)
        is_high = log.view.rowHeight(row) >= two_lines
        seen.add(is_high)
        assert is_high or log.view.columnWidth(TEXT_COLUMN) >= needed
        assert is_high or log.view.rowHeight(row) == usual
    assert seen == {True, False}


def test_growing_warning_stays_visible(qtbot: QtBot, log: EventLog, run: RunData) -> None:
    bar = log.view.verticalScrollBar()
    run.put_event(RunEvent(number=99, at_seconds=900, kind=EventKind.WARNING, label="the workstation distorts the run"))
    log.refresh()
    qtbot.waitUntil(lambda: bar.value() == bar.maximum() > 0)
    before = bar.maximum()
    run.put_event(RunEvent(number=99, at_seconds=900, kind=EventKind.WARNING, label=WARNING))
    log.refresh()
    qtbot.waitUntil(lambda: bar.value() == bar.maximum() > before)
