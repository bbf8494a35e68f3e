"""The loads of a run, to choose the one that is edited below, with buttons that add and remove one.

Called by the load page, which handles the requests; as long as there is one load, only the button that adds is shown.
"""

from collections.abc import Collection, Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QHBoxLayout, QListWidget, QListWidgetItem, QPushButton, QVBoxLayout, QWidget

from widgets.parts.form.note import FormNote
from widgets.parts.icons import icon
from widgets.parts.look import Look

_MOST_ROWS = 4
_ALONE = "Another workload at the same time, under the same clock: a mixed run."
_SEVERAL = "All loads run at the same time, under one clock. The chosen one is edited below."


class LoadList(QWidget):
    """``chosen`` carries the index of the load to edit, 0 for the first."""

    chosen = Signal(int)
    add_requested = Signal()
    remove_requested = Signal()

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._warning = icon("warning", look)
        self.list = QListWidget(self)
        self.list.setAccessibleName("Loads")
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        height = self.fontMetrics().height()
        self.list.setIconSize(QSize(height, height))
        self.add = QPushButton(icon("add", look), "Add load", self)
        self.remove = QPushButton(icon("remove", look), "Remove load", self)
        self.note = FormNote(look, self)
        buttons = QHBoxLayout()
        buttons.addWidget(self.add)
        buttons.addWidget(self.remove)
        buttons.addWidget(self.note, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.list)
        layout.addLayout(buttons)
        self.list.currentRowChanged.connect(self._emit_chosen)
        self.add.clicked.connect(self.add_requested)
        self.remove.clicked.connect(self.remove_requested)
        look.changed.connect(self.list.viewport().update)

    def show_loads(self, titles: Sequence[str], current: int, wrong: Collection[int], error: str = "") -> None:
        """Show these loads, one of them being edited; invalid ones get a warning. ``error`` is about all of them."""
        self.list.blockSignals(True)
        while self.list.count() > len(titles):
            self.list.takeItem(self.list.count() - 1)
        while self.list.count() < len(titles):
            self.list.addItem(QListWidgetItem())
        for number, title in enumerate(titles):
            item, text = self.list.item(number), f"{number + 1}  {title}"
            item.setText(text)
            item.setToolTip(text)
            item.setIcon(self._warning if number in wrong else QIcon())
            item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{text}, has errors" if number in wrong else text)
        self.list.setCurrentRow(current)
        self.list.blockSignals(False)
        is_mixed = len(titles) > 1
        row = max(self.list.sizeHintForRow(0), self.fontMetrics().height())
        self.list.setFixedHeight(row * min(len(titles), _MOST_ROWS) + 2 * self.list.frameWidth() + 2)
        self.list.setVisible(is_mixed)
        self.remove.setVisible(is_mixed)
        self.remove.setEnabled(current > 0)
        self.remove.setToolTip("" if current else "The first load is the plan's own; remove one of the others.")
        if error:
            self.note.show_wrong(error)
        else:
            self.note.show_help(_SEVERAL if is_mixed else _ALONE)

    def _emit_chosen(self, row: int) -> None:
        if row >= 0:
            self.chosen.emit(row)
