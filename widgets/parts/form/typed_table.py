"""A small editable table of texts, with an empty row at the end for the next entry.

Called by the forms of configurations and references. It holds what was typed, valid or not.
"""

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableWidget, QTableWidgetItem, QWidget

from widgets.parts.fonts import text_width
from widgets.parts.table.copying import copy_rows

_ROW_FACTOR = 1.5
_ROWS_SHOWN = 4
_PADDING = "000"


class TypedTable(QTableWidget):
    """Emits ``edited`` for edits of the user.

    Enter edits a cell, Del empties the selected ones, Ctrl+C copies their rows; an emptied row is removed.
    """

    edited = Signal()

    def __init__(
        self,
        name: str,
        columns: Sequence[str],
        *,
        numbers: Sequence[int] = (),
        widest: str = "000 000.00",
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(0, len(columns), parent)
        self._numbers = frozenset(numbers)
        self.setAccessibleName(name)
        self.setTabKeyNavigation(False)
        self.setEditTriggers(
            QAbstractItemView.EditTrigger.AnyKeyPressed
            | QAbstractItemView.EditTrigger.DoubleClicked
            | QAbstractItemView.EditTrigger.EditKeyPressed
            | QAbstractItemView.EditTrigger.SelectedClicked
        )
        self.verticalHeader().hide()
        height = round(self.fontMetrics().height() * _ROW_FACTOR)
        self.verticalHeader().setDefaultSectionSize(height)
        self.setMinimumHeight(height * (_ROWS_SHOWN + 1))
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        for column, title in enumerate(columns):
            header.resizeSection(column, text_width(self.font(), f"{title}{_PADDING}", f"{widest}{_PADDING}"))
            self.setHorizontalHeaderItem(column, self._aligned(title, column))
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.itemChanged.connect(self._on_changed)
        self.fill(())

    def fill(self, rows: Sequence[Sequence[str]]) -> None:
        """Show these rows, and an empty one below them."""
        with QSignalBlocker(self):
            self.setRowCount(0)
            for texts in rows:
                self._append(texts)
            self._append([""] * self.columnCount())

    def rows(self) -> list[tuple[str, ...]]:
        """The typed rows, without empty rows and surrounding spaces."""
        texts = [
            tuple(self._text(row, column) for column in range(self.columnCount())) for row in range(self.rowCount())
        ]
        return [row for row in texts if any(row)]

    def type_in(self, row: int, column: int, text: str) -> None:
        """Put a text into a cell as if it had been typed."""
        if (item := self.item(row, column)) is not None:
            item.setText(text)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        if event.matches(QKeySequence.StandardKey.Copy):
            copy_rows(self, sorted({item.row() for item in self.selectedItems()}))
        elif event.key() == Qt.Key.Key_Delete and self.selectedItems():
            for item in self.selectedItems():
                item.setText("")
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.edit(self.currentIndex())
        else:
            super().keyPressEvent(event)

    def _text(self, row: int, column: int) -> str:
        item = self.item(row, column)
        return "" if item is None else item.text().strip()

    def _append(self, texts: Sequence[str]) -> None:
        row = self.rowCount()
        self.insertRow(row)
        for column, text in enumerate(texts):
            self.setItem(row, column, self._aligned(text, column))

    def _aligned(self, text: str, column: int) -> QTableWidgetItem:
        item = QTableWidgetItem(text)
        side = Qt.AlignmentFlag.AlignRight if column in self._numbers else Qt.AlignmentFlag.AlignLeft
        item.setTextAlignment(side | Qt.AlignmentFlag.AlignVCenter)
        return item

    def _on_changed(self) -> None:
        with QSignalBlocker(self):
            self._leave_one_empty_row()
        self.edited.emit()

    def _leave_one_empty_row(self) -> None:
        last = self.rowCount() - 1
        for row in range(last - 1, -1, -1):
            if not any(self._text(row, column) for column in range(self.columnCount())) and row != self.currentRow():
                self.removeRow(row)
        last = self.rowCount() - 1
        if any(self._text(last, column) for column in range(self.columnCount())):
            self._append([""] * self.columnCount())
