"""A run's note, written in several lines."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialogButtonBox
from pytestqt.qtbot import QtBot

from tests.widgets.accessibility import nameless_controls
from tests.widgets.library.runs import a_listing
from widgets.library.note_dialog import NoteDialog

RUN = a_listing(note="first line")


@pytest.fixture
def dialog(qtbot: QtBot) -> NoteDialog:
    dialog = NoteDialog(RUN)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)
    qtbot.addWidget(dialog)
    dialog.open()
    return dialog


def accept(dialog: NoteDialog, qtbot: QtBot) -> None:
    qtbot.mouseClick(dialog.findChild(QDialogButtonBox).buttons()[0], Qt.MouseButton.LeftButton)


def test_changed_note_is_emitted(dialog: NoteDialog, qtbot: QtBot) -> None:
    qtbot.keyClick(dialog.text, Qt.Key.Key_End)
    qtbot.keyClick(dialog.text, Qt.Key.Key_Return)
    qtbot.keyClicks(dialog.text, "second ")
    with qtbot.waitSignal(dialog.note_requested) as signal:
        accept(dialog, qtbot)
    assert signal.args == [RUN.run_id, "first line\nsecond"]


def test_unchanged_note_is_not_emitted(dialog: NoteDialog, qtbot: QtBot) -> None:
    with qtbot.assertNotEmitted(dialog.note_requested):
        accept(dialog, qtbot)
        assert dialog.isHidden()


def test_every_control_has_a_name(dialog: NoteDialog) -> None:
    assert nameless_controls(dialog) == []
