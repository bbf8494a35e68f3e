"""Names to type before something that can hurt is armed. Called by the wizard's review and the live page."""

from collections.abc import Sequence
from itertools import pairwise

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QLabel, QLineEdit, QWidget

from widgets.parts.form.note import FormNote
from widgets.parts.look import Look


class TypedNames(QWidget):
    """A line for each name; hidden without names. The typed text is cleared when the names change."""

    changed = Signal()

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._names: tuple[str, ...] = ()
        self._rows: list[tuple[QLabel, QLineEdit, FormNote]] = []
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setColumnStretch(2, 1)
        self.hide()

    @property
    def names(self) -> tuple[str, ...]:
        return self._names

    @property
    def lines(self) -> list[QLineEdit]:
        """The lines, in the order of the names."""
        return [line for _, line, _ in self._rows]

    @property
    def is_complete(self) -> bool:
        """Whether every name is typed; true without names."""
        return self.first_open() is None

    def first_open(self) -> QLineEdit | None:
        """The first line whose name is not typed."""
        return next((line for name, line in zip(self._names, self.lines, strict=True) if line.text() != name), None)

    def show_names(self, names: Sequence[str]) -> None:
        """Ask for these names."""
        if tuple(names) == self._names:
            return
        for row in self._rows:
            for widget in row:
                self._grid.removeWidget(widget)
                widget.hide()
                widget.deleteLater()
        self._names = tuple(names)
        self._rows = [self._row(place, name) for place, name in enumerate(names)]
        self._order_tabs()
        self.setVisible(bool(names))
        self._show()

    def _row(self, place: int, name: str) -> tuple[QLabel, QLineEdit, FormNote]:
        label = QLabel(f"Type {name.replace('&', '&&')}", self)
        line = QLineEdit(self)
        line.setAccessibleName(f"Type {name} to arm what can hurt it")
        label.setBuddy(line)
        note = FormNote(self._look, self)
        for column, widget in enumerate((label, line, note)):
            self._grid.addWidget(widget, place, column, Qt.AlignmentFlag.AlignVCenter)
            widget.show()
        line.textEdited.connect(self._on_typed)
        return label, line, note

    def _order_tabs(self) -> None:
        """Puts the lines, which are created late, into the tab order at this widget's place."""
        before = self.previousInFocusChain()
        while before is not None and before is not self and not before.focusPolicy() & Qt.FocusPolicy.TabFocus:
            before = before.previousInFocusChain()
        for first, second in pairwise([before or self, *self.lines]):
            QWidget.setTabOrder(first, second)

    def _on_typed(self) -> None:
        self._show()
        self.changed.emit()

    def _show(self) -> None:
        for name, (_, line, note) in zip(self._names, self._rows, strict=True):
            if line.text() == name:
                note.show_good("Armed.")
            else:
                note.show_help(f"This can hurt {name}.")
