"""The events of a run; marks can be renamed (F2) and removed (Delete)."""

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QFrame, QHeaderView, QMenu, QVBoxLayout, QWidget

from engine.analysis.event_lines import EventLine
from engine.analysis.run_data import RunData
from engine.telemetry.event import EventKind
from widgets.live.event_model import LINE_ROLE, TEXT_COLUMN, TIME_COLUMN, EventModel
from widgets.parts.fonts import tabular, text_width
from widgets.parts.icons import icon
from widgets.parts.key_help import KeyHelp
from widgets.parts.look import Look
from widgets.parts.table.view import TableView

_WIDEST_TIME = "8:88:88.8 "
_SHOWN_WHOLE = (EventKind.WARNING, EventKind.LIBRARY)


class EventLog(QWidget):
    """Scrolls to new lines as long as the end is visible."""

    mark_renamed = Signal(int, str)
    mark_removed = Signal(int)

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._model = EventModel(look, self)
        self._view = _LogView("Event log", self)
        self._view.setModel(self._model)
        self._lay_out()
        for change in (self._model.rowsInserted, self._model.dataChanged, self._model.modelReset):
            change.connect(self._fit_rows)
        self._view.resized.connect(self._fit_rows)
        self._model.rename_requested.connect(self.mark_renamed)
        self._view.rename_requested.connect(self._rename_selected)
        self._view.remove_requested.connect(self._remove_selected)
        self._view.customContextMenuRequested.connect(self._open_menu)

    @property
    def view(self) -> TableView:
        return self._view

    @property
    def model(self) -> EventModel:
        return self._model

    def show_run(self, run: RunData) -> None:
        """Show another run's events, scrolled to the end."""
        self._model.show_run(run)
        self._view.scrollToBottom()

    def refresh(self) -> None:
        """Show the run's new and changed events."""
        bar = self._view.verticalScrollBar()
        follows = bar.value() >= bar.maximum()
        height = self._view.verticalHeader().length()
        self._model.refresh()
        has_grown = self._view.verticalHeader().length() != height
        if follows and has_grown and self._view.state() != QAbstractItemView.State.EditingState:
            self._view.scroll_to_end()

    def rename_mark(self, number: int) -> None:
        """Edit the label of a mark in place."""
        row = self._model.row_of(number)
        if row is None:
            return
        index = self._model.index(row, TEXT_COLUMN)
        self._view.setCurrentIndex(index)
        self._view.scrollTo(index)
        self._view.setFocus()
        self._view.edit(index)

    def _lay_out(self) -> None:
        view = self._view
        view.setFont(tabular(view.font()))
        view.setWordWrap(True)
        view.setFrameShape(QFrame.Shape.NoFrame)
        view.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        view.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        header = view.horizontalHeader()
        header.hide()
        header.setStretchLastSection(True)
        header.setSectionResizeMode(TIME_COLUMN, QHeaderView.ResizeMode.Fixed)
        header.resizeSection(TIME_COLUMN, text_width(view.font(), _WIDEST_TIME))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(view)

    def _fit_rows(self, *_: object) -> None:
        """A warning is shown in full; other events get up to two lines."""
        for row in range(self._model.rowCount()):
            height = self._height_for(self._model.index(row, TEXT_COLUMN).data(LINE_ROLE), row)
            if self._view.rowHeight(row) != height:
                self._view.setRowHeight(row, height)

    def _height_for(self, line: EventLine, row: int) -> int:
        usual, metrics = self._view.verticalHeader().defaultSectionSize(), self._view.fontMetrics()
        room = self._view.columnWidth(TEXT_COLUMN) - self._view.iconSize().width() - 5 * metrics.averageCharWidth()
        if metrics.horizontalAdvance(line.text) <= room:
            return usual
        needed = self._view.sizeHintForRow(row)
        if needed < 2 * metrics.lineSpacing():  # the hint leaves less for margins than the painting does
            needed += metrics.lineSpacing()
        return needed if line.kind in _SHOWN_WHOLE else min(needed, usual + metrics.lineSpacing())

    def _selected_marks(self) -> list[EventLine]:
        lines = [self._model.index(row, TEXT_COLUMN).data(LINE_ROLE) for row in self._view.selected_rows()]
        return [line for line in lines if line.is_mark]

    def _rename_selected(self) -> None:
        marks = self._selected_marks()
        if len(marks) == 1:
            self.rename_mark(marks[0].number)

    def _remove_selected(self) -> None:
        for mark in self._selected_marks():
            self.mark_removed.emit(mark.number)

    def _open_menu(self, at: QPoint) -> None:
        marks = self._selected_marks()
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        rename = QAction(icon("edit", self._look), "Rename mark\tF2", menu, enabled=len(marks) == 1)
        remove = QAction(icon("delete", self._look), "Remove mark\tDel", menu, enabled=bool(marks))
        copy = QAction(icon("copy", self._look), "Copy lines\tCtrl+C", menu)
        rename.triggered.connect(self._rename_selected)
        remove.triggered.connect(self._remove_selected)
        copy.triggered.connect(self._view.copy_rows)
        menu.addActions([rename, remove, copy])
        menu.popup(self._view.viewport().mapToGlobal(at))


class _LogView(TableView):
    """F2 and Delete act on the selected marks."""

    KEY_SECTION = "Event log"
    KEY_HELP = (KeyHelp("F2", "Rename the selected mark"), KeyHelp("Delete", "Remove the selected marks"))

    rename_requested = Signal()
    remove_requested = Signal()
    resized = Signal()

    def scroll_to_end(self) -> None:
        """Also for rows whose heights have just changed."""
        self.updateGeometries()
        self.scrollToBottom()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self.resized.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        if event.key() == Qt.Key.Key_F2:
            self.rename_requested.emit()
        elif event.key() == Qt.Key.Key_Delete:
            self.remove_requested.emit()
        else:
            super().keyPressEvent(event)
