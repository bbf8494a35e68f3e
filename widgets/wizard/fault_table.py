"""The editable table of planned marks and injections. Called by the faults page."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QCompleter,
    QHeaderView,
    QLineEdit,
    QStyleOptionViewItem,
    QWidget,
)

from widgets.parts.table.cell_delegates import SpacedCells
from widgets.parts.table.view import TableView
from widgets.wizard.fault_model import LABEL_COLUMN, TIME_COLUMN, WHAT_COLUMN, FaultModel

USUAL_LABELS = ("Enclosure pulled", "Failover", "Network cut", "Disk pulled", "Power cut", "Restored")
USUAL_TEXTS = (
    "kill primary",
    "freeze primary for 5s",
    "switchover",
    "silence network for 10s",
    "sql 'SELECT pg_promote()' on host2",
    "mark",
)
_EDITORS = {
    TIME_COLUMN: "Time, minutes and seconds",
    WHAT_COLUMN: "Action, such as kill primary",
    LABEL_COLUMN: "Label",
}
_OFFERED = {WHAT_COLUMN: USUAL_TEXTS, LABEL_COLUMN: USUAL_LABELS}


class FaultTable(TableView):
    """Cells are edited with F2, a double click, or by typing; the usual injections and labels are offered."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__("Planned faults", parent)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        triggers = QAbstractItemView.EditTrigger
        self.setEditTriggers(triggers.DoubleClicked | triggers.EditKeyPressed | triggers.AnyKeyPressed)
        self.setItemDelegate(_FaultDelegate(self.spaced_header, self))

    def show_model(self, model: FaultModel) -> None:
        self.setModel(model)
        self.fit_columns(("  0:00:00", "freeze primary", "Enclosure pulled"))
        for column in (WHAT_COLUMN, LABEL_COLUMN):
            self.horizontalHeader().setSectionResizeMode(column, QHeaderView.ResizeMode.Stretch)


class _FaultDelegate(SpacedCells):
    def createEditor(  # noqa: N802
        self, parent: QWidget, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QWidget:
        editor = QLineEdit(parent)
        editor.setAccessibleName(_EDITORS[index.column()])
        if index.column() in _OFFERED:
            completer = QCompleter(_OFFERED[index.column()], editor)
            completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
            editor.setCompleter(completer)
        return editor
