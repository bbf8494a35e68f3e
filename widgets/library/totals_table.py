"""A run's totals in the layout of the published tables: a row for each client, the total, and the variability."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from engine.analysis.comparing.variability import totals_variability_pct
from engine.analysis.driver_totals import clients_of, process_summaries
from engine.analysis.headline import Headline, headline_of
from engine.figure_text import UNKNOWN, duration, milliseconds, percent, variability_text, whole
from engine.workload.registry import DVD_STORE
from widgets.parts.table.view import TableView

_Index = QModelIndex | QPersistentModelIndex
_Figures = Mapping[str, Any]
_Role = Qt.ItemDataRole
_NO_INDEX = QModelIndex()
_HEARTBEAT = "heartbeat_p99_ms"
_VARIABILITY = "variability"


def _count(key: str) -> Callable[[_Figures], str]:
    return lambda figures: whole(figures.get(key))


def _time(key: str) -> Callable[[_Figures], str]:
    return lambda figures: milliseconds((figures.get("rt_ms") or {}).get(key))


def _intended(key: str) -> Callable[[_Figures], str]:
    return lambda figures: milliseconds((figures.get("rt_intended_ms") or {}).get(key))


def _errors(figures: _Figures) -> str:
    errors = figures.get("errors")
    return UNKNOWN if errors is None else whole(sum(errors.values()))


_Column = tuple[str, str, Callable[[_Figures], str]]
_CLIENT: _Column = ("Client", "ds2_1 on r630-a #12", lambda figures: str(figures.get("label", "total")))
_OTHERS: tuple[_Column, ...] = (
    ("New customers", "88 186 604", _count("new_customers")),
    ("Rollbacks", "10.25 %", lambda figures: percent(figures.get("rollback_pct"), 2)),
    ("Mean ms", "88 888", _time("mean")),
    ("p50 ms", "88 888", _time("p50")),
    ("Service p95", "88 888", _time("p95")),
    ("Service p99", "88 888", _time("p99")),
    ("Intended p95", "888 888", _intended("p95")),
    ("Intended p99", "888 888", _intended("p99")),
    ("Max ms", "888 888", _time("max")),
    ("Errors", "888 888", _errors),
    ("Retries", "888 888", _count("retries")),
    ("Reconnects", "888 888", _count("reconnects")),
    ("Delay ms", "8 888", lambda figures: milliseconds(figures.get(_HEARTBEAT))),
)
_HEADLINE = 1
_DELAY_TIP = "Scheduling delay of a client thread that wakes every 10 ms, p99"


def _columns(headline: Headline) -> tuple[_Column, ...]:
    return (
        _CLIENT,
        (headline.label, "1 186 604", lambda figures: whole(headline.value(figures))),
        (f"Peak {headline.label}", "1 186 604", lambda figures: whole(headline.peak(figures))),
        (headline.heading, "888 186 604", lambda figures: whole(headline.count(figures))),
        *_OTHERS,
    )


@dataclass(frozen=True)
class _Row:
    texts: tuple[str, ...]
    is_sum: bool


class TotalsModel(QAbstractTableModel):
    """The texts of the table; without totals it has no rows."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: list[_Row] = []
        self.columns = _columns(headline_of(DVD_STORE))

    def show_totals(self, headline: Headline, totals: Mapping[str, Any] | None) -> None:
        self.beginResetModel()
        self.columns = _columns(headline)
        self._rows = [] if totals is None else _rows_of(headline, totals)
        self.endResetModel()

    def rowCount(self, parent: _Index = _NO_INDEX) -> int:  # noqa: N802
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: _Index = _NO_INDEX) -> int:  # noqa: N802
        return 0 if parent.isValid() else len(self.columns)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = _Role.DisplayRole) -> Any:  # noqa: N802
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == _Role.DisplayRole:
            return self.columns[section][0]
        if role == _Role.ToolTipRole and section == len(self.columns) - 1:
            return _DELAY_TIP
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
        self.view.fit_columns([widest for _, widest, _ in self._model.columns])
        self.copy_button = QPushButton("Copy table", self)
        self.copy_button.clicked.connect(self.view.copy_all)
        self._measured = QLabel(self)
        foot = QHBoxLayout()
        foot.addWidget(self._measured, 1)
        foot.addWidget(self.copy_button)
        layout = QVBoxLayout(self)
        layout.addWidget(self.view, 1)
        layout.addLayout(foot)

    def show_totals(self, headline: Headline, totals: Mapping[str, Any] | None) -> None:
        """Show a record's totals; ``None`` without totals."""
        self._model.show_totals(headline, totals)
        seconds = (totals or {}).get("measured_seconds")
        self._measured.setText(f"Measured for {duration(seconds)}" if seconds else "Nothing was measured.")
        self.copy_button.setEnabled(totals is not None)


def _rows_of(headline: Headline, totals: Mapping[str, Any]) -> list[_Row]:
    columns = _columns(headline)
    clients: Sequence[_Figures] = totals.get("clients") or ()
    late_ms = {
        client: process.get(_HEARTBEAT) for process in process_summaries(totals) for client in clients_of(process)
    }
    rows = [
        _Row(_texts(columns, {**client, _HEARTBEAT: late_ms.get(number)}), False)
        for number, client in enumerate(clients, start=1)
    ]
    variability = [""] * len(columns)
    variability[0], variability[_HEADLINE] = _VARIABILITY, variability_text(totals_variability_pct(headline, totals))
    return [*rows, _Row(_texts(columns, totals), True), _Row(tuple(variability), True)]


def _texts(columns: Sequence[_Column], figures: _Figures) -> tuple[str, ...]:
    return tuple(text(figures) for _, _, text in columns)


def _alignment(column: int) -> Qt.AlignmentFlag:
    side = Qt.AlignmentFlag.AlignRight if column else Qt.AlignmentFlag.AlignLeft
    return side | Qt.AlignmentFlag.AlignVCenter
