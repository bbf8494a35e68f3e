"""The tables of a store of a given size, or what it consists of else, with their rows and bytes."""

from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from engine.figure_text import UNKNOWN, byte_size, whole
from engine.workload.rows.estimate import StoreEstimate, TableEstimate
from engine.workload.wording import GENERAL, Wording

_COLUMNS = 4
INDEXES = 3
"""The column of what indexes take."""
_TOTAL = "all tables"
AnyIndex = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()
LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class EstimateModel(QAbstractTableModel):
    """A row for each table, and one for all of them where there are several; – while the size is unknown."""

    def __init__(self, tables: StoreEstimate, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._names = [table.table for table in tables.tables]
        self._estimate: StoreEstimate | None = tables
        self._headings = _headings(GENERAL)

    def show_tables(self, tables: StoreEstimate, wording: Wording) -> None:
        """Show the tables of another workload, by its words."""
        self.beginResetModel()
        self._headings = _headings(wording)
        self._names = [table.table for table in tables.tables]
        self._estimate = tables
        self.endResetModel()

    def show_estimate(self, estimate: StoreEstimate | None) -> None:
        """Show another store's of the same workload."""
        self._estimate = estimate
        self.dataChanged.emit(self.index(0, 0), self.index(self.rowCount() - 1, self.columnCount() - 1))

    def rowCount(self, parent: AnyIndex = _ROOT) -> int:  # noqa: N802
        names = len(self._names)
        return 0 if parent.isValid() else names + (names > 1)

    def columnCount(self, parent: AnyIndex = _ROOT) -> int:  # noqa: N802
        return 0 if parent.isValid() else _COLUMNS

    def headerData(  # noqa: N802
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation != Qt.Orientation.Horizontal or not 0 <= section < _COLUMNS:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self._headings[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return RIGHT if section else LEFT
        return None

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole and index.column():
            return RIGHT
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return self._texts(index.row())[index.column()]
        return None

    def _texts(self, row: int) -> tuple[str, str, str, str]:
        is_total = row == len(self._names)
        name = _TOTAL if is_total else self._names[row]
        if self._estimate is None:
            return name, UNKNOWN, UNKNOWN, UNKNOWN
        if is_total:
            total = sum(table.rows for table in self._estimate.tables)
            return (
                name,
                f"≈ {whole(total)}",
                byte_size(self._estimate.data_bytes),
                byte_size(self._estimate.index_bytes),
            )
        return _table_texts(self._estimate.tables[row])


def _headings(wording: Wording) -> tuple[str, ...]:
    return wording.part, wording.entries, "Data", "Indexes"


def _table_texts(table: TableEstimate) -> tuple[str, str, str, str]:
    about = "" if table.rows_exact else "≈ "
    return table.table, f"{about}{whole(table.rows)}", byte_size(table.data_bytes), byte_size(table.index_bytes)
