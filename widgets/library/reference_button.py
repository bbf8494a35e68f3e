"""The button that adds published results to a comparison: a check box for each, and an entry to manage them."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QPushButton, QWidget

from engine.analysis.comparing.references import PUBLISHED_WORKLOAD, Reference
from engine.workload.registry import find_workload
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
        self.show_workload(PUBLISHED_WORKLOAD)
        self.offer(())

    @property
    def chosen(self) -> list[Reference]:
        """The ticked results, in the order of the menu; none for runs of another workload than theirs."""
        if self._workload != PUBLISHED_WORKLOAD:
            return []
        return [self._references[action.data()] for action in self._menu.actions() if action.isChecked()]

    def offer(self, references: Sequence[Reference]) -> None:
        """Offer these results; ticked ones stay ticked. A result without a total OPM can't be compared with runs."""
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
        """The runs are of this workload, by its id."""
        self._workload = workload
        title = find_workload(PUBLISHED_WORKLOAD).title
        of_another = f"Published results are of {title}; these runs can't be compared with them"
        self.setToolTip("Compare the runs with published results" if workload == PUBLISHED_WORKLOAD else of_another)
        for action in self._menu.actions():
            if action.isCheckable():
                action.setEnabled(workload == PUBLISHED_WORKLOAD)

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
