"""What can be done with how many runs, and what is said about it."""

import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from widgets.library.library_actions import Do, LibraryActions, selection_text


@pytest.mark.parametrize(
    ("selected", "possible"),
    [
        (0, {Do.IMPORT}),
        (1, {Do.OPEN, Do.RENAME, Do.TAG, Do.NOTE, Do.DUPLICATE, Do.REPORT, Do.IMPORT, Do.DELETE}),
        (2, {Do.COMPARE, Do.TAG, Do.REPORT, Do.IMPORT, Do.DELETE}),
        (8, {Do.COMPARE, Do.TAG, Do.REPORT, Do.IMPORT, Do.DELETE}),
        (9, {Do.TAG, Do.REPORT, Do.IMPORT, Do.DELETE}),
    ],
)
def test_what_can_be_done_depends_on_how_many_are_selected(selected: int, possible: set[Do], qtbot: QtBot) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    actions = LibraryActions(parent)
    actions.allow(selected)
    assert {do for do in Do if actions[do].isEnabled()} == possible


@pytest.mark.parametrize(
    ("selected", "shown", "kept", "text"),
    [
        (0, 1, 1, "1 run"),
        (0, 12, 340, "12 of 340 runs"),
        (1, 3, 3, "3 runs, 1 selected; compare takes 2 to 8"),
        (2, 3, 3, "3 runs, 2 selected"),
        (9, 30, 30, "30 runs, 9 selected; compare takes at most 8"),
    ],
)
def test_it_is_said_why_runs_can_not_be_compared(selected: int, shown: int, kept: int, text: str) -> None:
    assert selection_text(selected, shown, kept) == text
