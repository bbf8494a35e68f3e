"""The recovery figures of a fault that was repeated: a line for each, with its median, its worst, and every round's."""

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from engine.analysis.recovery_figures import Recovery
from engine.analysis.recovery_spread import recovery_spread
from engine.report.recovery_text import spread_rows
from widgets.parts.table_view import TableView

_Index = QModelIndex | QPersistentModelIndex
_Role = Qt.ItemDataRole
_NO_INDEX = QModelIndex()
_TITLES = ("Figure", "Median", "Worst")
_WIDEST_FIGURE, _WIDEST_VALUE = "Orders not taken, in baseline time", "not recovered"


class SpreadModel(QAbstractTableModel):
    """The lines of one fault's repetitions; without any it is empty."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: list[tuple[str, ...]] = []
        self._titles: tuple[str, ...] = ()

    def show_rounds(self, rounds: Sequence[Recovery]) -> None:
        self.beginResetModel()
        figures = spread_rows(recovery_spread(rounds)) if rounds else []
        self._rows = [(figure, median, worst, *each) for figure, median, worst, each in figures]
        self._titles = (*_TITLES, *(f"Round {number}" for number in range(1, len(rounds) + 1))) if rounds else ()
        self.endResetModel()

    def rowCount(self, parent: _Index = _NO_INDEX) -> int:  # noqa: N802
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: _Index = _NO_INDEX) -> int:  # noqa: N802
        return 0 if parent.isValid() else len(self._titles)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = _Role.DisplayRole) -> Any:  # noqa: N802
        if orientation is not Qt.Orientation.Horizontal or not 0 <= section < len(self._titles):
            return None
        if role == _Role.DisplayRole:
            return self._titles[section]
        return _alignment(section) if role == _Role.TextAlignmentRole else None

    def data(self, index: _Index, role: int = _Role.DisplayRole) -> Any:
        if not index.isValid():
            return None
        if role == _Role.DisplayRole:
            return self._rows[index.row()][index.column()]
        return _alignment(index.column()) if role == _Role.TextAlignmentRole else None


class SpreadTable(QWidget):
    """The table under a line that says how many rounds recovered, with a button that copies all of it as text."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = SpreadModel(self)
        self.head = QLabel(self)
        self.head.setWordWrap(True)
        self.view = TableView("Spread of the repeated fault", self)
        self.view.setModel(self.model)
        self.view.setAlternatingRowColors(True)
        self.copy_button = QPushButton("Copy table", self)
        self.copy_button.clicked.connect(self._on_copy)
        foot = QHBoxLayout()
        foot.addStretch(1)
        foot.addWidget(self.copy_button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.head)
        layout.addWidget(self.view, 1)
        layout.addLayout(foot)

    def show_rounds(self, label: str, rounds: Sequence[Recovery]) -> None:
        """Show the rounds of the fault that is called ``label``, in their order."""
        recovered = recovery_spread(rounds).recovered
        self.head.setText(f"{label}, {len(rounds)} times: {recovered} of {len(rounds)} recovered or did no harm.")
        self.model.show_rounds(rounds)
        self.view.fit_columns([_WIDEST_FIGURE] + [_WIDEST_VALUE] * (self.model.columnCount() - 1))

    def _on_copy(self) -> None:
        self.view.selectAll()
        self.view.copy_rows()


def _alignment(column: int) -> Qt.AlignmentFlag:
    side = Qt.AlignmentFlag.AlignRight if column else Qt.AlignmentFlag.AlignLeft
    return side | Qt.AlignmentFlag.AlignVCenter
