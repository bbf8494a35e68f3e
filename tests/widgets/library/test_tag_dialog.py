"""The question which tags runs have."""

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from tests.widgets.accessibility import nameless_controls
from tests.widgets.library.runs import a_listing
from widgets.library.tag_dialog import TagDialog

RUNS = [a_listing(1, tags=("nightly", "raid")), a_listing(2, tags=("nightly",))]
IDS = [run.run_id for run in RUNS]
TAGS = ["alone", "nightly", "raid"]
Check = Qt.CheckState


@pytest.fixture
def dialog(qtbot: QtBot) -> TagDialog:
    dialog = TagDialog(RUNS, TAGS)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)
    qtbot.addWidget(dialog)
    dialog.open()
    return dialog


def test_tags_of_some_runs_are_partially_checked(dialog: TagDialog) -> None:
    states = [dialog.boxes.item(row).checkState() for row in range(3)]
    assert states == [Check.Unchecked, Check.Checked, Check.PartiallyChecked]


def test_typed_and_checked_tags_are_added_and_unchecked_ones_removed(dialog: TagDialog, qtbot: QtBot) -> None:
    dialog.boxes.setCurrentRow(0)
    qtbot.keyClick(dialog.boxes, Qt.Key.Key_Space)
    dialog.boxes.setCurrentRow(1)
    qtbot.keyClick(dialog.boxes, Qt.Key.Key_Space)
    qtbot.keyClicks(dialog.new_tags, " patched,, patched ,raid")
    with qtbot.waitSignal(dialog.tags_requested) as signal:
        qtbot.keyClick(dialog.new_tags, Qt.Key.Key_Return)
    assert signal.args == [IDS, ["alone", "patched", "raid"], ["nightly"]]
    assert dialog.isHidden()


def test_unchanged_tags_are_not_emitted(dialog: TagDialog, qtbot: QtBot) -> None:
    with qtbot.assertNotEmitted(dialog.tags_requested):
        qtbot.keyClick(dialog.new_tags, Qt.Key.Key_Return)
        assert dialog.isHidden()


def test_escape_changes_nothing(dialog: TagDialog, qtbot: QtBot) -> None:
    qtbot.keyClicks(dialog.new_tags, "patched")
    with qtbot.assertNotEmitted(dialog.tags_requested):
        qtbot.keyClick(dialog, Qt.Key.Key_Escape)
        assert dialog.isHidden()


def test_every_control_has_a_name(dialog: TagDialog) -> None:
    assert nameless_controls(dialog) == []
