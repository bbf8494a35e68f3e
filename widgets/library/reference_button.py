"""The button that adds published results to a comparison: a check box for each of the runs' workload, and an entry to
manage them.
"""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QPushButton, QWidget

from engine.analysis.comparing.references import Reference
from engine.workload.registry import DVD_STORE, find_workload
from widgets.parts.multi_select_menu import MultiSelectMenu


class ReferenceButton(QPushButton):
    """Emits ``changed`` when the choice changes, and ``manage_requested``."""

    changed = Signal()
    manage_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Published results", parent)
        self._references: dict[str, Reference] = {}
        self._menu = MultiSelectMenu(self)
        self._menu.setToolTipsVisible(True)
        self._menu.triggered.connect(self._on_triggered)
        self.setMenu(self._menu)
        self._workload = DVD_STORE
        self.offer(())

    @property
    def chosen(self) -> list[Reference]:
        """The ticked results of the runs' workload, in the order of the menu."""
        ticked = [self._references[action.data()] for action in self._menu.actions() if action.isChecked()]
        return [each for each in ticked if each.workload == self._workload]

    def offer(self, references: Sequence[Reference]) -> None:
        """Offer these results; ticked ones stay ticked. A result without a total can't be compared with runs."""
        ticked = {action.data() for action in self._menu.actions() if action.isChecked()}
        self._references = {each.name: each for each in references if each.total_headline_rate is not None}
        self._menu.clear()
        for name, reference in self._references.items():
            action = QAction(name.replace("&", "&&"), self._menu, checkable=True, checked=name in ticked)
            action.setData(name)
            action.setToolTip(reference.source)
            self._menu.addAction(action)
        self._menu.addSeparator()
        self.manage_action = self._menu.addAction("Your own…")
        self.show_workload(self._workload)

    def show_workload(self, workload: str) -> None:
        """The runs are of this workload, by its id: only results of the same are offered."""
        self._workload = workload
        for action in self._menu.actions():
            if action.isCheckable():
                action.setVisible(self._references[action.data()].workload == workload)
        none = f"There are no published results of {find_workload(workload).title}; add your own"
        has_any = any(each.workload == workload for each in self._references.values())
        self.setToolTip("Compare the runs with published results" if has_any else none)

    def choose(self, names: Sequence[str]) -> None:
        """Tick these and no others."""
        for action in self._menu.actions():
            action.setChecked(action.data() in names)
        self.changed.emit()

    def _on_triggered(self, action: QAction) -> None:
        if action is self.manage_action:
            self.manage_requested.emit()
        else:
            self.changed.emit()
