"""The table of planned marks, edited in its cells. Called by the faults page."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QCompleter,
    QHeaderView,
    QLineEdit,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from widgets.parts.table_view import TableView
from widgets.wizard.fault_model import LABEL_COLUMN, FaultModel

USUAL_LABELS = ("Enclosure pulled", "Failover", "Network cut", "Disk pulled", "Power cut", "Restored")


class FaultTable(TableView):
    """Edited by F2, a double click, or by typing; the label offers the usual ones."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__("Planned marks", parent)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        triggers = QAbstractItemView.EditTrigger
        self.setEditTriggers(triggers.DoubleClicked | triggers.EditKeyPressed | triggers.AnyKeyPressed)
        self.setItemDelegate(_FaultDelegate(self))

    def show_model(self, model: FaultModel) -> None:
        self.setModel(model)
        self.fit_columns(("  0:00:00.000", "Enclosure pulled"))
        self.horizontalHeader().setSectionResizeMode(LABEL_COLUMN, QHeaderView.ResizeMode.Stretch)


class _FaultDelegate(QStyledItemDelegate):
    def createEditor(  # noqa: N802
        self, parent: QWidget, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QWidget:
        editor = QLineEdit(parent)
        editor.setAccessibleName("What happens" if index.column() == LABEL_COLUMN else "Time, minutes and seconds")
        if index.column() == LABEL_COLUMN:
            completer = QCompleter(USUAL_LABELS, editor)
            completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
            editor.setCompleter(completer)
        return editor
