"""The figures of compared runs: a row for each figure, a column for each run, and the differences from the baseline."""

from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QBrush, QColor
from PySide6.QtWidgets import QWidget

from engine.analysis.comparing.comparison import Difference, Direction, Unit
from engine.analysis.comparing.noise import SHOWN_DIGITS, Noise, Verdict, noise_text, verdict_of
from engine.figure_text import (
    capitalised,
    decimal,
    milliseconds,
    milliseconds_digits,
    signed,
    significant,
    whole,
)
from widgets.parts.look import Look
from widgets.parts.shapes import Shape, Tone, shape_icon
from widgets.parts.table.view import TableView

_Index = QModelIndex | QPersistentModelIndex
_Role = Qt.ItemDataRole
_NO_INDEX = QModelIndex()
_VALUE, _DIFFERENCE, _PERCENT, _VERDICT = "value", "Δ", "Δ %", "Verdict"
_DIGITS = {Unit.PERCENT: 2, Unit.PER_MINUTE: 1, Unit.WATTS: 1, Unit.RATE_PER_WATT: 1}
_TONES: dict[Verdict, Tone] = {
    Verdict.BETTER: "good",
    Verdict.WORSE: "bad",
    Verdict.WITHIN_NOISE: "muted",
    Verdict.UNKNOWN: "muted",
    Verdict.EQUAL: "muted",
}
_WIDEST_FIGURE, _WIDEST_VALUE, _WIDEST_CHANGE = "Service time mean, ms 00", "888 186 604 00", "−88 186 604"
_WIDEST_VERDICT = "noise unknown 00"
_NOT_COMPARED = "Not compared: the runs were measured for different times."


class DifferenceModel(QAbstractTableModel):
    """Columns: the figure; then for each run its value and, except for the baseline, both differences and their
    meaning."""

    def __init__(self, look: Look, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._differences: Sequence[Difference] = ()
        self._noises: Sequence[Mapping[str, Noise]] = ()
        self._signs = {
            (shape, verdict): shape_icon(shape, tone, look)
            for verdict, tone in _TONES.items()
            for shape in (Shape.UP, Shape.DOWN, Shape.BAR)
        }
        look.changed.connect(self._on_look_changed)
        self._titles: list[tuple[str, str]] = [("Figure", "")]
        self._columns: list[tuple[str, int]] = []

    def show(
        self,
        names: Sequence[str],
        differences: Sequence[Difference],
        baseline: int,
        noises: Sequence[Mapping[str, Noise]] = (),
    ) -> None:
        """Show the differences of runs with these names; ``baseline`` is the index of one of them.

        ``noises`` are the random variations of each run's differences, by figure, in the order of the runs.
        """
        self.beginResetModel()
        self._differences, self._noises = differences, noises
        self._titles, self._columns = [("Figure", "")], []
        for run, name in enumerate(names):
            kinds = (_VALUE,) if run == baseline else (_VALUE, _DIFFERENCE, _PERCENT, _VERDICT)
            for kind in kinds:
                self._columns.append((kind, run))
                against = f"{name} against {names[baseline]}"
                self._titles.append((name, "") if kind == _VALUE else (kind, against))
        self.endResetModel()

    @property
    def titles(self) -> list[tuple[str, str]]:
        """The title and the tool tip of each column."""
        return self._titles

    @property
    def widest(self) -> list[str]:
        """The widest text of each column, for its initial width."""
        widest = {_VALUE: _WIDEST_VALUE, _VERDICT: _WIDEST_VERDICT}
        return [_WIDEST_FIGURE, *(widest.get(kind, _WIDEST_CHANGE) for kind, _ in self._columns)]

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
                return self._alignment(section)
            case _:
                return None

    def data(self, index: _Index, role: int = _Role.DisplayRole) -> Any:
        if not index.isValid():
            return None
        if role == _Role.TextAlignmentRole:
            return self._alignment(index.column())
        difference = self._differences[index.row()]
        if index.column() == 0:
            return _figure_text(difference) if role == _Role.DisplayRole else None
        kind, run = self._columns[index.column() - 1]
        if role == _Role.DisplayRole:
            return self._text(difference, kind, run)
        return None if kind == _VALUE else self._meaning(difference, kind, run, role)

    def _text(self, difference: Difference, kind: str, run: int) -> str:
        match kind:
            case "Δ %":
                return signed(difference.percent[run], SHOWN_DIGITS)
            case "Δ":
                return _change_text(difference, run)
            case "Verdict":
                return verdict_of(difference, run, self._noise(difference, run)).value
            case _:
                return _value_text(difference.values[run], difference)

    def _meaning(self, difference: Difference, kind: str, run: int, role: int) -> Any:
        """What a difference means, as colour, shape and words."""
        noise = self._noise(difference, run)
        verdict = verdict_of(difference, run, noise)
        if role == _Role.ToolTipRole:
            return _tool_tip(difference, run, noise)
        if verdict is Verdict.NONE:
            return None
        if role == _Role.ForegroundRole:
            return QBrush(QColor(getattr(self._look.colours, _TONES[verdict])))
        if role == _Role.DecorationRole and kind == _VERDICT:
            change = 0.0 if verdict is Verdict.EQUAL else difference.absolute[run] or 0.0
            return self._signs[Shape.UP if change > 0 else Shape.DOWN if change else Shape.BAR, verdict]
        return None

    def _noise(self, difference: Difference, run: int) -> Noise | None:
        return self._noises[run].get(difference.figure) if run < len(self._noises) else None

    def _alignment(self, column: int) -> Qt.AlignmentFlag:
        is_text = column == 0 or self._columns[column - 1][0] == _VERDICT
        return (Qt.AlignmentFlag.AlignLeft if is_text else Qt.AlignmentFlag.AlignRight) | Qt.AlignmentFlag.AlignVCenter

    def _on_look_changed(self) -> None:
        if self._differences:
            last = self.index(self.rowCount() - 1, self.columnCount() - 1)
            self.dataChanged.emit(self.index(0, 0), last)


class DifferenceTable(TableView):
    """The table; Ctrl+C copies the selected rows."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__("Differences between the runs", parent)
        self._model = DifferenceModel(look, self)
        self.setModel(self._model)
        self.setAlternatingRowColors(True)
        self.horizontalHeader().setTextElideMode(Qt.TextElideMode.ElideMiddle)  # names of runs differ at their ends

    def show_differences(
        self,
        names: Sequence[str],
        differences: Sequence[Difference],
        baseline: int,
        noises: Sequence[Mapping[str, Noise]] = (),
    ) -> None:
        """Show the figures of runs; widths are reset if the columns changed."""
        before = self._model.titles
        self._model.show(names, differences, baseline, noises)
        if before != self._model.titles:
            self.fit_columns(self._model.widest)


def _figure_text(difference: Difference) -> str:
    has_unit = difference.unit not in (Unit.COUNT, Unit.RATE, Unit.PER_MINUTE, Unit.RATE_PER_WATT)
    return f"{difference.title}, {difference.unit.value}" if has_unit else difference.title


def _value_text(value: float | None, difference: Difference) -> str:
    if difference.unit is Unit.MILLISECONDS:
        return milliseconds(value)
    if difference.unit is Unit.RATE_PER_WATT and difference.metric.has_decimals:
        return significant(value)
    if difference.unit is Unit.RATE:
        return difference.metric.text(value)
    digits = _DIGITS.get(difference.unit, 0)
    return decimal(value, digits) if digits else whole(value)


def _change_text(difference: Difference, run: int) -> str:
    change = difference.absolute[run]
    if difference.unit is Unit.RATE:
        return difference.metric.signed(change, difference.values[run])
    if difference.unit is Unit.MILLISECONDS and change is not None and (value := difference.values[run]) is not None:
        # As many decimals as the one of the two values that is shown with more of them, and no more significant digits.
        return signed(change, min(milliseconds_digits(change), milliseconds_digits(min(value, value - change))))
    if difference.unit is Unit.RATE_PER_WATT and difference.metric.has_decimals:
        return signed(change, len(significant(difference.values[run]).partition(".")[2]))
    return signed(change, _DIGITS.get(difference.unit, 0))


def _tool_tip(difference: Difference, run: int, noise: Noise | None) -> str | None:
    """Which way the figure gets better, and how much of the difference may be chance."""
    if difference.absolute[run] is None:
        is_known = difference.values[run] is not None and difference.unit is Unit.COUNT
        return _NOT_COMPARED if is_known else None
    if difference.direction is Direction.NONE:
        return None
    return f"{capitalised(difference.direction.value)}. {noise_text(noise)}"
