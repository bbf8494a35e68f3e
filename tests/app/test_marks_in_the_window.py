"""Marks as the user handles them in a run that goes on."""

import re
import time
from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QKeySequenceEdit
from pytestqt.qtbot import QtBot

from app.window.main_window import Place
from engine.faults.marks import is_mark
from engine.lab.server import EmbeddedServer
from engine.telemetry.event import RunEvent
from tests.app.window_parts import OpenDesktop, shared_desktop
from widgets.live.mark_kinds import DEFAULT_MARK_KINDS, MarkKind
from widgets.live.mark_kinds_editor import MarkKindsEditor

_CTRL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture(scope="module")
def shared(
    qapp: QApplication,
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    built_store: str,
    embedded_server: EmbeddedServer,
) -> Iterator[OpenDesktop]:
    """A window with a run that measures; the tests share both."""
    home = tmp_path_factory.mktemp("marks") / "home"
    with pytest.MonkeyPatch.context() as patch, shared_desktop(qapp, request, home) as opened:
        patch.setenv("SPINDLE_PASSWORD", embedded_server.secret.reveal())
        opened.measure(built_store)
        yield opened


@pytest.fixture
def opened(shared: OpenDesktop) -> Iterator[OpenDesktop]:
    """The same on the run's page, without marks or any change of them to undo, and with the usual keys."""
    desktop, page = shared.desktop, shared.desktop.live.widget
    desktop.show_live()
    shared.activate()
    yield shared
    while marks := marks_of(shared):
        page.undo_mark_requested.emit()
        shared.wait_for(lambda marks=marks: marks_of(shared) != marks)
    page.markers.set_kinds(DEFAULT_MARK_KINDS)
    page.markers.kinds_changed.emit(DEFAULT_MARK_KINDS)
    desktop.library.page.filters.clear()
    shared.close_messages()
    shared.qtbot.wait(1)  # what was replaced goes late


def marks_of(opened: OpenDesktop) -> list[RunEvent]:
    data = opened.desktop.live_run.data
    assert data is not None
    return [event for event in data.sorted_events() if is_mark(event.kind, by_hand=event.by_hand)]


def test_a_mark_is_set_renamed_moved_and_taken_back_while_the_run_goes_on(opened: OpenDesktop, qtbot: QtBot) -> None:
    desktop = opened.desktop
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


def test_mark_key_on_another_page_sets_and_confirms_the_mark(opened: OpenDesktop, qtbot: QtBot) -> None:
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


def test_mark_key_on_the_run_page_shows_no_message(opened: OpenDesktop, qtbot: QtBot) -> None:
    qtbot.keyClick(opened.desktop.live.widget.view.table.view, Qt.Key.Key_F9)
    opened.wait_for(lambda: [mark.label for mark in marks_of(opened)] == ["Enclosure pulled"])
    assert "Marked" not in opened.desktop.window.bar.text


def test_note_text_is_asked_on_the_current_page(opened: OpenDesktop, qtbot: QtBot) -> None:
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


def test_changed_mark_kinds_replace_the_old_keys(opened: OpenDesktop, qtbot: QtBot) -> None:
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
    opened.wait_for(lambda: field.keySequence().toString() == "F10")
    assert opened.desktop.window.bar.text == ""
    editor.reject()


def test_text_fields_receive_their_own_keys(opened: OpenDesktop, qtbot: QtBot) -> None:
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
