"""Published results to compare with: the built-in ones, read-only, and the user's own, typed or from CSV."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QGroupBox,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QLineEdit,
    QPushButton,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from engine.analysis.comparing.references import Reference, typed_reference
from engine.analysis.headline import headline_of
from engine.errors import BadInput
from engine.figure_text import capitalised, variability_text
from engine.workload.registry import find_workload, workload_ids
from widgets.parts.dialog_size import resize_to_text
from widgets.parts.form.typed_table import TypedTable
from widgets.parts.table.copying import copy_rows

_TITLES = ("Name", "Rate", "Metric", "Variability", "Source")
_NUMBERS = (1, 3)
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_FIELDS = (
    ("name", "&Name", "R630, 4 databases, SSD"),
    ("source", "&Source", "who published it, and where"),
    ("headline_rate", "{label} of &all clients", "186604"),
    ("clients", "{label} of &each client", "46627; 46597; 46819; 46561"),
    ("headline_rate_before", "Running {label} &before a fault", "186604"),
    ("headline_rate_lowest", "&Lowest running {label} after it", "186271"),
    ("stabilised_seconds", "S&tabilised after, s", "20"),
    ("back_seconds", "Bac&k after, s", "26"),
    ("cost", "&Cost", "10994.88"),
    ("currency", "C&urrency", "$"),
)
_CHARACTERS, _LINES = 195, 48  # room for the longest source of a shipped result
_ROW_HEIGHT = 3  # in halves of a line


class ReferencesDialog(QDialog):
    """``add_requested`` carries a ``Reference``, ``remove_requested`` a name; ``import_requested`` asks for a CSV file.

    The result of a request is shown with ``show_references``.
    """

    add_requested = Signal(object)
    remove_requested = Signal(str)
    import_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._references: list[Reference] = []
        self.table = QTableWidget(0, len(_TITLES), self)
        self.workload = QComboBox(self)
        self.fields = {name: QLineEdit(self) for name, _, _ in _FIELDS}
        self._labels = {name: QLabel(self) for name, _, _ in _FIELDS}
        self.factors = TypedTable("Factors", ("Factor", "Value"), parent=self)
        self.problem = QLabel(self)
        self.remove_button = QPushButton("Remove", self)
        self.import_button = QPushButton("From CSV…", self)
        self.add_button = QPushButton("Add", self)
        self.setWindowTitle("Published results")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._build()
        self._connect()
        self._judge()

    def show_references(self, references: Sequence[Reference]) -> None:
        """Show these results; the form is cleared if its name is among them now."""
        self._references = list(references)
        self.table.setRowCount(len(references))
        for row, each in enumerate(references):
            texts = (
                each.name,
                each.headline.text(each.total_headline_rate or each.headline_rate_before),
                each.headline.label,
                variability_text(each.variability_pct),
                each.source,
            )
            for column, text in enumerate(texts):
                item = QTableWidgetItem(text)
                item.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable)
                item.setToolTip(text)
                if column in _NUMBERS:
                    item.setTextAlignment(_RIGHT)
                self.table.setItem(row, column, item)
        if self.fields["name"].text().strip().casefold() in {each.name.casefold() for each in references}:
            self._clear()
        self._on_selected()

    def _build(self) -> None:
        self.table.setAccessibleName("Published results")
        self.table.setSelectionBehavior(QTableWidget.SelectionBehavior.SelectRows)
        self.table.setSelectionMode(QTableWidget.SelectionMode.SingleSelection)
        self.table.setTabKeyNavigation(False)
        for column, title in enumerate(_TITLES):
            heading = QTableWidgetItem(title)
            heading.setTextAlignment(_RIGHT if column in _NUMBERS else Qt.AlignmentFlag.AlignVCenter)
            self.table.setHorizontalHeaderItem(column, heading)
        self.table.setWordWrap(False)
        self.table.setShowGrid(False)
        self.table.setAlternatingRowColors(True)
        self.table.horizontalHeader().setHighlightSections(False)
        self.table.verticalHeader().hide()
        self.table.verticalHeader().setDefaultSectionSize(_ROW_HEIGHT * self.fontMetrics().height() // 2)
        header = self.table.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(len(_TITLES) - 1, QHeaderView.ResizeMode.Stretch)
        beside = QHBoxLayout()
        beside.addStretch()
        beside.addWidget(self.import_button)
        beside.addWidget(self.remove_button)
        answers = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, parent=self)
        answers.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.addWidget(self.table, 1)
        layout.addLayout(beside)
        layout.addWidget(self._new_group())
        layout.addWidget(answers)
        resize_to_text(self, _CHARACTERS, _LINES)

    def _new_group(self) -> QGroupBox:
        group = QGroupBox("Your own result", self)
        form = QFormLayout()
        for workload in workload_ids():
            self.workload.addItem(find_workload(workload).title, workload)
        of_workload = QLabel("&Workload", self)
        of_workload.setBuddy(self.workload)
        form.addRow(of_workload, self.workload)
        for name, _, example in _FIELDS:
            self.fields[name].setPlaceholderText(example)
            self._labels[name].setBuddy(self.fields[name])
            form.addRow(self._labels[name], self.fields[name])
        self._name_rates()
        row = QHBoxLayout()
        row.addLayout(form, 3)
        beside = QVBoxLayout()
        label = QLabel("&Factors to compare by", self)
        label.setBuddy(self.factors)
        beside.addWidget(label)
        beside.addWidget(self.factors)
        row.addLayout(beside, 2)
        foot = QHBoxLayout()
        self.problem.setWordWrap(True)
        foot.addWidget(self.problem, 1)
        foot.addWidget(self.add_button)
        column = QVBoxLayout(group)
        column.addLayout(row)
        column.addLayout(foot)
        return group

    def _connect(self) -> None:
        copy = QShortcut(QKeySequence(QKeySequence.StandardKey.Copy), self.table)
        copy.setContext(Qt.ShortcutContext.WidgetShortcut)
        copy.activated.connect(self._on_copy)
        self.table.itemSelectionChanged.connect(self._on_selected)
        for field in self.fields.values():
            field.textChanged.connect(self._judge)
        self.factors.edited.connect(self._judge)
        self.workload.currentIndexChanged.connect(self._on_workload)
        self.add_button.clicked.connect(self._on_add)
        self.remove_button.clicked.connect(self._on_remove)
        self.import_button.clicked.connect(self.import_requested)
        for button in self.findChildren(QPushButton):
            button.setAutoDefault(False)

    def _typed(self) -> Reference:
        texts = {name: field.text() for name, field in self.fields.items()} | {"workload": self.workload.currentData()}
        return typed_reference(texts, {row[0]: row[1] for row in self.factors.rows()})

    def _name_rates(self) -> None:
        """Name the fields by the headline of the chosen workload."""
        label = headline_of(self.workload.currentData()).label
        for name, text, _ in _FIELDS:
            self._labels[name].setText(text.format(label=label))

    def _on_workload(self) -> None:
        self._name_rates()
        self._judge()

    def _judge(self) -> None:
        problem = ""
        is_empty = not any(field.text().strip() for field in self.fields.values())
        try:
            self._typed()
        except BadInput as error:
            problem = capitalised(str(error))
        self.problem.setText("" if is_empty else problem)
        self.add_button.setEnabled(not problem)

    def _chosen(self) -> Reference | None:
        row = self.table.currentRow()
        return self._references[row] if self.table.selectedItems() and row < len(self._references) else None

    def _on_selected(self) -> None:
        chosen = self._chosen()
        self.remove_button.setEnabled(chosen is not None and not chosen.is_shipped)
        is_shipped = chosen is not None and chosen.is_shipped
        self.remove_button.setToolTip(
            "Comes with Spindle; cannot be removed" if is_shipped else "Remove your own result"
        )

    def _on_add(self) -> None:
        self.add_requested.emit(self._typed())

    def _on_remove(self) -> None:
        chosen = self._chosen()
        if chosen is not None:
            self.remove_requested.emit(chosen.name)

    def _on_copy(self) -> None:
        copy_rows(self.table, sorted({index.row() for index in self.table.selectedIndexes()}))

    def _clear(self) -> None:
        for field in self.fields.values():
            field.clear()
        self.factors.fill(())
        self._judge()
