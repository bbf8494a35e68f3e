"""A list of numbered rows, one of which is edited beside it; invalid ones have a warning."""

from collections.abc import Collection, Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QWidget

from widgets.parts.icons import icon
from widgets.parts.look import Look


class NumberedList(QListWidget):
    """``chosen`` carries the index of the row that the user wants to edit."""

    chosen = Signal(int)

    def __init__(self, look: Look, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._warning = icon("warning", look)
        self.setAccessibleName(name)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        height = self.fontMetrics().height()
        self.setIconSize(QSize(height, height))
        self.currentRowChanged.connect(self._emit_chosen)
        look.changed.connect(self.viewport().update)

    def show_rows(self, titles: Sequence[str], current: int, wrong: Collection[int]) -> None:
        """Show a row for each title; ``current`` is the index of the edited one. ``chosen`` is not emitted."""
        self.blockSignals(True)
        while self.count() > len(titles):
            self.takeItem(self.count() - 1)
        while self.count() < len(titles):
            self.addItem(QListWidgetItem())
        for number, title in enumerate(titles):
            item, text = self.item(number), f"{number + 1}  {title}"
            item.setText(text)
            item.setToolTip(text)
            item.setIcon(self._warning if number in wrong else QIcon())
            item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{text}, has errors" if number in wrong else text)
        self.setCurrentRow(current)
        self.blockSignals(False)

    def _emit_chosen(self, row: int) -> None:
        if row >= 0:
            self.chosen.emit(row)
