"""The planned marks as a table that is edited in place: when, and what happens."""

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal

from engine.draft import FaultDraft
from widgets.parts.icons import icon
from widgets.parts.look import Look
from widgets.wizard.estimate_model import LEFT, RIGHT

_HEADINGS = ("Time, m:ss", "What happens")
_FIELDS = ("at", "label")
TIME_COLUMN, LABEL_COLUMN = range(2)
AnyIndex = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()


class FaultModel(QAbstractTableModel):
    """Edits a draft's list of faults; ``edited`` tells that a cell was changed by hand."""

    edited = Signal()

    def __init__(self, look: Look, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._faults: list[FaultDraft] = []
        self._errors: Mapping[str, str] = {}
        self._warning = icon("warning", look)

    def load(self, faults: list[FaultDraft]) -> None:
        """Show this list and edit it from now on."""
        self.beginResetModel()
        self._faults = faults
        self.endResetModel()

    def show_errors(self, errors: Mapping[str, str]) -> None:
        """Sentences by ``0.at``, ``1.label`` …: the number of the fault and its field."""
        self._errors = errors
        if self._faults:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self._faults) - 1, LABEL_COLUMN))

    def add(self, fault: FaultDraft) -> int:
        """Put a fault at the end; its row."""
        row = len(self._faults)
        self.beginInsertRows(_ROOT, row, row)
        self._faults.append(fault)
        self.endInsertRows()
        return row

    def remove(self, row: int) -> None:
        self.beginRemoveRows(_ROOT, row, row)
        del self._faults[row]
        self.endRemoveRows()

    def rowCount(self, parent: AnyIndex = _ROOT) -> int:  # noqa: N802
        return 0 if parent.isValid() else len(self._faults)

    def columnCount(self, parent: AnyIndex = _ROOT) -> int:  # noqa: N802
        return 0 if parent.isValid() else len(_HEADINGS)

    def headerData(  # noqa: N802
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return _HEADINGS[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return RIGHT if section == TIME_COLUMN else LEFT
        return None

    def flags(self, index: AnyIndex) -> Qt.ItemFlag:
        return super().flags(index) | Qt.ItemFlag.ItemIsEditable if index.isValid() else super().flags(index)

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        name = _FIELDS[index.column()]
        error = self._errors.get(f"{index.row()}.{name}", "")
        text = getattr(self._faults[index.row()], name)
        match role:
            case Qt.ItemDataRole.DisplayRole | Qt.ItemDataRole.EditRole:
                return text
            case Qt.ItemDataRole.AccessibleTextRole:
                return f"{text}; {error}" if error else text
            case Qt.ItemDataRole.DecorationRole:
                return self._warning if error else None
            case Qt.ItemDataRole.ToolTipRole:
                return error or None
            case Qt.ItemDataRole.TextAlignmentRole if index.column() == TIME_COLUMN:
                return RIGHT
        return None

    def setData(self, index: AnyIndex, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:  # noqa: N802
        if role != Qt.ItemDataRole.EditRole or not index.isValid():
            return False
        setattr(self._faults[index.row()], _FIELDS[index.column()], str(value))
        self.dataChanged.emit(index, index)
        self.edited.emit()
        return True
