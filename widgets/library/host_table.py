"""The counters measured on a run's hosts: whether each is drawn, and its mean over the measuring phase."""

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal
from PySide6.QtWidgets import QWidget

from widgets.library.host_lines import HostLine
from widgets.parts.table.cell_delegates import SwatchDelegate
from widgets.parts.table.view import TableView

_Index = QModelIndex | QPersistentModelIndex
_Role = Qt.ItemDataRole
_NO_INDEX = QModelIndex()
_TITLES = ("Figure", "Measured at", "Unit", "Mean", "Lowest", "Highest", "Known", "File")
_WIDEST = (
    "Disk transfers nvme0n1 0",
    "r630-a.example",
    "Mb/s",
    "888 888.8",
    "888 888.8",
    "888 888.8",
    "100.0 %",
    "perf",
)
_FIRST_NUMBER, _LAST_NUMBER = 3, 6
_TIPS = {
    3: "Time-weighted mean over the measuring phase, without gaps",
    6: "Share of the measuring phase that is known",
}


class HostModel(QAbstractTableModel):
    """The lines; ``drawn_changed``: the set of ticked lines has changed."""

    drawn_changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._lines: list[HostLine] = []
        self._drawn: set[tuple[int, int]] = set()

    def show_lines(self, lines: Sequence[HostLine], drawn: set[tuple[int, int]]) -> None:
        """Show these lines; when the counters are the same as before, only their figures change."""
        same = [line.key for line in lines] == [line.key for line in self._lines]
        self._drawn = drawn
        if same:
            self._lines = list(lines)
            if lines:
                self.dataChanged.emit(self.index(0, 0), self.index(len(lines) - 1, len(_TITLES) - 1))
            return
        self.beginResetModel()
        self._lines = list(lines)
        self.endResetModel()

    @property
    def drawn(self) -> set[tuple[int, int]]:
        """The keys of the ticked lines."""
        return self._drawn

    def rowCount(self, parent: _Index = _NO_INDEX) -> int:  # noqa: N802
        return 0 if parent.isValid() else len(self._lines)

    def columnCount(self, parent: _Index = _NO_INDEX) -> int:  # noqa: N802
        return 0 if parent.isValid() else len(_TITLES)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = _Role.DisplayRole) -> Any:  # noqa: N802
        if orientation is not Qt.Orientation.Horizontal:
            return None
        match role:
            case _Role.DisplayRole:
                return _TITLES[section]
            case _Role.ToolTipRole:
                return _TIPS.get(section)
            case _Role.TextAlignmentRole:
                return _alignment(section)
            case _:
                return None

    def flags(self, index: _Index) -> Qt.ItemFlag:
        flags = super().flags(index)
        return flags | Qt.ItemFlag.ItemIsUserCheckable if index.isValid() and index.column() == 0 else flags

    def data(self, index: _Index, role: int = _Role.DisplayRole) -> Any:
        if not index.isValid():
            return None
        line = self._lines[index.row()]
        match role:
            case _Role.DisplayRole:
                return line.texts[index.column()]
            case _Role.TextAlignmentRole:
                return _alignment(index.column())
            case _Role.CheckStateRole if index.column() == 0:
                return Qt.CheckState.Checked if line.key in self._drawn else Qt.CheckState.Unchecked
            case _:
                return None

    def setData(self, index: _Index, value: Any, role: int = _Role.EditRole) -> bool:  # noqa: N802
        if not index.isValid() or role != _Role.CheckStateRole or index.column() != 0:
            return False
        key = self._lines[index.row()].key
        self._drawn = self._drawn | {key} if Qt.CheckState(value) is Qt.CheckState.Checked else self._drawn - {key}
        self.dataChanged.emit(index, index)
        self.drawn_changed.emit()
        return True


class HostTable(TableView):
    """The lines, each with a check box that draws it; Space toggles it."""

    drawn_changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Figures of hosts and meters", parent)
        self.host_model = HostModel(self)
        self.setModel(self.host_model)
        self.setAlternatingRowColors(True)
        self.setItemDelegateForColumn(0, SwatchDelegate(self))
        self.horizontalHeader().setStretchLastSection(True)
        self.host_model.drawn_changed.connect(self.drawn_changed)

    def show_lines(self, lines: Sequence[HostLine], drawn: set[tuple[int, int]]) -> None:
        """Show these counters, of which ``drawn`` are ticked."""
        had = self.host_model.rowCount()
        self.host_model.show_lines(lines, drawn)
        if had != len(lines):
            self.fit_columns(_WIDEST)


def _is_number(column: int) -> bool:
    return _FIRST_NUMBER <= column <= _LAST_NUMBER


def _alignment(column: int) -> Qt.AlignmentFlag:
    return (
        Qt.AlignmentFlag.AlignRight if _is_number(column) else Qt.AlignmentFlag.AlignLeft
    ) | Qt.AlignmentFlag.AlignVCenter
