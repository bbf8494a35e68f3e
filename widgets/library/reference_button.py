"""The button that adds published results to a comparison: a check box for each, and an entry to manage them."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QPushButton, QWidget

from engine.analysis.comparing.references import Reference
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
        self.setToolTip("Compare the runs with published results")
        self.offer(())

    @property
    def chosen(self) -> list[Reference]:
        """The ticked results, in the order of the menu."""
        return [self._references[action.data()] for action in self._menu.actions() if action.isChecked()]

    def offer(self, references: Sequence[Reference]) -> None:
        """Offer these results; ticked ones stay ticked. A result without a total OPM can't be compared with runs."""
        ticked = {reference.name for reference in self.chosen}
        self._references = {each.name: each for each in references if each.total_headline_rate is not None}
        self._menu.clear()
        for name, reference in self._references.items():
            action = QAction(name.replace("&", "&&"), self._menu, checkable=True, checked=name in ticked)
            action.setData(name)
            action.setToolTip(reference.source)
            self._menu.addAction(action)
        self._menu.addSeparator()
        self.manage_action = self._menu.addAction("Your own…")

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
