"""The base of all tables: sorted by a click or by Ctrl+Up and Ctrl+Down, columns stored, rows copied with Ctrl+C."""

from collections.abc import Sequence
from html import escape

from PySide6.QtCore import QEvent, QModelIndex, QPoint, Qt
from PySide6.QtGui import QAction, QContextMenuEvent, QHelpEvent, QKeyEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QMenu, QTableView, QToolTip, QWidget

from widgets.parts.key_help import KeyHelp
from widgets.parts.table.cell_delegates import SpacedCells, SpacedHeader
from widgets.parts.table.columns import TableColumns, column_title
from widgets.parts.table.copying import CopyAs, copy_rows

_ROW_FACTOR = 1.5


class TableView(QTableView):
    """Whole rows are selected; Tab leaves the table, as the arrow keys move in it.

    ``identity_column`` identifies the rows and can't be hidden. ``keeps_widths`` is for a table with a search field:
    its columns do not change with the rows found.
    """

    identity_column = 0
    keeps_widths = False

    KEY_SECTION = "Tables"
    KEY_HELP = (
        KeyHelp("Ctrl+C", "Copy the selected rows with their titles"),
        KeyHelp("Ctrl+↑, Ctrl+↓", "Sort by the column of the current cell"),
    )

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        header = SpacedHeader(self)
        self.setHorizontalHeader(header)
        self.spaced_header, self._spaced_cells = header, SpacedCells(header, self)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setTabKeyNavigation(False)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setCornerButtonEnabled(False)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header.setHighlightSections(False)
        header.setSectionsMovable(True)
        header.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        header.customContextMenuRequested.connect(self._choose_columns)
        self.columns = TableColumns(self, header)
        self._fit_rows()

    def make_sortable(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Let the user sort, initially by a column; the model is a sorting proxy."""
        self.setSortingEnabled(True)
        self.sortByColumn(column, order)

    def fit_columns(self, widest: Sequence[str]) -> None:
        """Give each column its initial width; ``widest`` are the widest texts to expect."""
        self._space_cells()
        self.columns.fit(widest)

    def setColumnHidden(self, column: int, hide: bool) -> None:  # noqa: N802
        super().setColumnHidden(column, hide)
        self._space_cells()

    def save_columns(self) -> bytes:
        """Widths, order, hidden columns and sorting, for ``restore_columns``."""
        return self.columns.save()

    def restore_columns(self, saved: bytes) -> bool:
        """Returns whether the columns could be restored; an unreadable state changes nothing."""
        return self.columns.restore(saved)

    def selected_rows(self) -> list[int]:
        """The selected rows of the view's own model, from the top."""
        return sorted(index.row() for index in self.selectionModel().selectedRows())

    def copy_rows(self, copy_as: CopyAs = CopyAs.TABS) -> None:
        """Copy the selected rows, with the header: plain numbers and texts."""
        copy_rows(self, self.selected_rows(), copy_as, self.columns.left)

    def copy_all(self) -> None:
        """Copy all rows, whichever are selected."""
        copy_rows(self, range(self.model().rowCount()), left=self.columns.left)

    def copy_actions(self, parent: QWidget) -> list[QAction]:
        """Menu actions that copy the selected rows."""
        actions = []
        for copy_as in CopyAs:
            action = QAction(copy_as.value, parent, enabled=bool(self.selected_rows()))
            action.triggered.connect(lambda _checked=False, copy_as=copy_as: self.copy_rows(copy_as))
            actions.append(action)
        actions[0].setText(f"{CopyAs.TABS.value}\t{QKeySequence(QKeySequence.StandardKey.Copy).toString()}")
        return actions

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        control = event.modifiers() == Qt.KeyboardModifier.ControlModifier
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy_rows()
        elif control and self.isSortingEnabled() and event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            is_up = event.key() == Qt.Key.Key_Up
            order = Qt.SortOrder.AscendingOrder if is_up else Qt.SortOrder.DescendingOrder
            self.sortByColumn(max(0, self.currentIndex().column()), order)
        else:
            super().keyPressEvent(event)

    def viewportEvent(self, event: QEvent) -> bool:  # noqa: N802
        """A text that is elided is told in a tool tip, where the model has none."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            index = self.indexAt(event.pos())
            if not index.data(Qt.ItemDataRole.ToolTipRole) and self._is_elided(index):
                text = f"<span>{escape(str(index.data()))}</span>"
                QToolTip.showText(event.globalPos(), text, self.viewport(), self.visualRect(index))
                return True
        return super().viewportEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:  # noqa: N802
        """A table without a menu of its own offers to copy."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addActions(self.copy_actions(menu))
        menu.popup(event.globalPos())

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.columns.give_room()

    def reset(self) -> None:
        """The model was reset."""
        super().reset()
        if not self.keeps_widths:
            self.columns.give_room()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._fit_rows()

    def _space_cells(self) -> None:
        """Only columns that need it have a delegate in Python, as it is slow."""
        if isinstance(self.itemDelegate(), SpacedCells):
            return
        for column in range(self.spaced_header.count()):
            if self.spaced_header.is_after_number(column) and self.itemDelegateForColumn(column) is None:
                self.setItemDelegateForColumn(column, self._spaced_cells)

    def _is_elided(self, index: QModelIndex) -> bool:
        return index.isValid() and self.sizeHintForIndex(index).width() > self.visualRect(index).width()

    def _fit_rows(self) -> None:
        height = round(self.fontMetrics().height() * _ROW_FACTOR)
        self.verticalHeader().setMinimumSectionSize(height)
        self.verticalHeader().setDefaultSectionSize(height)

    def _choose_columns(self, at: QPoint) -> None:
        header = self.horizontalHeader()
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for column in range(header.count()):
            if column == self.identity_column:
                continue
            title = column_title(self, column)
            action = QAction(title, menu, checkable=True, checked=not header.isSectionHidden(column))
            action.setData(column)
            menu.addAction(action)
        menu.triggered.connect(self._show_column)
        menu.popup(header.mapToGlobal(at))

    def _show_column(self, action: QAction) -> None:
        self.columns.choose(action.data(), is_shown=action.isChecked())
