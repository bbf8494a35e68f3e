"""What can be done with how many runs, and what is said about it."""

import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from widgets.library.library_actions import LibraryActions, RunAction, selection_text


@pytest.mark.parametrize(
    ("selected", "possible"),
    [
        (0, {RunAction.IMPORT}),
        (
            1,
            {
                RunAction.OPEN,
                RunAction.RENAME,
                RunAction.TAG,
                RunAction.NOTE,
                RunAction.DUPLICATE,
                RunAction.REPORT,
                RunAction.IMPORT,
                RunAction.DELETE,
            },
        ),
        (2, {RunAction.COMPARE, RunAction.TAG, RunAction.REPORT, RunAction.IMPORT, RunAction.DELETE}),
        (8, {RunAction.COMPARE, RunAction.TAG, RunAction.REPORT, RunAction.IMPORT, RunAction.DELETE}),
        (9, {RunAction.TAG, RunAction.REPORT, RunAction.IMPORT, RunAction.DELETE}),
    ],
)
def test_what_can_be_done_depends_on_how_many_are_selected(
    selected: int, possible: set[RunAction], qtbot: QtBot
) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    actions = LibraryActions(parent)
    actions.allow(selected)
    assert {do for do in RunAction if actions[do].isEnabled()} == possible


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
