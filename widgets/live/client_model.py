"""The rows of the client table: the present figures of each client, and of all clients in the last row.

It is a ``QStandardItemModel``, which Qt paints without calling Python: new figures are written once a second, while
each painted cell reads eight roles.
"""

from typing import Any

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QColor, QFont, QStandardItem, QStandardItemModel

from engine.analysis.client_rows import ClientRow, client_rows
from engine.analysis.client_state import ClientState
from engine.analysis.headline import headline_of
from engine.analysis.run_data import RunData
from engine.workload.registry import DVD_STORE
from widgets.live.client_cells import Column, accessible_text, cell_text, is_number, sort_key, titles, tool_tip
from widgets.parts.look import Look, client_colour
from widgets.parts.shapes import Shape, Tone, shape_icon

SORT_ROLE = Qt.ItemDataRole.UserRole
SPARK_ROLE = Qt.ItemDataRole.UserRole + 1
CLIENT_ROLE = Qt.ItemDataRole.UserRole + 2
AnyIndex = QModelIndex | QPersistentModelIndex
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_FLAGS = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemNeverHasChildren
_SIGNS: dict[ClientState, tuple[Shape, Tone]] = {
    ClientState.CONNECTING: (Shape.RING, "muted"),
    ClientState.OK: (Shape.DISC, "good"),
    ClientState.RECONNECTING: (Shape.DIAMOND, "warning"),
    ClientState.DOWN: (Shape.CROSS, "bad"),
    ClientState.STALLED: (Shape.SQUARE, "bad"),
    ClientState.SILENT: (Shape.BAR, "warning"),
    ClientState.LOST: (Shape.TRIANGLE, "bad"),
    ClientState.FINISHED: (Shape.TICK, "muted"),
    ClientState.STOPPED: (Shape.SQUARE, "muted"),
    ClientState.INTERRUPTED: (Shape.TRIANGLE, "warning"),
}


class ClientModel(QStandardItemModel):
    """A row per client, the total last; ``visible_changed``: a curve was shown or hidden."""

    visible_changed = Signal(int, bool)

    def __init__(self, look: Look, parent: QObject | None = None) -> None:
        super().__init__(0, len(Column), parent)
        self._look = look
        self._run: RunData | None = None
        self._headline = headline_of(DVD_STORE)
        self._rows: list[ClientRow] = []
        self._written: list[dict[Column, tuple[str, float | str]]] = []
        self._hidden: set[int] = set()
        self._isolated: int | None = None
        self._signs = {state: shape_icon(shape, tone, look) for state, (shape, tone) in _SIGNS.items()}
        self._set_headers()
        look.changed.connect(self._style_all)

    def show_run(self, run: RunData) -> None:
        """Show another run: new rows, all curves visible."""
        self._run, self._headline = run, run.headline
        self._set_headers()
        self._hidden.clear()
        self._isolated = None
        self.setRowCount(0)
        self._rows = client_rows(run)
        self._written = [{} for _ in self._rows]
        for row in self._rows:
            self.appendRow([_item(row, column) for column in Column])
        self._write_all()
        self._style_all()

    def refresh(self) -> None:
        """Read the run again; emits ``dataChanged`` once for everything."""
        if self._run is None:
            return
        self._rows = client_rows(self._run)
        self._write_all()

    def set_isolated(self, client: int | None) -> None:
        """The client that the chart shows alone; its name is bold."""
        self._isolated = client
        self._style_all()

    def set_shown(self, client: int, is_shown: bool) -> None:
        """Set the check box of a client whose curve was shown or hidden elsewhere; emits nothing."""
        (self._hidden.discard if is_shown else self._hidden.add)(client)
        self._tick(client - 1, self._rows[client - 1])

    def is_shown(self, client: int) -> bool:
        return client not in self._hidden

    def setData(self, index: AnyIndex, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:  # noqa: N802
        """Only the check box of a client can be edited."""
        client = index.data(CLIENT_ROLE)
        if role != Qt.ItemDataRole.CheckStateRole or index.column() != Column.CLIENT or client is None:
            return False
        is_shown = Qt.CheckState(value) == Qt.CheckState.Checked
        self.set_shown(client, is_shown)
        self.visible_changed.emit(client, is_shown)
        return True

    def colour(self, client: int | None) -> QColor:
        """The colour of a client's curve, or of the total's."""
        colours = self._look.colours
        return QColor(colours.total if client is None else client_colour(colours, client, len(self._rows) - 1))

    def _set_headers(self) -> None:
        horizontal = Qt.Orientation.Horizontal
        for column, (title, explanation) in titles(self._headline).items():
            self.setHeaderData(column, horizontal, title)
            self.setHeaderData(column, horizontal, _alignment(column), Qt.ItemDataRole.TextAlignmentRole)
            for role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleDescriptionRole):
                self.setHeaderData(column, horizontal, explanation, role)

    def _write_all(self) -> None:
        with QSignalBlocker(self):
            for place, row in enumerate(self._rows):
                self._write(place, row)
        self._emit_all_changed()

    def _style_all(self) -> None:
        with QSignalBlocker(self):
            for place, row in enumerate(self._rows):
                self._style(place, row)
        self._emit_all_changed()

    def _write(self, place: int, row: ClientRow) -> None:
        """Write the changed cells of a row, with their sort keys, and always the spark line."""
        written = self._written[place]
        for column in Column:
            news = cell_text(row, column, self._headline), sort_key(row, column)
            if news == written.get(column) and column is not Column.SPARK:
                continue
            written[column] = news
            item = self.item(place, column)
            item.setText(news[0])
            item.setData(news[1], SORT_ROLE)
            item.setToolTip(tool_tip(row, column, self._headline) or "")
            if column is not Column.CLIENT:
                item.setAccessibleText(accessible_text(row, column, news[0], self._headline))
        self.item(place, Column.SPARK).setData((row.spark, row.spark_top), SPARK_ROLE)
        if row.condition is not None:
            self.item(place, Column.STATE).setIcon(self._signs[row.condition.state])

    def _style(self, place: int, row: ClientRow) -> None:
        """The colour of the client's curve, its check box, and bold text for the total and for an isolated client."""
        if row.client is not None:
            self.item(place, Column.CLIENT).setData(self.colour(row.client), Qt.ItemDataRole.DecorationRole)
        self._tick(place, row)
        font = _bold() if row.client is None or row.client == self._isolated else None
        for column in Column:
            self.item(place, column).setData(font, Qt.ItemDataRole.FontRole)

    def _tick(self, place: int, row: ClientRow) -> None:
        item = self.item(place, Column.CLIENT)
        is_shown = row.client is None or self.is_shown(row.client)
        if row.client is not None:
            item.setCheckState(Qt.CheckState.Checked if is_shown else Qt.CheckState.Unchecked)
        item.setAccessibleText(accessible_text(row, Column.CLIENT, row.label, self._headline, is_shown=is_shown))

    def _emit_all_changed(self) -> None:
        if self._rows:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self._rows) - 1, len(Column) - 1))


def _item(row: ClientRow, column: Column) -> QStandardItem:
    """An empty cell with its client, alignment and check box."""
    item = QStandardItem()
    has_box = column is Column.CLIENT and row.client is not None
    item.setFlags(_FLAGS | Qt.ItemFlag.ItemIsUserCheckable if has_box else _FLAGS)
    item.setTextAlignment(_alignment(column))
    item.setData(row.client, CLIENT_ROLE)
    return item


def _alignment(column: Column) -> Qt.AlignmentFlag:
    return _RIGHT if is_number(column) else _LEFT


def _bold() -> QFont:
    font = QFont()
    font.setBold(True)
    return font
