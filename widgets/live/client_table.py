"""The table of the clients; the total is a row of its own that stays at the bottom, however the clients are sorted.

The run view connects it with the headline chart: Space shows and hides a client's curve, Enter isolates it.
"""

from PySide6.QtCore import (
    QItemSelection,
    QModelIndex,
    QPersistentModelIndex,
    QSortFilterProxyModel,
    Qt,
    Signal,
)
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QFrame, QVBoxLayout, QWidget

from engine.analysis.run_data import RunData
from widgets.live.client_cells import LEAVING, WIDEST, Column
from widgets.live.client_model import CLIENT_ROLE, SORT_ROLE, ClientModel
from widgets.live.spark_line import SparkDelegate
from widgets.parts.fonts import tabular
from widgets.parts.key_help import KeyHelp
from widgets.parts.look import Look
from widgets.parts.table.cell_delegates import SwatchDelegate
from widgets.parts.table.view import TableView

AnyIndex = QModelIndex | QPersistentModelIndex


class ClientTable(QWidget):
    """Signals carry a client's number; ``None`` is all of them, or none highlighted.

    ``visibility_requested`` carries, by client number, whether curves are to be shown.
    """

    isolate_requested = Signal(object)
    highlight_requested = Signal(object)
    visibility_requested = Signal(object)

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = ClientModel(look, self)
        self._isolated: int | None = None
        self._is_fitted = False
        self._view = _ClientView("Clients", self)
        self._total = TableView("Total of all clients", self)
        self._lay_out(look)
        self._model.visible_changed.connect(self._request_visibility)
        self._view.doubleClicked.connect(self._isolate)
        self._view.activate_requested.connect(self._isolate)
        self._view.toggle_requested.connect(self._toggle)

    @property
    def view(self) -> TableView:
        """The table of the clients without the total."""
        return self._view

    @property
    def model(self) -> ClientModel:
        return self._model

    def show_run(self, run: RunData) -> None:
        """Show another run; all curves are visible."""
        self._isolated = None
        self._model.show_run(run)
        if not self._is_fitted:
            self._view.fit_columns([WIDEST.get(column, "") for column in Column])
            self._is_fitted = True
        self._view.columns.show_whole(Column.CLIENT)  # this run's names may be longer than those of the one before
        self._view.columns.give_room()
        for column in (Column.ROLLBACKS, Column.RETRIES):
            self._view.columns.propose(column, is_shown=run.headline.is_transactional)
        self._view.columns.propose(Column.RECONNECTS, is_shown=run.headline.has_users)

    def refresh(self) -> None:
        """Read the run's figures again, once a second."""
        self._model.refresh()

    def set_client_visible(self, client: int, visible: bool) -> None:
        """Set the check box of a client whose curve was shown or hidden in the chart; 0, the total, has none.

        A client is no longer isolated once it is hidden or another one is shown.
        """
        if client and self._model.is_shown(client) != visible:
            self._model.set_shown(client, visible)
        if client and self._isolated is not None and visible != (client == self._isolated):
            self._isolated = None
            self._model.set_isolated(None)

    def save_columns(self) -> bytes:
        return self._view.save_columns()

    def restore_columns(self, saved: bytes) -> None:
        """Restore the columns; an unreadable state changes nothing."""
        if self._view.restore_columns(saved):
            self._is_fitted = True
            self._follow_columns()

    def _lay_out(self, look: Look) -> None:
        for view, is_total in ((self._view, False), (self._total, True)):
            view.setModel(_rows(self._model, is_total=is_total, parent=view))
            view.setItemDelegateForColumn(Column.CLIENT, SwatchDelegate(view))
            view.setItemDelegateForColumn(Column.SPARK, SparkDelegate(look, view))
            view.setFont(tabular(view.font()))
            view.setFrameShape(QFrame.Shape.NoFrame)
            view.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self._view.make_sortable(Column.CLIENT)
        self._view.columns.let_leave(LEAVING)
        self._view.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self._view.selectionModel().selectionChanged.connect(self._highlight)
        header = self._view.horizontalHeader()
        header.sectionResized.connect(self._follow_width)
        header.sectionMoved.connect(self._follow_columns)
        self._build_total()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._view, 1)
        layout.addWidget(self._total)

    def _build_total(self) -> None:
        """The row of the total has no header; its scroll bar is used for both tables, and is below it."""
        total, off = self._total, Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        total.horizontalHeader().hide()
        total.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        total.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        total.setVerticalScrollBarPolicy(off)
        self._view.setHorizontalScrollBarPolicy(off)
        above, below = self._view.horizontalScrollBar(), total.horizontalScrollBar()
        above.valueChanged.connect(below.setValue)
        below.valueChanged.connect(above.setValue)
        below.rangeChanged.connect(self._fit_total)
        self._view.resized.connect(self._fit_total)
        self._fit_total()

    def _fit_total(self) -> None:
        """Both tables scroll by the same range, even when only the upper one has a vertical scroll bar."""
        bar = self._total.horizontalScrollBar()
        needed = bar.sizeHint().height() if bar.maximum() > bar.minimum() else 0
        self._total.setFixedHeight(self._total.verticalHeader().defaultSectionSize() + needed)
        self._total.setMaximumWidth(self._view.viewport().width() + 2 * self._total.frameWidth())

    def _follow_width(self, column: int, _before: int, width: int) -> None:
        self._total.setColumnHidden(column, width == 0)  # a hidden column has no width
        if width:
            self._total.setColumnWidth(column, width)

    def _follow_columns(self) -> None:
        above, below = self._view.horizontalHeader(), self._total.horizontalHeader()
        for place in range(above.count()):
            column = above.logicalIndex(place)
            below.moveSection(below.visualIndex(column), place)
            self._follow_width(column, 0, above.sectionSize(column))

    def _isolate(self, index: AnyIndex) -> None:
        client = index.data(CLIENT_ROLE)
        self._isolated = None if client == self._isolated else client
        self._model.set_isolated(self._isolated)
        self.isolate_requested.emit(self._isolated)

    def _toggle(self) -> None:
        model = self._view.model()
        clients = [model.index(row, Column.CLIENT).data(CLIENT_ROLE) for row in self._view.selected_rows()]
        requested = {client: not self._model.is_shown(client) for client in clients}
        for client, is_shown in requested.items():
            self._model.set_shown(client, is_shown)
        self.visibility_requested.emit(requested)

    def _request_visibility(self, client: int, is_shown: bool) -> None:
        self.visibility_requested.emit({client: is_shown})

    def _highlight(self, _selected: QItemSelection, _deselected: QItemSelection) -> None:
        rows = self._view.selected_rows()
        only = self._view.model().index(rows[0], Column.CLIENT).data(CLIENT_ROLE) if len(rows) == 1 else None
        self.highlight_requested.emit(only)


def _rows(model: ClientModel, *, is_total: bool, parent: QWidget) -> QSortFilterProxyModel:
    """The clients' rows, or only that of the total, which belongs to no client."""
    rows = QSortFilterProxyModel(parent)
    rows.setSortRole(SORT_ROLE)
    rows.setFilterRole(CLIENT_ROLE)
    rows.setFilterRegularExpression("^$" if is_total else ".")
    rows.setSourceModel(model)
    return rows


class _ClientView(TableView):
    """Space and Enter act on the selected clients, whichever column has the focus."""

    KEY_SECTION = "Table of clients"
    KEY_HELP = (
        KeyHelp("Space", "Show or hide the curves of the selected clients"),
        KeyHelp("Enter", "Show the client's curve alone, and again all"),
    )

    toggle_requested = Signal()
    activate_requested = Signal(QModelIndex)
    resized = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        if event.key() == Qt.Key.Key_Space:
            self.toggle_requested.emit()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self.activate_requested.emit(self.currentIndex())
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self.resized.emit()
