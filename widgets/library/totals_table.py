"""A run's totals in the layout of the published tables: a row for each client, the total, and the variability."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from engine.analysis.comparing.variability import totals_variability_pct
from engine.analysis.headline import headline_of
from engine.figure_text import UNKNOWN, capitalised, duration, milliseconds, percent, variability_text, whole
from engine.record.totals import NO_TIMES, NO_TOTALS, Figures, Totals
from engine.workload.registry import DVD_STORE, find_workload
from engine.workload.transaction import TransactionType, transactions_of
from engine.workload.workload import Workload
from widgets.parts.table.view import TableView

_Index = QModelIndex | QPersistentModelIndex
_Role = Qt.ItemDataRole
_NO_INDEX = QModelIndex()
_VARIABILITY = "variability"


def _count(name: str) -> Callable[[Figures], str]:
    return lambda figures: whole(figures.counts.get(name))


def _time(name: str) -> Callable[[Figures], str]:
    return lambda figures: milliseconds(getattr(figures.times, name))


def _intended(name: str) -> Callable[[Figures], str]:
    return lambda figures: milliseconds(getattr(figures.intended or NO_TIMES, name))


# Of a column of figures the title, in two lines where that makes it narrower, and what it shows.
_Column = tuple[str, Callable[[Figures], str]]
_ROLLBACKS: _Column = ("Rollbacks", lambda figures: percent(figures.rollback_pct, 2))
_MIDDLE_TIMES: tuple[_Column, ...] = (("Mean\nms", _time("mean")), ("p50\nms", _time("p50")))
_HIGH_TIMES: tuple[_Column, ...] = (("p95\nms", _time("p95")), ("p99\nms", _time("p99")))
_INTENDED_P95, _INTENDED_P99 = "As intended\np95 ms", "As intended\np99 ms"
_INTENDED_TIMES: tuple[_Column, ...] = (
    (_INTENDED_P95, _intended("p95")),
    (_INTENDED_P99, _intended("p99")),
)
_FINEST: _Column = ("p99.9\nms", _time("p999"))
_MAX: _Column = ("Max\nms", _time("max"))
_ERRORS: _Column = ("Errors", lambda figures: whole(figures.error_count))
_RETRIES: _Column = ("Retries", _count("retries"))
_RECONNECTS: _Column = ("Reconnects", _count("reconnects"))
_TPM: _Column = ("TPM", lambda figures: whole(figures.all_a_minute))
_CLIENT, _DELAY = "Client", "Delay\nms"
_HEADLINE = 1
_INTENDED_TIP = "Response times that also count what was due by the users' schedule while another was under way"
_TIPS = {
    _INTENDED_P95: _INTENDED_TIP,
    _INTENDED_P99: _INTENDED_TIP,
    _DELAY: "Scheduling delay of a client thread that wakes every 10 ms, p99",
}


def _columns(workload: Workload) -> tuple[_Column, ...]:
    """The columns between those of the client and of its delay; the numbers of a mix's other types are the last."""
    others = tuple(_number_of(each) for each in workload.beside_headline)
    headline, has_several_types = headline_of(workload.id), len(transactions_of(workload.transactions)) > 1
    return (
        (headline.label, lambda figures: headline.text(figures.headline_rate)),
        (f"Peak\n{headline.label}", lambda figures: headline.text(figures.peak)),
        *((_TPM,) if has_several_types else ()),
        (headline.heading, lambda figures: whole(figures.count)),
        *(() if has_several_types else others),
        *((_ROLLBACKS,) if headline.is_transactional else ()),
        *_MIDDLE_TIMES,
        *_HIGH_TIMES,
        *(_INTENDED_TIMES if headline.is_transactional else ()),
        *((_FINEST,) if workload.has_p999 else ()),
        _MAX,
        _ERRORS,
        *((_RETRIES,) if headline.is_transactional else ()),
        *((_RECONNECTS,) if headline.has_users else ()),
        *(others if has_several_types else ()),
    )


def _number_of(kind: TransactionType) -> _Column:
    """The types of a mix are called as in its other tables; a step, or those rolled back, by what it counts."""
    is_type = not kind.is_step and " " not in kind.labels
    title = kind.labels if is_type else capitalised(kind.plural.replace("_", " "))
    return title.replace("-", "-\n", 1).replace(" ", "\n", 1), lambda figures: whole(figures.of(kind.id).count)


@dataclass(frozen=True)
class _Row:
    texts: tuple[str, ...]
    is_sum: bool


class TotalsModel(QAbstractTableModel):
    """The texts of the table; without totals it has no rows."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: list[_Row] = []
        self._columns = _columns(find_workload(DVD_STORE))

    @property
    def titles(self) -> tuple[str, ...]:
        """The title of each column."""
        return _CLIENT, *(title for title, _ in self._columns), _DELAY

    @property
    def leaving(self) -> list[int]:
        """The columns to hide in a narrow table, one after the other: those that tell nothing, then those between the
        errors and the delay, then that; at last a time as intended, of which there are two."""
        told = [{row.texts[column] for row in self._rows} for column in range(len(self.titles))]
        last = list(range(len(self.titles) - 2, self.titles.index(_ERRORS[0]), -1))
        lesser = sorted([*last, len(told) - 1], key=lambda column: not told[column] <= {"", "0", UNKNOWN})
        return [*lesser, *(column for column, title in enumerate(self.titles) if title == _INTENDED_P95)]

    def show_totals(self, workload: Workload, totals: Totals | None) -> None:
        self.beginResetModel()
        self._columns = _columns(workload)
        self._rows = [] if totals is None else _rows_of(self._columns, totals)
        self.endResetModel()

    def rowCount(self, parent: _Index = _NO_INDEX) -> int:  # noqa: N802
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: _Index = _NO_INDEX) -> int:  # noqa: N802
        return 0 if parent.isValid() else len(self._columns) + 2

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = _Role.DisplayRole) -> Any:  # noqa: N802
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == _Role.DisplayRole:
            return self.titles[section]
        if role == _Role.ToolTipRole:
            return _TIPS.get(self.titles[section])
        return _alignment(section) if role == _Role.TextAlignmentRole else None

    def data(self, index: _Index, role: int = _Role.DisplayRole) -> Any:
        if not index.isValid():
            return None
        row = self._rows[index.row()]
        if role == _Role.DisplayRole:
            return row.texts[index.column()]
        if role == _Role.TextAlignmentRole:
            return _alignment(index.column())
        if role == _Role.FontRole and row.is_sum:
            font = QFont()
            font.setBold(True)
            return font
        return None


class TotalsTable(QWidget):
    """The table with a button that copies all of it as text; Ctrl+C copies the selected rows."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = TotalsModel(self)
        self.view = TableView("Totals of each client", self)
        self.view.setModel(self._model)
        self.view.setAlternatingRowColors(True)
        self.copy_button = QPushButton("Copy table", self)
        self.copy_button.clicked.connect(self.view.copy_all)
        self._measured = QLabel(self)
        foot = QHBoxLayout()
        foot.addWidget(self._measured, 1)
        foot.addWidget(self.copy_button)
        layout = QVBoxLayout(self)
        layout.addWidget(self.view, 1)
        layout.addLayout(foot)

    def show_totals(self, workload: Workload, totals: Totals | None) -> None:
        """Show a record's totals; ``None`` without totals."""
        self._model.show_totals(workload, totals)
        self.view.columns.let_leave(self._model.leaving)
        self.view.fit_columns([""] * self._model.columnCount())  # the figures of a run that is over don't grow
        seconds = (totals or NO_TOTALS).measured_seconds
        self._measured.setText(f"Measured for {duration(seconds)}" if seconds else "Nothing was measured.")
        self.copy_button.setEnabled(totals is not None)


def _rows_of(columns: Sequence[_Column], totals: Totals) -> list[_Row]:
    late_ms = {client: each.health.heartbeat_p99_ms for each in totals.processes or () for client in each.clients}
    rows = [
        _Row(_texts(columns, client.label, client, late_ms.get(number)), False)
        for number, client in enumerate(totals.clients, start=1)
    ]
    variability = [""] * (len(columns) + 2)
    variability[0], variability[_HEADLINE] = _VARIABILITY, variability_text(totals_variability_pct(totals))
    return [*rows, _Row(_texts(columns, "total", totals, None), True), _Row(tuple(variability), True)]


def _texts(columns: Sequence[_Column], label: str, figures: Figures, late_ms: float | None) -> tuple[str, ...]:
    return label, *(text(figures) for _, text in columns), milliseconds(late_ms)


def _alignment(column: int) -> Qt.AlignmentFlag:
    side = Qt.AlignmentFlag.AlignRight if column else Qt.AlignmentFlag.AlignLeft
    return side | Qt.AlignmentFlag.AlignVCenter
