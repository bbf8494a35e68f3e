"""Marks of kept runs, changed and undone in the library; and mark keys while there is no run."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.window.main_window import Place
from engine.faults.marks import new_mark
from engine.library.library import Library
from engine.telemetry.event import EventKind, RunEvent
from tests.app.runs import a_run, keep
from tests.app.window_parts import OpenDesktop, shared_desktop
from widgets.parts import message_bar

CHANGED, MOVED, *REMOVED = RUNS = [a_run(minutes_later=5 * number) for number in range(4)]
MARKED_AT = {CHANGED.run_id: 4.0, MOVED.run_id: 0.5}
_CTRL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture(scope="module")
def shared(
    qapp: QApplication, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[OpenDesktop]:
    """A window whose library holds a run for each test, with a mark in it."""
    home = tmp_path_factory.mktemp("marks") / "home"
    keep(home, *RUNS)
    with Library.open(home / "library.sqlite", notify=print) as library:
        for run in RUNS:
            library.marks.put(run.run_id, new_mark("Failover", MARKED_AT.get(run.run_id, 4.0)))
    with shared_desktop(qapp, request, home) as opened:
        yield opened


@pytest.fixture
def opened(shared: OpenDesktop, monkeypatch: pytest.MonkeyPatch) -> Iterator[OpenDesktop]:
    """The window; its messages stay, as a busy machine may take longer than a reader."""
    for name in ("_SHOWN_MS", "_SHOWN_WITH_ACTION_MS"):
        monkeypatch.setattr(message_bar, name, 1_000_000)
    yield shared
    shared.close_messages()


def marks_of(opened: OpenDesktop, run_id: str) -> list[RunEvent]:
    """The marks as they are kept."""
    events = opened.desktop.workbench.library().events(run_id)
    return [event for event in events if event.kind is EventKind.MARK]


def test_marks_of_a_kept_run_are_changed_in_the_library(opened: OpenDesktop, qtbot: QtBot) -> None:
    desktop, page, run_id = opened.desktop, opened.desktop.library.run_page, CHANGED.run_id
    (mark,) = marks_of(opened, run_id)
    desktop.open_run(run_id)
    opened.wait_for(lambda: page.run_id == run_id)

    def labels() -> list[str]:
        return [event.label for event in marks_of(opened, run_id)]

    page.mark_changed.emit(mark.number, "Switchover", None)
    opened.wait_for(lambda: labels() == ["Switchover"])
    opened.wait_for(lambda: desktop.background.is_idle)
    qtbot.keyClick(page.view.chart.chart.view, Qt.Key.Key_Z, _CTRL)
    opened.wait_for(lambda: labels() == ["Failover"])
    opened.wait_for(lambda: desktop.window.bar.text == "Undone: change of a mark.")
    assert not desktop.window.bar.action_button.isVisible()
    opened.wait_for(lambda: desktop.background.is_idle)
    page.mark_changed.emit(mark.number, "Switchover", None)
    opened.wait_for(lambda: labels() == ["Switchover"])
    opened.wait_for(lambda: desktop.background.is_idle)
    page.mark_removed.emit(mark.number)
    opened.wait_for(lambda: labels() == [])
    opened.wait_for(lambda: desktop.window.bar.text == "Mark removed.")
    qtbot.mouseClick(desktop.window.bar.action_button, Qt.MouseButton.LeftButton)
    opened.wait_for(lambda: labels() == ["Switchover"])
    opened.wait_for(lambda: desktop.background.is_idle)
    qtbot.keyClick(page.view.chart.chart.view, Qt.Key.Key_Z, _CTRL)
    opened.wait_for(lambda: labels() == ["Failover"])


def test_mark_moved_to_an_invalid_time_returns(opened: OpenDesktop, qtbot: QtBot) -> None:
    opened.desktop.open_run(MOVED.run_id)
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


def test_undo_restores_a_mark_in_its_own_run(opened: OpenDesktop, qtbot: QtBot) -> None:
    desktop, page = opened.desktop, opened.desktop.library.run_page
    other, run = (each.run_id for each in REMOVED)

    def kept() -> list[int]:
        return [len(marks_of(opened, run_id)) for run_id in (other, run)]

    desktop.open_run(run)
    opened.wait_for(lambda: page.run_id == run)
    page.mark_removed.emit(marks_of(opened, run)[0].number)
    opened.wait_for(lambda: desktop.window.bar.text == "Mark removed.")
    assert kept() == [1, 0]
    qtbot.mouseClick(page.back_button, Qt.MouseButton.LeftButton)
    desktop.open_run(other)
    opened.wait_for(lambda: page.run_id == other)
    qtbot.mouseClick(desktop.window.bar.action_button, Qt.MouseButton.LeftButton)
    opened.wait_for(lambda: kept() == [1, 1])


def test_mark_key_without_a_run_shows_a_message(opened: OpenDesktop, qtbot: QtBot) -> None:
    opened.desktop.show_new_run()
    for key, modifiers in ((Qt.Key.Key_F9, Qt.KeyboardModifier.NoModifier), (Qt.Key.Key_N, _CTRL)):
        qtbot.keyClick(opened.desktop.window, key, modifiers)
        opened.wait_for(lambda: opened.desktop.window.bar.text == "No run in progress; nothing was marked.")
        qtbot.mouseClick(opened.desktop.window.bar, Qt.MouseButton.LeftButton)
    assert opened.desktop.window.place == Place.NEW_RUN
    assert not opened.desktop.window.status.question.isVisible()
