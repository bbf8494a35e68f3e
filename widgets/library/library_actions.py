"""The actions on selected runs: the same on buttons, in the context menu and as shortcuts."""

from enum import StrEnum

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QWidget

from engine.analysis.comparing.comparison import LEAST_RUNS, MOST_RUNS


class RunAction(StrEnum):
    """An action; the value is its text."""

    OPEN = "Open"
    COMPARE = "Compare"
    RENAME = "Rename"
    TAG = "Tag…"
    NOTE = "Note…"
    DUPLICATE = "Duplicate as new plan"
    REPORT = "Report…"
    IMPORT = "Import…"
    DELETE = "Delete"


_SHORTCUTS = {
    RunAction.RENAME: "F2",
    RunAction.COMPARE: "Ctrl+Shift+C",
    RunAction.TAG: "Ctrl+T",
    RunAction.NOTE: "Ctrl+E",
    RunAction.DUPLICATE: "Ctrl+D",
    RunAction.REPORT: "Ctrl+R",
    RunAction.DELETE: "Del",
}
_ON_BUTTON = {RunAction.DUPLICATE: "Duplicate"}
"""Shorter than in the menu, where there is no room."""

_OF_ONE = (RunAction.OPEN, RunAction.RENAME, RunAction.NOTE, RunAction.DUPLICATE)
_OF_ANY = (RunAction.TAG, RunAction.REPORT, RunAction.DELETE)


class LibraryActions:
    """The ``QAction`` of each ``RunAction``, owned by ``parent``, in whose widgets their shortcuts work."""

    def __init__(self, parent: QWidget) -> None:
        self._actions = {do: _action(do, parent) for do in RunAction}
        self.allow(0)

    def __getitem__(self, do: RunAction) -> QAction:
        return self._actions[do]

    def allow(self, selected: int) -> None:
        """Enable the actions for this number of selected runs."""
        for do in _OF_ONE:
            self._actions[do].setEnabled(selected == 1)
        for do in _OF_ANY:
            self._actions[do].setEnabled(selected > 0)
        self._actions[RunAction.COMPARE].setEnabled(LEAST_RUNS <= selected <= MOST_RUNS)


def selection_text(selected: int, shown: int, kept: int) -> str:
    """How many runs are listed and selected, and why they can't be compared."""
    listed = f"{kept} run{'' if kept == 1 else 's'}" if shown == kept else f"{shown} of {kept} runs"
    if not selected:
        return listed
    if selected < LEAST_RUNS:
        return f"{listed}, {selected} selected; compare takes {LEAST_RUNS} to {MOST_RUNS}"
    if selected > MOST_RUNS:
        return f"{listed}, {selected} selected; compare takes at most {MOST_RUNS}"
    return f"{listed}, {selected} selected"


def _action(do: RunAction, parent: QWidget) -> QAction:
    action = QAction(do.value, parent)
    action.setIconText(_ON_BUTTON.get(do, do.value))
    if do in _SHORTCUTS:
        keys = QKeySequence(_SHORTCUTS[do])
        action.setShortcut(keys)
        action.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        action.setToolTip(f"{do.value.rstrip('…')} ({keys.toString(QKeySequence.SequenceFormat.NativeText)})")
    parent.addAction(action)
    return action
