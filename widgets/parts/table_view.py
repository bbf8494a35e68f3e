"""A table as every screen shows one: sorted by a click or by Ctrl+Up and Ctrl+Down, its columns remembered, its rows
copied as text with Ctrl+C. The client table, the event log and the library's tables are made of it.
"""

from collections.abc import Sequence

from PySide6.QtCore import QAbstractItemModel, QByteArray, QEvent, QModelIndex, QPersistentModelIndex, QPoint, Qt
from PySide6.QtGui import QAction, QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QMenu, QTableView, QWidget

from widgets.parts.cell_delegates import PartedHeader
from widgets.parts.fonts import text_width
from widgets.parts.key_help import KeyHelp

AnyIndex = QModelIndex | QPersistentModelIndex
_ROW_FACTOR = 1.5
_CELL_PADDING_CHARACTERS = 2
_LONGEST_CHARACTERS = 30


class TableView(QTableView):
    """Rows are selected whole; Tab leaves the table, as the arrow keys walk in it."""

    KEY_SECTION = "Tables"
    KEY_HELP = (
        KeyHelp("Ctrl+C", "Copy the selected rows with their titles"),
        KeyHelp("Ctrl+↑, Ctrl+↓", "Sort by the column of the current cell"),
    )

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setHorizontalHeader(PartedHeader(self))
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setTabKeyNavigation(False)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setCornerButtonEnabled(False)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        header.setSectionsMovable(True)
        header.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        header.customContextMenuRequested.connect(self._choose_columns)
        self._fit_rows()

    def make_sortable(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Let the user sort, and begin with a column; its model is a proxy that sorts."""
        self.setSortingEnabled(True)
        self.sortByColumn(column, order)

    def fit_columns(self, widest: Sequence[str]) -> None:
        """Give each column room for its header, for what is in it and for the widest text that may come.

        So nothing moves later; of a long text only so much as a line of some thirty characters holds.
        """
        header = self.horizontalHeader()
        padding = text_width(self.font(), "0" * _CELL_PADDING_CHARACTERS)
        longest = text_width(self.font(), "0" * _LONGEST_CHARACTERS)
        for column, text in enumerate(widest):
            content = min(longest, self.sizeHintForColumn(column) + padding // 2)
            needed = max(content, text_width(self.font(), text) + padding, header.sectionSizeHint(column))
            header.resizeSection(column, needed)

    def save_columns(self) -> bytes:
        """Widths, order, hidden columns and sorting, for ``restore_columns``."""
        return bytes(self.horizontalHeader().saveState().data())

    def restore_columns(self, saved: bytes) -> bool:
        """Whether the columns could be put back; those of another version of the table can't."""
        return bool(saved) and self.horizontalHeader().restoreState(QByteArray(saved))

    def selected_rows(self) -> list[int]:
        """The selected rows of the view's own model, from the top."""
        return sorted(index.row() for index in self.selectionModel().selectedRows())

    def copy_rows(self) -> None:
        """Put the selected rows, with the header, on the clipboard as text with tabs."""
        rows, columns = self.selected_rows(), self._shown_columns()
        if not rows:
            return
        model = self.model()
        titles = [str(model.headerData(column, Qt.Orientation.Horizontal) or "") for column in columns]
        lines = [titles] + [[_text(model, model.index(row, column)) for column in columns] for row in rows]
        QGuiApplication.clipboard().setText("\n".join("\t".join(line) for line in lines))

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

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._fit_rows()

    def _fit_rows(self) -> None:
        height = round(self.fontMetrics().height() * _ROW_FACTOR)
        self.verticalHeader().setMinimumSectionSize(height)
        self.verticalHeader().setDefaultSectionSize(height)

    def _shown_columns(self) -> list[int]:
        """The columns that are not hidden, in the order in which they stand."""
        header = self.horizontalHeader()
        columns = [header.logicalIndex(place) for place in range(header.count())]
        return [column for column in columns if not header.isSectionHidden(column)]

    def _choose_columns(self, at: QPoint) -> None:
        header = self.horizontalHeader()
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for column in range(1, header.count()):
            title = str(self.model().headerData(column, Qt.Orientation.Horizontal) or "")
            action = QAction(title, menu, checkable=True, checked=not header.isSectionHidden(column))
            action.setData(column)
            menu.addAction(action)
        menu.triggered.connect(self._show_column)
        menu.popup(header.mapToGlobal(at))

    def _show_column(self, action: QAction) -> None:
        self.setColumnHidden(action.data(), not action.isChecked())


def _text(model: QAbstractItemModel, index: AnyIndex) -> str:
    shown = model.data(index, Qt.ItemDataRole.DisplayRole)
    if shown is None:
        shown = model.data(index, Qt.ItemDataRole.AccessibleTextRole)
    return "" if shown is None else str(shown).replace("\t", " ").replace("\n", " ")
