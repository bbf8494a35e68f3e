"""The rows of the client table: what is known of each client at the moment, and of all of them in the last row."""

from collections.abc import Callable
from enum import IntEnum
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QColor, QFont, QIcon

from engine import figure_text
from engine.analysis.client_rows import ClientRow, client_rows
from engine.analysis.client_state import ClientState
from engine.analysis.run_data import RunData
from widgets.parts.look import Look, client_colour
from widgets.parts.shapes import Shape, Tone, shape_icon

SORT_ROLE = Qt.ItemDataRole.UserRole
SPARK_ROLE = Qt.ItemDataRole.UserRole + 1
CLIENT_ROLE = Qt.ItemDataRole.UserRole + 2
AnyIndex = QModelIndex | QPersistentModelIndex
_NO_INDEX = QModelIndex()
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_SIGNS: dict[ClientState, tuple[Shape, Tone]] = {
    ClientState.CONNECTING: (Shape.RING, "muted"),
    ClientState.OK: (Shape.DISC, "good"),
    ClientState.RECONNECTING: (Shape.DIAMOND, "warning"),
    ClientState.DOWN: (Shape.CROSS, "bad"),
    ClientState.SILENT: (Shape.BAR, "warning"),
    ClientState.LOST: (Shape.TRIANGLE, "bad"),
    ClientState.FINISHED: (Shape.TICK, "muted"),
}
_SEVERITY = {state: place for place, state in enumerate(ClientState)}


class Column(IntEnum):
    """The columns in the order in which they stand at first."""

    CLIENT = 0
    TARGET = 1
    STATE = 2
    OPM_RUNNING = 3
    OPM_NOW = 4
    SHARE = 5
    P95 = 6
    ERRORS = 7
    SPARK = 8
    ORDERS = 9
    ROLLBACKS = 10
    RETRIES = 11
    RECONNECTS = 12
    HEARTBEAT = 13


_TITLES = {
    Column.CLIENT: ("Client", "The client, and whether its curve is shown (Space)"),
    Column.TARGET: ("Target", "The database that the client drives"),
    Column.STATE: ("State", "How the client's users are at the moment"),
    Column.OPM_RUNNING: ("OPM", "Orders per minute since the measuring phase began"),
    Column.OPM_NOW: ("Now", "Orders per minute of the last second"),
    Column.SHARE: ("Share %", "The client's share of all orders, %"),
    Column.P95: ("p95 ms", "The service time that 95 % of the orders did not exceed, ms"),
    Column.ERRORS: ("Errors", "Errors of the database since the start"),
    Column.SPARK: ("Last 2 min", "Orders per minute of each of the last 120 seconds"),
    Column.ORDERS: ("Orders", "Orders since the measuring phase began"),
    Column.ROLLBACKS: ("Rollbacks", "Orders rolled back for want of stock"),
    Column.RETRIES: ("Retries", "Orders tried again after an error"),
    Column.RECONNECTS: ("Reconnects", "Connections made anew"),
    Column.HEARTBEAT: (
        "Delay ms",
        "How late a thread of the client's runs that only wants to run every 10 ms, ms (p99):\n"
        "so long can this workstation keep a user waiting",
    ),
}
WIDEST = {
    Column.STATE: "reconnecting 888",
    Column.OPM_RUNNING: "8 888 888",
    Column.OPM_NOW: "8 888 888",
    Column.SHARE: "100.0",
    Column.P95: "88 888",
    Column.ERRORS: "888 888",
    Column.SPARK: "0" * 11,
    Column.ORDERS: "888 888 888",
    Column.ROLLBACKS: "8 888 888",
    Column.RETRIES: "888 888",
    Column.RECONNECTS: "888 888",
    Column.HEARTBEAT: "8 888",
}


_Reader = Callable[[ClientRow], float | None]
_NUMBERS: dict[Column, tuple[_Reader, Callable[[float | None], str]]] = {
    Column.OPM_RUNNING: (lambda row: row.figures.opm_running, figure_text.whole),
    Column.OPM_NOW: (lambda row: row.figures.opm_now, figure_text.whole),
    Column.SHARE: (lambda row: row.share_pct, figure_text.decimal),
    Column.P95: (lambda row: row.figures.p95_ms, figure_text.milliseconds),
    Column.ERRORS: (lambda row: row.errors, figure_text.whole),
    Column.ORDERS: (lambda row: row.figures.orders, figure_text.whole),
    Column.ROLLBACKS: (lambda row: row.figures.rollbacks, figure_text.whole),
    Column.RETRIES: (lambda row: row.figures.retries, figure_text.whole),
    Column.RECONNECTS: (lambda row: row.figures.reconnects, figure_text.whole),
    Column.HEARTBEAT: (lambda row: row.heartbeat_ms, figure_text.milliseconds),
}


class ClientModel(QAbstractTableModel):
    """A row per client and the total as the last; ``visible_changed`` tells of a curve shown or hidden."""

    visible_changed = Signal(int, bool)

    def __init__(self, look: Look, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._run: RunData | None = None
        self._rows: list[ClientRow] = []
        self._hidden: set[int] = set()
        self._isolated: int | None = None
        self._signs = {state: shape_icon(shape, tone, look) for state, (shape, tone) in _SIGNS.items()}

    def show_run(self, run: RunData) -> None:
        """Another run: all rows anew, all curves shown."""
        self.beginResetModel()
        self._run = run
        self._hidden.clear()
        self._isolated = None
        self._rows = client_rows(run)
        self.endResetModel()

    def refresh(self) -> None:
        """Read the run again; one ``dataChanged`` for everything."""
        if self._run is None:
            return
        self._rows = client_rows(self._run)
        self._tell_all()

    def set_isolated(self, client: int | None) -> None:
        """Which client alone is shown by the chart; its name stands in bold."""
        self._isolated = client
        self._tell_all()

    def set_shown(self, client: int, is_shown: bool) -> None:
        """Tick a client's box, or not, as its curve was shown or hidden elsewhere; tells nobody."""
        (self._hidden.discard if is_shown else self._hidden.add)(client)
        index = self.index(client - 1, Column.CLIENT)
        self.dataChanged.emit(index, index, [Qt.ItemDataRole.CheckStateRole])

    def is_shown(self, client: int) -> bool:
        return client not in self._hidden

    def rowCount(self, parent: AnyIndex = _NO_INDEX) -> int:  # noqa: N802
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: AnyIndex = _NO_INDEX) -> int:  # noqa: N802
        return 0 if parent.isValid() else len(Column)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:  # noqa: N802
        if orientation is not Qt.Orientation.Horizontal or not 0 <= section < len(Column):
            return None
        title, explained = _TITLES[Column(section)]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return title
            case Qt.ItemDataRole.ToolTipRole | Qt.ItemDataRole.AccessibleDescriptionRole:
                return explained
            case Qt.ItemDataRole.TextAlignmentRole:
                return _RIGHT if Column(section) in _NUMBERS else _LEFT
        return None

    def flags(self, index: AnyIndex) -> Qt.ItemFlag:
        flags = super().flags(index)
        if index.isValid() and index.column() == Column.CLIENT and self._rows[index.row()].client is not None:
            flags |= Qt.ItemFlag.ItemIsUserCheckable
        return flags

    def setData(self, index: AnyIndex, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:  # noqa: N802
        if role != Qt.ItemDataRole.CheckStateRole or not index.isValid():
            return False
        client = self._rows[index.row()].client
        if client is None:
            return False
        is_shown = Qt.CheckState(value) == Qt.CheckState.Checked
        self.set_shown(client, is_shown)
        self.visible_changed.emit(client, is_shown)
        return True

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        row, column = self._rows[index.row()], Column(index.column())
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return _shown(row, column)
            case Qt.ItemDataRole.TextAlignmentRole:
                return _RIGHT if column in _NUMBERS else _LEFT
            case Qt.ItemDataRole.AccessibleTextRole:
                return self._spoken(row, column)
            case Qt.ItemDataRole.ToolTipRole:
                return _explained(row, column)
            case Qt.ItemDataRole.DecorationRole:
                return self._sign(row, column)
            case Qt.ItemDataRole.CheckStateRole if column is Column.CLIENT and row.client is not None:
                return Qt.CheckState.Checked if self.is_shown(row.client) else Qt.CheckState.Unchecked
            case Qt.ItemDataRole.FontRole:
                return self._font(row)
        return _own(row, column, role)

    def _sign(self, row: ClientRow, column: Column) -> QColor | QIcon | None:
        if column is Column.CLIENT and row.client is not None:
            return self.colour(row.client)
        if column is Column.STATE and row.condition is not None:
            return self._signs[row.condition.state]
        return None

    def colour(self, client: int | None) -> QColor:
        """The colour of a client's curve, or of the total's."""
        colours = self._look.colours
        return QColor(colours.total if client is None else client_colour(colours, client, len(self._rows) - 1))

    def _font(self, row: ClientRow) -> QFont | None:
        if row.client is not None and row.client != self._isolated:
            return None
        bold = QFont()
        bold.setBold(True)
        return bold

    def _spoken(self, row: ClientRow, column: Column) -> str:
        if column is Column.CLIENT and row.client is not None:
            return f"{row.label}, {'shown' if self.is_shown(row.client) else 'hidden'} in the chart"
        if column is Column.SPARK:
            return f"Orders per minute of the last second: {figure_text.whole(row.figures.opm_now)}"
        return f"{_TITLES[column][0]} {_shown(row, column)}"

    def _tell_all(self) -> None:
        if self._rows:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self._rows) - 1, len(Column) - 1))


def _shown(row: ClientRow, column: Column) -> str | None:
    if column in _NUMBERS:
        read, written = _NUMBERS[column]
        return written(read(row))
    texts = {
        Column.CLIENT: row.label,
        Column.TARGET: row.target,
        Column.STATE: row.condition.word if row.condition else "",
    }
    return texts.get(column)


def _explained(row: ClientRow, column: Column) -> str | None:
    if column is Column.ERRORS and row.figures.errors:
        return "\n".join(f"{name.replace('_', ' ')}: {figure_text.whole(n)}" for name, n in row.figures.errors.items())
    if column is Column.TARGET:
        return row.url
    if column is Column.SPARK:
        return f"0 to {figure_text.whole(row.spark_top)} OPM"
    return None


def _own(row: ClientRow, column: Column, role: int) -> Any:
    """What the roles of our own give: numbers to sort by, the spark line, the client's number."""
    if role == SORT_ROLE:
        return _sort_key(row, column)
    if role == SPARK_ROLE:
        return row.spark, row.spark_top
    return row.client if role == CLIENT_ROLE else None


def _sort_key(row: ClientRow, column: Column) -> float | str:
    if column in _NUMBERS:
        number = _NUMBERS[column][0](row)
        return -1.0 if number is None else float(number)
    if column is Column.TARGET:
        return row.target
    if column is Column.STATE:
        return float(_SEVERITY[row.condition.state]) if row.condition else -1.0
    if column is Column.SPARK:
        return float(row.figures.opm_window or 0.0)
    return float(row.client or 0)
