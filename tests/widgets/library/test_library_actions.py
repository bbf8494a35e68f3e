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
def test_actions_depend_on_the_number_of_selected_runs(selected: int, possible: set[RunAction], qtbot: QtBot) -> None:
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
def test_disabled_compare_action_has_a_reason(selected: int, shown: int, kept: int, text: str) -> None:
    assert selection_text(selected, shown, kept) == text
