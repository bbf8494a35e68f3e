"""Marks by key and by button; their time is that of the key press."""

import time

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLineEdit, QPushButton, QToolButton, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from tests.widgets.accessibility import nameless_controls
from widgets.live.mark_kinds import DEFAULT_MARK_KINDS, MarkKind
from widgets.live.mark_kinds_editor import MarkKindsEditor
from widgets.live.marker_bar import MarkerBar
from widgets.parts.look import Look


class Window(QWidget):
    """The bar below another field that has the focus, as on a page."""

    def __init__(self) -> None:
        super().__init__()
        self.other = QLineEdit()
        self.bar = MarkerBar(Look(), DEFAULT_MARK_KINDS)
        layout = QVBoxLayout(self)
        layout.addWidget(self.other)
        layout.addWidget(self.bar)


@pytest.fixture
def window(qtbot: QtBot) -> Window:
    window = Window()
    qtbot.addWidget(window)
    window.resize(1180, 200)
    with qtbot.waitActive(window):
        window.show()
        window.activateWindow()
    window.other.setFocus()
    return window


def note_of(window: Window) -> QLineEdit:
    return window.bar.findChildren(QLineEdit)[0]


def press(window: Window, text: str) -> QPushButton:
    return next(each for each in window.bar.findChildren(QPushButton) if each.text().startswith(text))


@pytest.mark.parametrize(
    ("key", "label"),
    [
        (Qt.Key.Key_F9, "Enclosure pulled"),
        (Qt.Key.Key_F10, "Failover"),
        (Qt.Key.Key_F11, "Network cut"),
        (Qt.Key.Key_F7, "Disk pulled"),
        (Qt.Key.Key_F8, "Power cut"),
        (Qt.Key.Key_F12, "Restored"),
    ],
)
def test_a_key_sets_its_mark_wherever_the_focus_is(qtbot: QtBot, window: Window, key: Qt.Key, label: str) -> None:
    before = time.monotonic()
    with qtbot.waitSignal(window.bar.mark_wished) as wished:
        qtbot.keyClick(window.other, key)
    assert wished.args is not None
    said, at_monotonic, kind = wished.args
    assert (said, kind.label) == (label, label)
    assert kind.is_fault is (label != "Restored")
    assert kind.ends_fault is (label == "Restored")
    assert before <= at_monotonic <= time.monotonic()


def test_a_buttons_mark_has_the_time_at_which_it_was_pressed_down(qtbot: QtBot, window: Window) -> None:
    button = press(window, "Failover")
    assert button.text() == "Failover  F10"
    qtbot.mousePress(button, Qt.MouseButton.LeftButton)
    released = time.monotonic()
    with qtbot.waitSignal(window.bar.mark_wished) as wished:
        qtbot.mouseRelease(button, Qt.MouseButton.LeftButton)
    assert wished.args is not None
    assert wished.args[0] == "Failover"
    assert wished.args[1] <= released


def test_a_note_has_the_time_of_its_key_not_of_its_text(qtbot: QtBot, window: Window) -> None:
    qtbot.keyClick(window.other, Qt.Key.Key_N, Qt.KeyboardModifier.ControlModifier)
    pressed = time.monotonic()
    note = note_of(window)
    assert note.isVisible()
    assert QApplication.focusWidget() is note
    qtbot.keyClicks(note, " fan swapped ")
    with qtbot.waitSignal(window.bar.mark_wished) as wished:
        qtbot.keyClick(note, Qt.Key.Key_Return)
    assert wished.args is not None
    assert (wished.args[0], wished.args[2].label) == ("fan swapped", "Note")
    assert wished.args[1] <= pressed
    assert not note.isVisible()
    assert QApplication.focusWidget() is window.other


def test_a_note_without_a_text_says_what_it_is(qtbot: QtBot, window: Window) -> None:
    qtbot.keyClick(window.other, Qt.Key.Key_N, Qt.KeyboardModifier.ControlModifier)
    with qtbot.waitSignal(window.bar.mark_wished) as wished:
        qtbot.keyClick(note_of(window), Qt.Key.Key_Return)
    assert wished.args is not None
    assert wished.args[0] == "Note"


def test_escape_forgets_a_note(qtbot: QtBot, window: Window) -> None:
    qtbot.keyClick(window.other, Qt.Key.Key_N, Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClicks(note_of(window), "fan")
    with qtbot.assertNotEmitted(window.bar.mark_wished):
        qtbot.keyClick(note_of(window), Qt.Key.Key_Escape)
    assert not note_of(window).isVisible()


def test_a_second_note_takes_the_first_with_its_own_time(qtbot: QtBot, window: Window) -> None:
    qtbot.keyClick(window.other, Qt.Key.Key_N, Qt.KeyboardModifier.ControlModifier)
    first = time.monotonic()
    qtbot.keyClicks(note_of(window), "fan")
    with qtbot.waitSignal(window.bar.mark_wished) as wished:
        qtbot.keyClick(note_of(window), Qt.Key.Key_N, Qt.KeyboardModifier.ControlModifier)
    assert wished.args is not None
    assert wished.args[0] == "fan"
    assert wished.args[1] <= first
    assert note_of(window).text() == ""


def test_a_mark_can_be_set_while_a_note_is_written(qtbot: QtBot, window: Window) -> None:
    qtbot.keyClick(window.other, Qt.Key.Key_N, Qt.KeyboardModifier.ControlModifier)
    with qtbot.waitSignal(window.bar.mark_wished) as wished:
        qtbot.keyClick(note_of(window), Qt.Key.Key_F9)
    assert wished.args is not None
    assert wished.args[0] == "Enclosure pulled"
    assert note_of(window).isVisible()


def test_the_last_mark_is_undone_by_key_and_button(qtbot: QtBot, window: Window) -> None:
    undo = press(window, "Undo mark")
    assert not undo.isEnabled()
    window.bar.setFocus()
    with qtbot.assertNotEmitted(window.bar.undo_wished):
        qtbot.keyClick(window.bar, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    window.bar.set_undoable("Failover")
    assert "Failover" in undo.toolTip()
    with qtbot.waitSignal(window.bar.undo_wished):
        qtbot.keyClick(window.bar, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    with qtbot.waitSignal(window.bar.undo_wished):
        qtbot.mouseClick(undo, Qt.MouseButton.LeftButton)


def test_other_kinds_have_their_own_keys_and_the_old_ones_none(qtbot: QtBot, window: Window) -> None:
    window.bar.set_kinds([MarkKind(label="Switch off", key="F6")])
    qtbot.waitUntil(press(window, "Switch off").isVisible)
    with qtbot.waitSignal(window.bar.mark_wished) as wished:
        qtbot.keyClick(window.other, Qt.Key.Key_F6)
    assert wished.args is not None
    assert wished.args[0] == "Switch off"
    qtbot.waitUntil(lambda: all("F9" not in each.text() for each in window.bar.findChildren(QPushButton)))
    with qtbot.assertNotEmitted(window.bar.mark_wished):
        qtbot.keyClick(window.other, Qt.Key.Key_F9)


def test_a_hidden_or_disabled_bar_sets_no_marks(qtbot: QtBot, window: Window) -> None:
    with qtbot.assertNotEmitted(window.bar.mark_wished):
        window.bar.setEnabled(False)
        qtbot.keyClick(window.other, Qt.Key.Key_F9)
        window.bar.setEnabled(True)
        window.bar.hide()
        qtbot.keyClick(window.other, Qt.Key.Key_F9)


def test_kinds_are_changed_in_their_window(qtbot: QtBot, window: Window) -> None:
    edit = window.bar.findChildren(QToolButton)[0]
    qtbot.mouseClick(edit, Qt.MouseButton.LeftButton)
    editor = window.bar.findChild(MarkKindsEditor)
    assert editor is not None
    with qtbot.waitSignal(window.bar.kinds_changed) as changed:
        editor.kinds_changed.emit([MarkKind(label="Switch off", key="F6")])
    assert changed.args == [[MarkKind(label="Switch off", key="F6")]]
    assert window.bar.kinds == [MarkKind(label="Switch off", key="F6")]
    editor.reject()
    qtbot.waitUntil(lambda: window.bar.findChild(MarkKindsEditor) is None)


def test_every_control_has_a_name(window: Window) -> None:
    assert nameless_controls(window.bar) == []


def test_many_kinds_go_on_in_a_second_row(qtbot: QtBot, window: Window) -> None:
    kinds = [MarkKind(label=f"Something happened {number}", key=f"Ctrl+F{number}") for number in range(1, 13)]
    window.bar.set_kinds(kinds)
    window.layout().activate()
    buttons = [each for each in window.bar.findChildren(QPushButton) if each.text().startswith("Something")]
    qtbot.waitUntil(lambda: len({each.y() for each in buttons}) > 1)
    assert all(each.geometry().right() < window.bar.width() for each in buttons)
    assert window.width() == 1180
