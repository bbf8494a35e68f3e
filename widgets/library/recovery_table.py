"""All figures of one recovery: a grouped line for each, with a column for all clients and one for each of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from engine.analysis.recovery.figures import Recovery
from engine.report.recovery_rows import CALLS, REFUSED, RecoveryRow, recovery_rows
from widgets.parts.table.view import TableView

_Index = QModelIndex | QPersistentModelIndex
_Role = Qt.ItemDataRole
_NO_INDEX = QModelIndex()
_WIDEST_FIGURE, _WIDEST_VALUE = "Black-outs by the probe, total", "88.8 % (888 888)"
_NO_ERRORS, _ERROR_CLASS = "Errors", "Errors, "


@dataclass(frozen=True)
class FigureRow:
    """One line; that of a group has no values. ``meaning`` is its tool tip, after the value, which may be elided."""

    title: str
    meaning: str = ""
    values: tuple[str, ...] = ()
    is_group: bool = False


def figure_rows(recovery: Recovery) -> list[FigureRow]:
    """The lines for all clients together and for each. A figure that a client does not have is empty."""
    columns = [_by_figure(recovery_rows(recovery, subject)) for subject in (recovery.total, *recovery.clients)]
    meanings: dict[tuple[str, str], str] = {}
    for column in columns:
        for key, row in column.items():
            meanings[key] = meanings.get(key) or row.meaning
    if any(figure.startswith(_ERROR_CLASS) for _, figure in meanings):
        meanings.pop((CALLS, _NO_ERRORS), None)
    rows: list[FigureRow] = []
    for group in dict.fromkeys(group for group, _ in meanings):
        rows.append(FigureRow(group, is_group=True))
        rows += [
            FigureRow(figure, meaning, tuple(_value(column, (of, figure)) for column in columns))
            for (of, figure), meaning in meanings.items()
            if of == group
        ]
    return rows


class RecoveryModel(QAbstractTableModel):
    """The lines of one recovery; empty without one."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: list[FigureRow] = []
        self._titles: Sequence[str] = ()

    def show_recovery(self, recovery: Recovery | None) -> None:
        self.beginResetModel()
        self._rows = [] if recovery is None else figure_rows(recovery)
        clients = () if recovery is None else tuple(client.label for client in recovery.clients)
        self._titles = () if recovery is None else ("Figure", "All clients", *clients)
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
        row, column = self._rows[index.row()], index.column()
        match role:
            case _Role.DisplayRole:
                return row.title if column == 0 else row.values[column - 1] if row.values else ""
            case _Role.TextAlignmentRole:
                return _alignment(column)
            case _Role.ToolTipRole:
                value = row.values[column - 1] if column and row.values else ""
                return "\n".join(filter(None, (value, row.meaning))) or None
            case _Role.FontRole if row.is_group or column == 1:
                font = QFont()
                font.setBold(True)
                return font
        return None


class RecoveryTable(QWidget):
    """The table with a button that copies all of it as text; Ctrl+C copies the selected lines."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = RecoveryModel(self)
        self.view = TableView("Figures of the recovery", self)
        self.view.setModel(self.model)
        self.view.setAlternatingRowColors(True)
        self.view.setWordWrap(True)
        self.view.horizontalHeader().sectionResized.connect(self._fit_refusal)
        self.copy_button = QPushButton("Copy table", self)
        self.copy_button.clicked.connect(self.view.copy_all)
        self.foot = QHBoxLayout()
        self.foot.addStretch(1)
        self.foot.addWidget(self.copy_button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.view, 1)
        layout.addLayout(self.foot)

    def show_recovery(self, recovery: Recovery | None) -> None:
        """Show the figures of a fault, or none; the chosen line is kept."""
        chosen, place = self.view.selected_rows(), self.view.verticalScrollBar().value()
        columns = self.model.columnCount()
        self.model.show_recovery(recovery)
        if self.model.columnCount() != columns:
            self.view.fit_columns([_WIDEST_FIGURE] + [_WIDEST_VALUE] * (self.model.columnCount() - 1))
        self._fit_refusal()
        if chosen and chosen[0] < self.model.rowCount():
            self.view.selectRow(chosen[0])
        self.view.verticalScrollBar().setValue(place)
        self.copy_button.setEnabled(recovery is not None)

    def _fit_refusal(self, *_: int) -> None:
        """Give the sentences that say why a baseline was refused as many lines as they need, other figures one."""
        for row in range(self.model.rowCount()):
            if self.model.index(row, 0).data() == REFUSED:
                self.view.resizeRowToContents(row)
            else:
                self.view.setRowHeight(row, self.view.verticalHeader().defaultSectionSize())


def _by_figure(rows: Sequence[RecoveryRow]) -> dict[tuple[str, str], RecoveryRow]:
    return {(row.group, row.figure): row for row in rows}


def _value(column: dict[tuple[str, str], RecoveryRow], key: tuple[str, str]) -> str:
    """A class of errors that a client did not have is 0."""
    if key in column:
        return column[key].value
    return "0" if key[1].startswith(_ERROR_CLASS) else ""


def _alignment(column: int) -> Qt.AlignmentFlag:
    side = Qt.AlignmentFlag.AlignRight if column else Qt.AlignmentFlag.AlignLeft
    return side | Qt.AlignmentFlag.AlignVCenter
