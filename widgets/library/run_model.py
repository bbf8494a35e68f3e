"""The library's runs as a table model that sorts and filters itself: a proxy model would call Python for every
comparison, and take half a second for 5,000 runs. Called by ``RunTable``."""

from collections.abc import Sequence
from dataclasses import replace
from operator import itemgetter
from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
)
from PySide6.QtGui import QBrush, QColor, QFont

from engine.record.record import RunState
from engine.report.run_filter import RunFilter
from engine.report.run_listing import RunListing
from widgets.library.run_columns import COLUMNS, NAMES, SHARED_SIGN, ending_text, state_sign
from widgets.parts.look import Look
from widgets.parts.shapes import Shape, shape_icon

Index = QModelIndex | QPersistentModelIndex
_Role = Qt.ItemDataRole
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_STATE, _NAME, _HEADLINE, _DURATION, _NOTE, _SET = (
    NAMES.index(name) for name in ("state", "name", "headline", "duration", "note", "set")
)
_FIGURES_OF_ALL = (_HEADLINE, _DURATION)  # of the whole run; a run that was cut short did not reach the planned values
_NO_INDEX = QModelIndex()


class RunTableModel(QAbstractTableModel):
    """A row for each run that matches the filter, sorted by the columns' values, not their texts; unknown values are
    last in either order.

    Names and notes can be edited, which is emitted as a request; the edited text is shown until the next ``show_runs``.
    """

    rename_requested = Signal(str, str)
    note_requested = Signal(str, str)

    def __init__(self, look: Look, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._all: list[RunListing] = []
        self._runs: list[RunListing] = []
        self._rows: dict[str, int] = {}
        self._filter = RunFilter()
        self._sorted_by, self._order = _NAME, Qt.SortOrder.AscendingOrder
        self._signs = {state: shape_icon(*state_sign(state), look) for state in RunState}
        self._shared_sign = shape_icon(*SHARED_SIGN, look)
        self._median_sign = shape_icon(Shape.FLAG, "accent", look)
        look.changed.connect(self._on_look_changed)

    def show_runs(self, runs: Sequence[RunListing]) -> None:
        """Take the runs; when the same runs stay in the same rows, only their values change."""
        self._all = list(runs)
        arranged = self._arranged()
        if [run.run_id for run in arranged] == [run.run_id for run in self._runs]:
            self._runs = arranged
            self._emit_all_changed()
        else:
            self._reset(arranged)

    def set_run_filter(self, run_filter: RunFilter) -> None:
        """Show the runs that match a filter."""
        if run_filter != self._filter:
            self._filter = run_filter
            self._reset(self._arranged())

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        self._sorted_by, self._order = column, order
        self.layoutAboutToBeChanged.emit()
        held = [(index, self._runs[index.row()].run_id) for index in self.persistentIndexList()]
        self._put(self._arranged())
        self.changePersistentIndexList(
            [index for index, _ in held], [self.index(self._rows[run_id], index.column()) for index, run_id in held]
        )
        self.layoutChanged.emit()

    def run_at(self, row: int) -> RunListing:
        return self._runs[row]

    def row_of(self, run_id: str) -> int | None:
        """The row of a run, ``None`` when it is not shown."""
        return self._rows.get(run_id)

    def rowCount(self, parent: Index = _NO_INDEX) -> int:  # noqa: N802
        return 0 if parent.isValid() else len(self._runs)

    def columnCount(self, parent: Index = _NO_INDEX) -> int:  # noqa: N802
        return 0 if parent.isValid() else len(COLUMNS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = _Role.DisplayRole) -> Any:  # noqa: N802
        if orientation is not Qt.Orientation.Horizontal:
            return None
        column = COLUMNS[section]
        if role == _Role.DisplayRole:
            return None if column.is_icon else column.title
        if role == _Role.AccessibleTextRole:
            return column.title
        if role == _Role.ToolTipRole:
            return column.tip or None
        if role == _Role.TextAlignmentRole:
            return _RIGHT if column.is_number else _LEFT
        return None

    def data(self, index: Index, role: int = _Role.DisplayRole) -> Any:
        if not index.isValid():
            return None
        run, number = self._runs[index.row()], index.column()
        column = COLUMNS[number]
        if role == _Role.DisplayRole:
            return None if column.is_icon else column.text(run)
        if role == _Role.TextAlignmentRole:
            return _RIGHT if column.is_number else _LEFT
        return self._rare_data(run, number, role)

    def flags(self, index: Index) -> Qt.ItemFlag:
        flags = super().flags(index)
        if index.isValid() and COLUMNS[index.column()].is_editable:
            flags |= Qt.ItemFlag.ItemIsEditable
        return flags

    def setData(self, index: Index, value: Any, role: int = _Role.EditRole) -> bool:  # noqa: N802
        if not index.isValid() or role != _Role.EditRole or not COLUMNS[index.column()].is_editable:
            return False
        run, text = self._runs[index.row()], str(value).strip()
        if text == self.data(index, _Role.EditRole):
            return True
        renames = index.column() == _NAME
        edited = replace(run, name=text) if renames else replace(run, note=text)
        self._runs[index.row()] = edited
        self._all = [edited if each is run else each for each in self._all]
        self.dataChanged.emit(index, index)
        (self.rename_requested if renames else self.note_requested).emit(run.run_id, text)
        return True

    def _rare_data(self, run: RunListing, number: int, role: int) -> Any:
        """Data of roles that few cells have, or that most cells have in common."""
        match role:
            case _Role.EditRole:
                return {_NAME: run.name, _NOTE: run.note}.get(number)
            case _Role.AccessibleTextRole if number == _STATE:
                return run.state_text
            case _Role.ToolTipRole | _Role.AccessibleDescriptionRole:
                return _tool_tip(run, number)
            case _Role.DecorationRole if number == _SET:
                return self._median_sign if run.is_median else None
            case _Role.DecorationRole if number == _STATE:
                return self._shared_sign if run.shared_stores else self._signs[run.state]
            case _Role.ForegroundRole if number in _FIGURES_OF_ALL and run.is_cut_short:
                return QBrush(QColor(self._look.colours.muted))
            case _Role.FontRole:
                return _font(run, number)
        return None

    def _on_look_changed(self) -> None:
        self._emit_all_changed()

    def _arranged(self) -> list[RunListing]:
        key = COLUMNS[self._sorted_by].sort_key
        through = [(key(run), run) for run in self._all if self._filter.matches(run)]
        known = [pair for pair in through if pair[0] is not None]
        known.sort(key=itemgetter(0), reverse=self._order == Qt.SortOrder.DescendingOrder)
        return [run for _, run in known] + [run for value, run in through if value is None]

    def _reset(self, runs: list[RunListing]) -> None:
        self.beginResetModel()
        self._put(runs)
        self.endResetModel()

    def _put(self, runs: list[RunListing]) -> None:
        self._runs = runs
        self._rows = {run.run_id: row for row, run in enumerate(runs)}

    def refresh_durations(self) -> None:
        """Update the durations of the runs in progress."""
        for row, run in enumerate(self._runs):
            if not run.state.is_final:
                index = self.index(row, _DURATION)
                self.dataChanged.emit(index, index)

    def _emit_all_changed(self) -> None:
        if self._runs:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self._runs) - 1, len(COLUMNS) - 1))


def _tool_tip(run: RunListing, number: int) -> str | None:
    """What is shown of a cell when the pointer rests on it."""
    needs_word = run.is_cut_short or not run.state.is_final or bool(run.shared_stores or run.loads)
    if number in (_STATE, _DURATION) or (number == _HEADLINE and needs_word):
        return ending_text(run)
    return run.note or None if number == _NOTE else None


def _font(run: RunListing, number: int) -> QFont | None:
    """The name of a run in progress is bold, the figures of one that was cut short are italic."""
    is_bold = number == _NAME and not run.state.is_final
    is_italic = number in _FIGURES_OF_ALL and run.is_cut_short
    if not is_bold and not is_italic:
        return None
    font = QFont()
    font.setBold(is_bold)
    font.setItalic(is_italic)
    return font
