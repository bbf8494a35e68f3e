"""Marks as the user handles them: in a run that goes on, and in a kept one."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from engine.faults.marks import is_mark
from engine.library.library import Library
from engine.plan import RunPlan
from engine.record import RunState
from engine.sample import EventKind, RunEvent
from tests.app.runs import a_run, keep
from tests.app.window_parts import OpenDesktop, open_desktop

_CTRL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def opened(qapp: QApplication, qtbot: QtBot, tmp_path: Path) -> Iterator[OpenDesktop]:
    opened = open_desktop(qapp, qtbot, tmp_path / "home")
    yield opened
    opened.end()


def marks_of(opened: OpenDesktop) -> list[RunEvent]:
    data = opened.desktop.live_run.data
    assert data is not None
    return [event for event in data.sorted_events() if is_mark(event.kind, by_hand=event.by_hand)]


def test_a_mark_is_set_renamed_moved_and_taken_back_while_the_run_goes_on(
    opened: OpenDesktop, store: str, qtbot: QtBot
) -> None:
    plan = {"targets": [store], "threads": 2, "ramp_rate": 100, "warmup_minutes": 0.0, "minutes": 10}
    desktop = opened.desktop
    desktop.start_run(RunPlan.from_dict(plan), reset=False)
    opened.wait_for(lambda: desktop.live_run.data is not None and desktop.live_run.data.state is RunState.MEASURING)
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
    plan = {"targets": [store], "threads": 1, "ramp_rate": 100, "warmup_minutes": 0.0, "minutes": 10}
    desktop = opened.desktop
    desktop.start_run(RunPlan.from_dict(plan), reset=False)
    opened.wait_for(lambda: desktop.live_run.data is not None and desktop.live_run.data.state is RunState.MEASURING)
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


def test_marks_of_a_kept_run_are_changed_in_the_library(qapp: QApplication, qtbot: QtBot, tmp_path: Path) -> None:
    home = tmp_path / "home"
    record = a_run()
    keep(home, record)
    with Library.open(home / "library.sqlite", tell=print) as library:
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
    opened.end()


def test_a_mark_that_can_not_be_where_it_was_moved_to_goes_back(
    qapp: QApplication, qtbot: QtBot, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    record = a_run()
    keep(home, record)
    with Library.open(home / "library.sqlite", tell=print) as library:
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


def test_a_removal_is_undone_on_the_run_that_it_was_of(qapp: QApplication, qtbot: QtBot, tmp_path: Path) -> None:
    home = tmp_path / "home"
    records = a_run(), a_run(minutes_later=5)
    keep(home, *records)
    with Library.open(home / "library.sqlite", tell=print) as library:
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
