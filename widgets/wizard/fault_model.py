"""The planned marks and injections as an editable table: time, injection, label."""

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal

from engine.draft.fault_draft import FaultDraft
from engine.errors import BadInput
from engine.parameters.typed_text import duration_of, time_text
from widgets.parts.icons import icon
from widgets.parts.look import Look
from widgets.wizard.estimate_model import LEFT, RIGHT

_HEADINGS = ("Time, m:ss", "Action", "Label")
TIME_COLUMN, WHAT_COLUMN, LABEL_COLUMN = range(3)
_FIELDS = ("at", "done", "label")
_MARK = "mark"
AnyIndex = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()


class FaultModel(QAbstractTableModel):
    """Edits a draft's list of faults; ``edited``: the user changed a cell."""

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
        """Errors by ``0.at``, ``1.done.value`` …: the index of the fault and its field."""
        self._errors = errors
        if self._faults:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self._faults) - 1, LABEL_COLUMN))

    def add(self, fault: FaultDraft) -> int:
        """Append a fault; returns its row."""
        row = len(self._faults)
        self.beginInsertRows(_ROOT, row, row)
        self._faults.append(fault)
        self.endInsertRows()
        return row

    def show_changed(self, row: int) -> None:
        """A fault was changed elsewhere, as in the form beside the table."""
        self.dataChanged.emit(self.index(row, TIME_COLUMN), self.index(row, LABEL_COLUMN))

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
        fault, error = self._faults[index.row()], self._error(index)
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return _shown(fault, index.column())
            case Qt.ItemDataRole.EditRole:
                return _typed(fault, index.column())
            case Qt.ItemDataRole.AccessibleTextRole:
                text = _shown(fault, index.column())
                return f"{text}; {error}" if error else text
            case Qt.ItemDataRole.DecorationRole:
                return self._warning if error else None
            case Qt.ItemDataRole.ToolTipRole:
                return error or (_shown(fault, index.column()) if index.column() == WHAT_COLUMN else None)
            case Qt.ItemDataRole.TextAlignmentRole if index.column() == TIME_COLUMN:
                return RIGHT
        return None

    def setData(self, index: AnyIndex, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:  # noqa: N802
        if role != Qt.ItemDataRole.EditRole or not index.isValid():
            return False
        fault, text = self._faults[index.row()], str(value)
        if index.column() == WHAT_COLUMN:
            fault.type_what(text)
        else:
            setattr(fault, _FIELDS[index.column()], _tidy(text) if index.column() == TIME_COLUMN else text)
        self.show_changed(index.row())
        self.edited.emit()
        return True

    def _error(self, index: AnyIndex) -> str:
        """The error of a cell, empty when it is valid."""
        prefix = f"{index.row()}.{_FIELDS[index.column()]}"
        return next((text for path, text in self._errors.items() if f"{path}.".startswith(f"{prefix}.")), "")


def _tidy(time: str) -> str:
    """A time in the table's format; an invalid one stays as it was typed."""
    try:
        return time_text(duration_of(time))
    except BadInput:
        return time


def _shown(fault: FaultDraft, column: int) -> str:
    if column == WHAT_COLUMN:
        return _MARK if fault.is_mark else fault.what
    return fault.called() if column == LABEL_COLUMN else fault.at


def _typed(fault: FaultDraft, column: int) -> str:
    if column == LABEL_COLUMN:
        return fault.label
    return _shown(fault, column)
