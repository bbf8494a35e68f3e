"""Marks as the user handles them: in a run that goes on, and in a kept one."""

import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QKeySequenceEdit
from pytestqt.qtbot import QtBot

from app.window.main_window import Place
from engine.faults.marks import is_mark
from engine.library.library import Library
from engine.plan.plan import RunPlan
from engine.record.record import RunState
from engine.telemetry.event import EventKind, RunEvent
from tests.app.runs import a_run, keep
from tests.app.window_parts import OpenDesktop, open_desktop
from widgets.live.mark_kinds import MarkKind
from widgets.live.mark_kinds_editor import MarkKindsEditor
from widgets.parts.form.note import FormNote

_CTRL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def opened(qapp: QApplication, qtbot: QtBot, tmp_path: Path) -> Iterator[OpenDesktop]:
    opened = open_desktop(qapp, qtbot, tmp_path / "home")
    yield opened
    opened.end()


def measuring(opened: OpenDesktop, store: str) -> None:
    """Bring a run to its measuring phase."""
    plan = {"targets": [store], "threads": 1, "ramp_rate": 100, "warmup_minutes": 0.0, "minutes": 10}
    live_run = opened.desktop.live_run
    opened.desktop.start_run(RunPlan.from_dict(plan), reset=False)
    opened.wait_for(lambda: live_run.data is not None and live_run.data.state is RunState.MEASURING)


def marks_of(opened: OpenDesktop) -> list[RunEvent]:
    data = opened.desktop.live_run.data
    assert data is not None
    return [event for event in data.sorted_events() if is_mark(event.kind, by_hand=event.by_hand)]


def test_a_mark_is_set_renamed_moved_and_taken_back_while_the_run_goes_on(
    opened: OpenDesktop, store: str, qtbot: QtBot
) -> None:
    desktop = opened.desktop
    measuring(opened, store)
    qtbot.keyClick(desktop.window, Qt.Key.Key_F9)
    opened.wait_for(lambda: [(mark.label, mark.is_fault) for mark in marks_of(opened)] == [("Enclosure pulled", True)])
    number = marks_of(opened)[0].number
    desktop.live.widget.mark_changed.emit(number, "Cable pulled", None)
    opened.wait_for(lambda: marks_of(opened)[0].label == "Cable pulled")
    desktop.live.widget.mark_changed.emit(number, None, 0.5)
    opened.wait_for(lambda: marks_of(opened)[0].at_seconds == 0.5)
    for expected in (["Cable pulled"], ["Enclosure pulled"], []):
        qtbot.keyClick(desktop.window, Qt.Key.Key_Z, _CTRL)
        opened.wait_for(lambda expected=expected: [mark.label for mark in marks_of(opened)] == expected)
    qtbot.keyClick(desktop.window, Qt.Key.Key_Z, _CTRL)  # nothing is left to take back, and nothing happens
    assert marks_of(opened) == []


def test_a_mark_that_was_removed_comes_back_under_its_number(opened: OpenDesktop, store: str, qtbot: QtBot) -> None:
    desktop = opened.desktop
    measuring(opened, store)
    qtbot.keyClick(desktop.window, Qt.Key.Key_F12)
    opened.wait_for(lambda: bool(marks_of(opened)))
    mark = marks_of(opened)[0]
    assert mark.kind is EventKind.FAULT_END
    desktop.live.widget.mark_removed.emit(mark.number)
    opened.wait_for(lambda: marks_of(opened) == [])
    qtbot.keyClick(desktop.window, Qt.Key.Key_Z, _CTRL)
    opened.wait_for(lambda: marks_of(opened) == [mark])
    desktop.live_run.stop()
    opened.wait_for(lambda: not desktop.live_run.is_busy)
    kept = desktop.workbench.library().events(desktop.live_run.data.run_id if desktop.live_run.data else "")
    assert [event for event in kept if event.by_hand] == [mark]


def test_mark_key_on_another_page_sets_and_confirms_the_mark(opened: OpenDesktop, store: str, qtbot: QtBot) -> None:
    measuring(opened, store)
    desktop, window = opened.desktop, opened.desktop.window
    qtbot.keyClick(window, Qt.Key.Key_3, _CTRL)
    qtbot.keyClick(desktop.library.page, Qt.Key.Key_F10)
    opened.wait_for(lambda: [mark.label for mark in marks_of(opened)] == ["Failover"])
    data = desktop.live_run.data
    assert data is not None
    at_seconds = marks_of(opened)[0].at_seconds - (data.phases.measuring_from or 0)
    assert "Failover" in window.bar.text
    minutes, seconds = re.findall(r"(\d+):(\d+\.\d)", window.bar.text)[0]
    assert 60 * int(minutes) + float(seconds) == pytest.approx(at_seconds, abs=0.1)
    assert window.place == Place.LIBRARY
    qtbot.mouseClick(window.bar.action_button, Qt.MouseButton.LeftButton)
    opened.wait_for(lambda: marks_of(opened) == [])


def test_mark_key_on_the_run_page_shows_no_message(opened: OpenDesktop, store: str, qtbot: QtBot) -> None:
    measuring(opened, store)
    qtbot.keyClick(opened.desktop.live.widget.view.table.view, Qt.Key.Key_F9)
    opened.wait_for(lambda: [mark.label for mark in marks_of(opened)] == ["Enclosure pulled"])
    assert "Marked" not in opened.desktop.window.bar.text


def test_note_text_is_asked_on_the_current_page(opened: OpenDesktop, store: str, qtbot: QtBot) -> None:
    measuring(opened, store)
    desktop, window = opened.desktop, opened.desktop.window
    qtbot.keyClick(window, Qt.Key.Key_1, _CTRL)
    run = desktop.live_run.run
    assert run is not None
    qtbot.keyClick(window, Qt.Key.Key_N, _CTRL)
    pressed = run.timebase.at(time.monotonic())
    question = window.status.question
    assert question.isVisible()
    assert QApplication.focusWidget() is question
    qtbot.keyClicks(question, "fan swapped")
    qtbot.keyClick(question, Qt.Key.Key_F9)  # a mark can be set while a note is written
    qtbot.keyClick(question, Qt.Key.Key_Return)
    opened.wait_for(lambda: {mark.label for mark in marks_of(opened)} == {"fan swapped", "Enclosure pulled"})
    note = next(mark for mark in marks_of(opened) if mark.label == "fan swapped")
    assert note.at_seconds <= round(pressed, 3)  # as finely as marks are stored
    assert not question.isVisible()


def test_mark_key_without_a_run_shows_a_message(opened: OpenDesktop, qtbot: QtBot) -> None:
    for key, modifiers in ((Qt.Key.Key_F9, Qt.KeyboardModifier.NoModifier), (Qt.Key.Key_N, _CTRL)):
        qtbot.keyClick(opened.desktop.window, key, modifiers)
        opened.wait_for(lambda: opened.desktop.window.bar.text == "No run in progress; nothing was marked.")
        qtbot.mouseClick(opened.desktop.window.bar, Qt.MouseButton.LeftButton)
    assert opened.desktop.window.place == Place.NEW_RUN
    assert not opened.desktop.window.status.question.isVisible()


def test_changed_mark_kinds_replace_the_old_keys(opened: OpenDesktop, store: str, qtbot: QtBot) -> None:
    measuring(opened, store)
    page = opened.desktop.live.widget
    page.markers.set_kinds([MarkKind(label="Switch off", key="F6")])
    page.markers.kinds_changed.emit(page.markers.kinds)
    for key in (Qt.Key.Key_F9, Qt.Key.Key_F6):
        qtbot.keyClick(opened.desktop.window, key)
    opened.wait_for(lambda: [mark.label for mark in marks_of(opened)] == ["Switch off"])


def test_key_field_receives_mark_keys(opened: OpenDesktop, qtbot: QtBot) -> None:
    opened.desktop.window.marks_requested.emit()
    editor = opened.desktop.window.findChild(MarkKindsEditor)
    assert editor is not None
    with qtbot.waitActive(editor):
        editor.activateWindow()
    field = editor.findChildren(QKeySequenceEdit)[0]
    field.setFocus()
    qtbot.keyClick(field, Qt.Key.Key_F10)
    qtbot.waitUntil(lambda: field.keySequence().toString() == "F10")
    assert opened.desktop.window.bar.text == ""
    editor.reject()


def test_text_fields_receive_their_own_keys(opened: OpenDesktop, store: str, qtbot: QtBot) -> None:
    measuring(opened, store)
    desktop = opened.desktop
    page = desktop.live.widget
    page.markers.kinds_changed.emit([MarkKind(label="All off", key="Ctrl+A"), MarkKind(label="Cut", key="F6")])
    qtbot.keyClick(desktop.window, Qt.Key.Key_3, _CTRL)
    opened.wait_for(lambda: desktop.library.page.table.shown == 1)
    search = desktop.library.page.filters.search
    search.setFocus()
    qtbot.keyClicks(search, "raid")
    qtbot.keyClick(search, Qt.Key.Key_A, _CTRL)
    assert search.selectedText() == "raid"
    qtbot.keyClick(search, Qt.Key.Key_F6)
    opened.wait_for(lambda: [mark.label for mark in marks_of(opened)] == ["Cut"])


def test_marks_of_a_kept_run_are_changed_in_the_library(qapp: QApplication, qtbot: QtBot, tmp_path: Path) -> None:
    home = tmp_path / "home"
    record = a_run()
    keep(home, record)
    with Library.open(home / "library.sqlite", notify=print) as library:
        mark = library.add_mark(record.run_id, "Failover", 4.0)
    opened = open_desktop(qapp, qtbot, home)
    desktop = opened.desktop
    desktop.open_run(record.run_id)
    page = desktop.library.run_page
    opened.wait_for(lambda: page.run_id == record.run_id)

    def kept() -> list[RunEvent]:
        events = desktop.workbench.library().events(record.run_id)
        return [event for event in events if event.kind is EventKind.MARK]

    page.mark_changed.emit(mark.number, "Switchover", None)
    opened.wait_for(lambda: [event.label for event in kept()] == ["Switchover"])
    opened.wait_for(lambda: desktop.background.is_idle)
    page.mark_removed.emit(mark.number)
    opened.wait_for(lambda: kept() == [])
    opened.wait_for(lambda: desktop.window.bar.text == "Mark removed.")
    qtbot.mouseClick(desktop.window.bar.action_button, Qt.MouseButton.LeftButton)
    opened.wait_for(lambda: [event.label for event in kept()] == ["Switchover"])
    opened.wait_for(lambda: desktop.background.is_idle)
    qtbot.keyClick(page.view.chart.chart.view, Qt.Key.Key_Z, _CTRL)
    opened.wait_for(lambda: [event.label for event in kept()] == ["Failover"])
    opened.end()


def test_a_mark_removed_after_the_end_of_the_run_is_put_back_by_key(
    opened: OpenDesktop, store: str, qtbot: QtBot
) -> None:
    desktop = opened.desktop
    measuring(opened, store)
    data = desktop.live_run.data
    assert data is not None
    opened.wait_for(lambda: data.measured_end > (data.phases.measuring_from or 0) + 1)
    qtbot.keyClick(desktop.window, Qt.Key.Key_F9)
    opened.wait_for(lambda: bool(marks_of(opened)))
    mark = marks_of(opened)[0]
    desktop.live_run.stop()
    opened.wait_for(lambda: not desktop.live_run.is_busy)
    head = desktop.live.widget.view.head

    def warnings() -> str:
        return " ".join(note.text for note in head.findChildren(FormNote))

    assert "before the first fault" in warnings()
    desktop.live.widget.mark_removed.emit(mark.number)
    opened.wait_for(lambda: marks_of(opened) == [])
    opened.wait_for(lambda: "before the first fault" not in warnings())
    opened.wait_for(lambda: desktop.background.is_idle)
    qtbot.keyClick(desktop.live.widget.view.log.view, Qt.Key.Key_Z, _CTRL)
    opened.wait_for(lambda: marks_of(opened) == [mark])
    opened.wait_for(lambda: "before the first fault" in warnings())


def test_mark_moved_to_an_invalid_time_returns(qapp: QApplication, qtbot: QtBot, tmp_path: Path) -> None:
    home = tmp_path / "home"
    record = a_run()
    keep(home, record)
    with Library.open(home / "library.sqlite", notify=print) as library:
        library.add_mark(record.run_id, "Failover", 0.5)
    opened = open_desktop(qapp, qtbot, home)
    opened.desktop.open_run(record.run_id)
    chart, bar = opened.desktop.library.run_page.view.chart.chart, opened.desktop.window.bar

    def times() -> list[float]:
        return [mark.at_seconds for mark in chart.marks]

    opened.wait_for(lambda: times() == [0.5])
    opened.wait_for(lambda: opened.desktop.background.is_idle)  # the response times draw the chart anew, too
    qtbot.keyClick(chart.view, Qt.Key.Key_Right, _CTRL)
    qtbot.keyClick(chart.view, Qt.Key.Key_Left, Qt.KeyboardModifier.ShiftModifier)
    opened.wait_for(lambda: bar.text.startswith("A mark's time is -0.5 s"))
    assert not bar.action_button.isVisible()
    opened.wait_for(lambda: times() == [0.5])
    opened.end()


def test_undo_restores_a_mark_in_its_own_run(qapp: QApplication, qtbot: QtBot, tmp_path: Path) -> None:
    home = tmp_path / "home"
    records = a_run(), a_run(minutes_later=5)
    keep(home, *records)
    with Library.open(home / "library.sqlite", notify=print) as library:
        marks = [library.add_mark(record.run_id, "Failover", 4.0) for record in records]
    opened = open_desktop(qapp, qtbot, home)
    desktop, page = opened.desktop, opened.desktop.library.run_page

    def kept() -> list[int]:
        library = desktop.workbench.library()
        events = [library.events(record.run_id) for record in records]
        return [sum(event.kind is EventKind.MARK for event in each) for each in events]

    desktop.open_run(records[1].run_id)
    opened.wait_for(lambda: page.run_id == records[1].run_id)
    page.mark_removed.emit(marks[1].number)
    opened.wait_for(lambda: desktop.window.bar.text == "Mark removed.")
    assert kept() == [1, 0]
    qtbot.mouseClick(page.back_button, Qt.MouseButton.LeftButton)
    desktop.open_run(records[0].run_id)
    opened.wait_for(lambda: page.run_id == records[0].run_id)
    qtbot.mouseClick(desktop.window.bar.action_button, Qt.MouseButton.LeftButton)
    opened.wait_for(lambda: kept() == [1, 1])
    opened.end()
