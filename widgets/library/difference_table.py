"""Compared runs in figures: a row for each figure, a column for each run, and its differences against the baseline."""

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtWidgets import QWidget

from engine.analysis.comparison import Difference, Unit
from engine.figure_text import decimal, milliseconds, signed, whole
from widgets.parts.table_view import TableView

_Index = QModelIndex | QPersistentModelIndex
_Role = Qt.ItemDataRole
_NO_INDEX = QModelIndex()
_DIFFERENCE, _PERCENT = "Δ", "Δ %"
_DIGITS = {Unit.PERCENT: 2, Unit.MILLISECONDS: 2, Unit.WATTS: 1, Unit.OPM_PER_WATT: 1}
_VARIABILITY, _VARIABILITY_DIGITS = "Variability", 1
_WIDEST_FIGURE, _WIDEST_VALUE, _WIDEST_CHANGE = "Service time mean, ms 00", "888 186 604 00", "−88 186 604"


class DifferenceModel(QAbstractTableModel):
    """Columns: the figure, then of each run its value and, of all but the baseline, both differences."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._differences: Sequence[Difference] = ()
        self._titles: list[tuple[str, str]] = [("Figure", "")]
        self._columns: list[tuple[str, int]] = []

    def show(self, names: Sequence[str], differences: Sequence[Difference], baseline: int) -> None:
        """Show the differences of runs with these names; ``baseline`` is the place of one of them."""
        self.beginResetModel()
        self._differences = differences
        self._titles, self._columns = [("Figure", "")], []
        for run, name in enumerate(names):
            kinds = ("value",) if run == baseline else ("value", _DIFFERENCE, _PERCENT)
            for kind in kinds:
                self._columns.append((kind, run))
                against = f"{name} against {names[baseline]}"
                self._titles.append((name, "") if kind == "value" else (kind, against))
        self.endResetModel()

    @property
    def titles(self) -> list[tuple[str, str]]:
        """What stands above each column, and what it is explained by."""
        return self._titles

    @property
    def widest(self) -> list[str]:
        """The widest text of each column, for its first width."""
        return [_WIDEST_FIGURE, *(_WIDEST_VALUE if kind == "value" else _WIDEST_CHANGE for kind, _ in self._columns)]

    def rowCount(self, parent: _Index = _NO_INDEX) -> int:  # noqa: N802
        return 0 if parent.isValid() else len(self._differences)

    def columnCount(self, parent: _Index = _NO_INDEX) -> int:  # noqa: N802
        return 0 if parent.isValid() else len(self._titles)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = _Role.DisplayRole) -> Any:  # noqa: N802
        if orientation is not Qt.Orientation.Horizontal:
            return None
        title, tip = self._titles[section]
        match role:
            case _Role.DisplayRole:
                return title
            case _Role.ToolTipRole:
                return tip or title
            case _Role.TextAlignmentRole:
                return _alignment(section)
            case _:
                return None

    def data(self, index: _Index, role: int = _Role.DisplayRole) -> Any:
        if not index.isValid():
            return None
        if role == _Role.TextAlignmentRole:
            return _alignment(index.column())
        if role != _Role.DisplayRole:
            return None
        difference = self._differences[index.row()]
        if index.column() == 0:
            return _figure_text(difference)
        kind, run = self._columns[index.column() - 1]
        if kind == _PERCENT:
            return signed(difference.percent[run], 1)
        if kind == _DIFFERENCE:
            return signed(difference.absolute[run], _digits(difference))
        return _value_text(difference.values[run], difference)


class DifferenceTable(TableView):
    """The table; Ctrl+C copies the selected rows, ``copy_all`` all of them."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Differences between the runs", parent)
        self._model = DifferenceModel(self)
        self.setModel(self._model)
        self.setAlternatingRowColors(True)

    def show_differences(self, names: Sequence[str], differences: Sequence[Difference], baseline: int) -> None:
        """Show the figures of runs; columns that are others than before get widths of their own."""
        before = self._model.titles
        self._model.show(names, differences, baseline)
        if before != self._model.titles:
            self.fit_columns(self._model.widest)

    def copy_all(self) -> None:
        """Put the whole table on the clipboard as text with tabs."""
        self.selectAll()
        self.copy_rows()


def _figure_text(difference: Difference) -> str:
    has_unit = difference.unit not in (Unit.COUNT, Unit.OPM, Unit.OPM_PER_WATT)
    return f"{difference.figure}, {difference.unit.value}" if has_unit else difference.figure


def _digits(difference: Difference) -> int:
    """Variability is told to one decimal, as it is published."""
    return _VARIABILITY_DIGITS if difference.figure == _VARIABILITY else _DIGITS.get(difference.unit, 0)


def _value_text(value: float | None, difference: Difference) -> str:
    if difference.unit is Unit.MILLISECONDS:
        return milliseconds(value)
    return decimal(value, _digits(difference)) if _digits(difference) else whole(value)


def _alignment(column: int) -> Qt.AlignmentFlag:
    side = Qt.AlignmentFlag.AlignRight if column else Qt.AlignmentFlag.AlignLeft
    return side | Qt.AlignmentFlag.AlignVCenter
