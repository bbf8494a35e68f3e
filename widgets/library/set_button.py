"""The button for run sets: actions on the selected runs and their sets."""

import re
from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QPushButton, QWidget

from engine.report.run_listing import RunListing
from engine.report.sets.listing import SetListing
from widgets.library.set_dialogs import NewSetDialog, RenameSetDialog
from widgets.parts.look import Look

_NUMBER = re.compile(r"(?:,? run)?[\s#]+\d+(?:\s*(?:/|of)\s*\d+)?$")  # matches "X #2", "X 2", "X, run 2", "X, run 2/3"


class SetButton(QPushButton):
    """Signals carry the names of sets and the ids of runs; ``configuration_requested`` carries the selected runs."""

    create_requested = Signal(str, list)
    add_requested = Signal(str, list)
    remove_requested = Signal(str, list)
    rename_requested = Signal(str, str)
    dissolve_requested = Signal(str)
    configuration_requested = Signal(list)
    select_runs_requested = Signal(list)

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__("Run set", parent)
        self._look = look
        self._runs: list[RunListing] = []
        self._sets: dict[str, SetListing] = {}
        self._menu = QMenu("Run set", self)
        self.make_action = self._action("Make a set…", self._on_make)
        self.add_menu = self._menu.addMenu("Add to")
        self.take_out_action = self._action("Remove from its set", self._on_take_out)
        self._menu.addSeparator()
        self.select_action = self._action("Select its runs", self._on_select)
        self.rename_action = self._action("Rename the set…", self._on_rename)
        self.configuration_action = self._action("Measured on…", self._on_configuration)
        self.dissolve_action = self._action("Dissolve the set", self._on_dissolve)
        self.add_menu.triggered.connect(self._on_add)
        self.setMenu(self._menu)
        self.setToolTip("Several runs of one plan as one result, represented by their median run")
        self.show_selection((), ())

    @property
    def choices(self) -> QMenu:
        """The menu, also for context menus."""
        return self._menu

    def show_selection(self, runs: Sequence[RunListing], sets: Sequence[SetListing]) -> None:
        """Offer the actions on these runs; ``sets`` are all of the library."""
        self._runs = sorted(runs, key=lambda run: run.started_at)
        self._sets = {each.name: each for each in sets}
        free = any(not run.run_set for run in self._runs)
        one = self._one_set() is not None
        self.setEnabled(bool(self._runs))
        self.make_action.setEnabled(bool(self._runs) and not any(run.run_set for run in self._runs))
        self.take_out_action.setEnabled(any(run.run_set for run in self._runs))
        for action in (self.select_action, self.rename_action, self.dissolve_action):
            action.setEnabled(one)
        self.add_menu.clear()
        for name in self._sets:
            self.add_menu.addAction(name.replace("&", "&&")).setData(name)
        self.add_menu.setEnabled(free and bool(self._sets))

    def _action(self, text: str, slot: object) -> QAction:
        action = self._menu.addAction(text)
        action.triggered.connect(slot)
        return action

    def _one_set(self) -> SetListing | None:
        """The set of the selected runs, when all belong to the same one."""
        names = {run.run_set for run in self._runs} - {""}
        return self._sets.get(names.pop()) if len(names) == 1 else None

    def _on_make(self) -> None:
        dialog = NewSetDialog(
            [run.run_id for run in self._runs], _suggestion(self._runs), self._sets, self._look, self.window()
        )
        dialog.create_requested.connect(self.create_requested)
        dialog.open()

    def _on_add(self, action: QAction) -> None:
        self.add_requested.emit(action.data(), [run.run_id for run in self._runs if not run.run_set])

    def _on_take_out(self) -> None:
        for name in dict.fromkeys(run.run_set for run in self._runs if run.run_set):
            self.remove_requested.emit(name, [run.run_id for run in self._runs if run.run_set == name])

    def _on_select(self) -> None:
        if (one := self._one_set()) is not None:
            self.select_runs_requested.emit(list(one.run_ids))

    def _on_rename(self) -> None:
        if (one := self._one_set()) is None:
            return
        dialog = RenameSetDialog(one.name, self._sets, self._look, self.window())
        dialog.rename_requested.connect(self.rename_requested)
        dialog.open()

    def _on_configuration(self) -> None:
        self.configuration_requested.emit(self._runs)

    def _on_dissolve(self) -> None:
        if (one := self._one_set()) is not None:
            self.dissolve_requested.emit(one.name)


def _suggestion(runs: Sequence[RunListing]) -> str:
    """The common name of the runs, without the number at the end of each."""
    names = {run.name for run in runs}
    if len(names) > 1:
        names = {_NUMBER.sub("", name) for name in names}
    return names.pop() if len(names) == 1 else ""
