"""The window in which the kinds of marks and their keys are edited; opened by the marker bar."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QGridLayout,
    QKeySequenceEdit,
    QLabel,
    QLineEdit,
    QPushButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from widgets.live.mark_kinds import DEFAULT_MARK_KINDS, MarkKind, problem_of
from widgets.parts.icons import icon, set_icon
from widgets.parts.look import Look

_LONGEST_LABEL = 60
_SHOWN_CHARACTERS = 24
_TITLES = ("Mark", "Key", "Means", "Asks for a text")
_MEANINGS = (("a moment", False, False), ("a fault", True, False), ("the end of a fault", False, True))


class MarkKindsEditor(QDialog):
    """Not modal, as the run goes on. ``kinds_changed`` carries the kinds when they are saved."""

    kinds_changed = Signal(list)

    def __init__(self, look: Look, kinds: Sequence[MarkKind], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._rows: list[_KindRow] = []
        self.setWindowTitle("Marks and keys")
        self.setModal(False)
        self._grid = QGridLayout()
        self._problem = QLabel(self)
        self._add = QPushButton("Add a kind", self)
        set_icon(self._add, "add", look)
        self._buttons = QDialogButtonBox(self)
        self._save = self._buttons.addButton("Save", QDialogButtonBox.ButtonRole.AcceptRole)
        self._save.setDefault(True)
        self._buttons.addButton("Cancel", QDialogButtonBox.ButtonRole.RejectRole)
        self._defaults = self._buttons.addButton("Defaults", QDialogButtonBox.ButtonRole.ResetRole)
        self._lay_out()
        self._put(kinds)

    def kinds(self) -> list[MarkKind]:
        """The kinds as they stand in the fields."""
        return [row.kind() for row in self._rows]

    def _lay_out(self) -> None:
        for column, title in enumerate(_TITLES):
            self._grid.addWidget(QLabel(title, self), 0, column)
        self._grid.setColumnStretch(0, 1)
        self._problem.setWordWrap(True)
        self._problem.setMinimumHeight(2 * self._problem.fontMetrics().lineSpacing())
        layout = QVBoxLayout(self)
        layout.addLayout(self._grid)
        layout.addWidget(self._add, 0, Qt.AlignmentFlag.AlignLeft)
        layout.addStretch(1)
        layout.addWidget(self._problem)
        layout.addWidget(self._buttons)
        self._add.clicked.connect(self._add_row)
        self._buttons.accepted.connect(self._on_save)
        self._buttons.rejected.connect(self.reject)
        self._defaults.clicked.connect(self._on_defaults)

    def _put(self, kinds: Sequence[MarkKind]) -> None:
        for row in list(self._rows):
            self._take_row(row)
        for kind in kinds:
            self._put_row(kind)
        self._check()

    def _put_row(self, kind: MarkKind) -> "_KindRow":
        row = _KindRow(self._look, kind, self)
        self._rows.append(row)
        line = self._grid.rowCount()
        for column, widget in enumerate(row.widgets):
            self._grid.addWidget(widget, line, column)
        row.changed.connect(self._check)
        row.remove_requested.connect(self._remove_row)
        return row

    def _take_row(self, row: "_KindRow") -> None:
        self._rows.remove(row)
        for widget in row.widgets:
            self._grid.removeWidget(widget)
            widget.hide()
            widget.deleteLater()
        row.deleteLater()

    def _add_row(self) -> None:
        self._put_row(MarkKind(label="")).label.setFocus()
        self._check()

    def _remove_row(self) -> None:
        row = self.sender()
        if isinstance(row, _KindRow):
            self._take_row(row)
            self._add.setFocus()
            self._check()

    def _check(self) -> None:
        problem = problem_of(self.kinds())
        self._problem.setText(problem)
        self._save.setEnabled(not problem)

    def _on_save(self) -> None:
        self.kinds_changed.emit(self.kinds())
        self.accept()

    def _on_defaults(self) -> None:
        self._put(DEFAULT_MARK_KINDS)


class _KindRow(QWidget):
    """The fields of one kind, which are in the editor's grid."""

    changed = Signal()
    remove_requested = Signal()

    def __init__(self, look: Look, kind: MarkKind, parent: QWidget) -> None:
        super().__init__(parent)
        self.hide()
        self.label = QLineEdit(kind.label, parent)
        self.label.setMaxLength(_LONGEST_LABEL)
        self.label.setMinimumWidth(_SHOWN_CHARACTERS * self.label.fontMetrics().averageCharWidth())
        self.key = QKeySequenceEdit(_sequence(kind.key), parent, clearButtonEnabled=True)
        self.key.setMaximumSequenceLength(1)
        self.meaning = QComboBox(parent)
        for text, is_fault, ends_fault in _MEANINGS:
            self.meaning.addItem(text)
            if (is_fault, ends_fault) == (kind.is_fault, kind.ends_fault):
                self.meaning.setCurrentText(text)
        self.meaning.setToolTip("A fault is judged: the recovery from it is followed")
        self.asks_text = QCheckBox(parent)
        self.asks_text.setChecked(kind.asks_text)
        self.remove = QToolButton(parent)
        self.remove.setIcon(icon("delete", look))
        self.remove.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.label.textChanged.connect(self._changed)
        self.key.keySequenceChanged.connect(self._changed)
        self.meaning.currentIndexChanged.connect(self._changed)
        self.asks_text.toggled.connect(self._changed)
        self.remove.clicked.connect(self._remove)
        self._name()

    @property
    def widgets(self) -> tuple[QWidget, ...]:
        """The fields from left to right."""
        return self.label, self.key, self.meaning, self.asks_text, self.remove

    def kind(self) -> MarkKind:
        _, is_fault, ends_fault = _MEANINGS[self.meaning.currentIndex()]
        return MarkKind(
            label=self.label.text().strip(),
            key=self.key.keySequence().toString(QKeySequence.SequenceFormat.PortableText),
            asks_text=self.asks_text.isChecked(),
            is_fault=is_fault,
            ends_fault=ends_fault,
        )

    def _changed(self) -> None:
        self._name()
        self.changed.emit()

    def _remove(self) -> None:
        self.remove_requested.emit()

    def _name(self) -> None:
        label = self.label.text() or "new kind"
        self.label.setAccessibleName(f"Name of the mark {label}")
        self.key.setAccessibleName(f"Key of {label}")
        self.meaning.setAccessibleName(f"What {label} means")
        self.asks_text.setAccessibleName(f"{label} asks for a text")
        self.remove.setAccessibleName(f"Remove {label}")
        self.remove.setToolTip(f"Remove {label}")


def _sequence(key: str) -> QKeySequence:
    return QKeySequence.fromString(key, QKeySequence.SequenceFormat.PortableText)
