"""Marks by button; their time is that of the press."""

import time

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit, QPushButton, QToolButton, QVBoxLayout, QWidget
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


def press(window: Window, text: str) -> QPushButton:
    return next(each for each in window.bar.findChildren(QPushButton) if each.text().startswith(text))


@pytest.mark.parametrize(
    ("key", "label"),
    [
        ("F9", "Enclosure pulled"),
        ("F10", "Failover"),
        ("F11", "Network cut"),
        ("F7", "Disk pulled"),
        ("F8", "Power cut"),
        ("F12", "Restored"),
    ],
)
def test_button_shows_its_key_and_emits_its_kind(qtbot: QtBot, window: Window, key: str, label: str) -> None:
    button = press(window, label)
    assert button.text() == f"{label}  {key}"
    with qtbot.waitSignal(window.bar.mark_requested) as requested:
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert requested.args is not None
    kind, _ = requested.args
    assert kind.label == label
    assert kind.is_fault is (label != "Restored")
    assert kind.ends_fault is (label == "Restored")


def test_mark_time_is_that_of_the_button_press(qtbot: QtBot, window: Window) -> None:
    button = press(window, "Failover")
    assert button.text() == "Failover  F10"
    qtbot.mousePress(button, Qt.MouseButton.LeftButton)
    released = time.monotonic()
    with qtbot.waitSignal(window.bar.mark_requested) as requested:
        qtbot.mouseRelease(button, Qt.MouseButton.LeftButton)
    assert requested.args is not None
    assert requested.args[0].label == "Failover"
    assert requested.args[1] <= released


def test_the_last_mark_is_undone_by_its_button(qtbot: QtBot, window: Window) -> None:
    undo = press(window, "Undo mark")
    assert not undo.isEnabled()
    window.bar.set_undoable("Failover")
    assert "Failover" in undo.toolTip()
    with qtbot.waitSignal(window.bar.undo_requested):
        qtbot.mouseClick(undo, Qt.MouseButton.LeftButton)


def test_changed_kinds_replace_buttons(qtbot: QtBot, window: Window) -> None:
    window.bar.set_kinds([MarkKind(label="Switch off", key="F6")])
    qtbot.waitUntil(press(window, "Switch off").isVisible)
    qtbot.waitUntil(lambda: all("F9" not in each.text() for each in window.bar.findChildren(QPushButton)))


def test_kinds_editor_opens_from_the_bar(qtbot: QtBot, window: Window) -> None:
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


def test_many_kinds_wrap_to_a_second_row(qtbot: QtBot, window: Window) -> None:
    kinds = [MarkKind(label=f"Something happened {number}", key=f"Ctrl+F{number}") for number in range(1, 13)]
    window.bar.set_kinds(kinds)
    window.layout().activate()
    buttons = [each for each in window.bar.findChildren(QPushButton) if each.text().startswith("Something")]
    qtbot.waitUntil(lambda: len({each.y() for each in buttons}) > 1)
    assert all(each.geometry().right() < window.bar.width() for each in buttons)
    assert window.width() == 1180
