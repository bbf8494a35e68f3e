"""The window in which the kinds of marks are changed, by keys and clicks."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QComboBox, QKeySequenceEdit, QLabel, QLineEdit, QPushButton, QToolButton
from pytestqt.qtbot import QtBot

from tests.widgets.accessibility import nameless_controls
from widgets.live.mark_kinds import DEFAULT_MARK_KINDS, MarkKind
from widgets.live.mark_kinds_editor import MarkKindsEditor
from widgets.parts.look import Look

KINDS = [MarkKind(label="Enclosure pulled", key="F9"), MarkKind(label="Note", key="Ctrl+N", asks_text=True)]


@pytest.fixture
def editor(qtbot: QtBot) -> MarkKindsEditor:
    editor = MarkKindsEditor(Look(), KINDS)
    qtbot.addWidget(editor)
    editor.show()
    return editor


def button(editor: MarkKindsEditor, text: str) -> QPushButton:
    return next(each for each in editor.findChildren(QPushButton) if each.text() == text)


def field(editor: MarkKindsEditor, name: str) -> QLineEdit:
    return next(each for each in editor.findChildren(QLineEdit) if each.accessibleName() == name)


def shows(editor: MarkKindsEditor, text: str) -> bool:
    return any(text in label.text() for label in editor.findChildren(QLabel))


def test_editor_shows_kinds_and_is_not_modal(editor: MarkKindsEditor) -> None:
    assert editor.kinds() == KINDS
    assert not editor.isModal()
    assert nameless_controls(editor) == []


def test_a_kind_is_added_by_keys_and_saved(qtbot: QtBot, editor: MarkKindsEditor) -> None:
    qtbot.mouseClick(button(editor, "Add a kind"), Qt.MouseButton.LeftButton)
    assert shows(editor, "has no name")
    assert not button(editor, "Save").isEnabled()
    qtbot.keyClicks(field(editor, "Name of the mark new kind"), "Switch off")
    key = next(each for each in editor.findChildren(QKeySequenceEdit) if each.accessibleName() == "Key of Switch off")
    qtbot.keyClick(key, Qt.Key.Key_F6)
    qtbot.waitUntil(button(editor, "Save").isEnabled)
    with qtbot.waitSignal(editor.kinds_changed) as saved:
        qtbot.mouseClick(button(editor, "Save"), Qt.MouseButton.LeftButton)
    assert saved.args == [[*KINDS, MarkKind(label="Switch off", key="F6")]]
    assert not editor.isVisible()


def test_duplicate_key_is_reported_and_not_saved(qtbot: QtBot, editor: MarkKindsEditor) -> None:
    key = next(each for each in editor.findChildren(QKeySequenceEdit) if each.accessibleName() == "Key of Note")
    key.clear()
    qtbot.keyClick(key, Qt.Key.Key_F9)
    assert shows(editor, "F9 is the key of Enclosure pulled and of Note; change one of them.")
    assert not button(editor, "Save").isEnabled()


def test_a_kind_is_removed_and_renamed(qtbot: QtBot, editor: MarkKindsEditor) -> None:
    remove = next(each for each in editor.findChildren(QToolButton) if each.accessibleName() == "Remove Note")
    qtbot.mouseClick(remove, Qt.MouseButton.LeftButton)
    name = field(editor, "Name of the mark Enclosure pulled")
    name.selectAll()
    qtbot.keyClicks(name, "Shelf pulled")
    assert editor.kinds() == [MarkKind(label="Shelf pulled", key="F9")]


def test_mark_kind_can_ask_for_text(qtbot: QtBot, editor: MarkKindsEditor) -> None:
    box = next(
        each for each in editor.findChildren(QCheckBox) if each.accessibleName() == "Enclosure pulled asks for a text"
    )
    box.setFocus()
    qtbot.keyClick(box, Qt.Key.Key_Space)
    assert editor.kinds()[0].asks_text


def test_mark_kind_can_begin_or_end_a_fault(qtbot: QtBot, editor: MarkKindsEditor) -> None:
    box = next(
        each for each in editor.findChildren(QComboBox) if each.accessibleName() == "What Enclosure pulled means"
    )
    expected = []
    for _ in range(3):
        expected.append((box.currentText(), editor.kinds()[0].is_fault, editor.kinds()[0].ends_fault))
        qtbot.keyClick(box, Qt.Key.Key_Down)
    assert expected == [("a moment", False, False), ("a fault", True, False), ("the end of a fault", False, True)]


def test_defaults_are_restored(qtbot: QtBot, editor: MarkKindsEditor) -> None:
    qtbot.mouseClick(button(editor, "Defaults"), Qt.MouseButton.LeftButton)
    assert editor.kinds() == list(DEFAULT_MARK_KINDS)


def test_cancel_changes_nothing(qtbot: QtBot, editor: MarkKindsEditor) -> None:
    with qtbot.assertNotEmitted(editor.kinds_changed):
        qtbot.mouseClick(button(editor, "Cancel"), Qt.MouseButton.LeftButton)
    assert not editor.isVisible()
