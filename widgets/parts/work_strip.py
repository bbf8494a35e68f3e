"""The strip below the places: a line for each long work that goes on, with how far it is and a button to cancel it."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QProgressBar, QPushButton, QVBoxLayout, QWidget

from engine.figure_text import capitalised
from widgets.parts.cut_label import CutLabel

_BAR_STEPS = 1000
_BAR_LETTERS = 24


class WorkLine(QWidget):
    """One work: its name, what is being done of it, a bar, and Cancel. Hidden until it is shown."""

    cancel_wished = Signal()

    def __init__(self, name: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._name = capitalised(name)
        self._text = CutLabel(self._name, self)
        self._bar = QProgressBar(self)
        self.cancel_button = QPushButton("Cancel", self)
        self._build()
        self.hide()

    @property
    def text(self) -> str:
        return self._text.text()

    @property
    def share(self) -> float | None:
        """How much of the work is done, from 0 to 1; ``None`` as long as nobody has said."""
        return self._bar.value() / _BAR_STEPS if self._bar.maximum() else None

    def show_progress(self, doing: str, share: float) -> None:
        """What is being done, and how much of the whole is."""
        if not self.cancel_button.isEnabled():
            return
        self._text.setText(f"{self._name}: {doing}" if doing else self._name)
        self._bar.setRange(0, _BAR_STEPS)
        self._bar.setValue(round(_BAR_STEPS * share))

    def _build(self) -> None:
        self._bar.setRange(0, 0)
        self._bar.setTextVisible(False)
        self._bar.setAccessibleName(f"Progress: {self._name}")
        self._bar.setFixedWidth(self.fontMetrics().averageCharWidth() * _BAR_LETTERS)
        self.cancel_button.setAccessibleName(f"Cancel: {self._name}")
        self.cancel_button.clicked.connect(self._on_cancel)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 4, 12, 4)
        row.addWidget(self._text, 1)
        row.addWidget(self._bar)
        row.addWidget(self.cancel_button)

    def _on_cancel(self) -> None:
        self.cancel_button.setEnabled(False)
        self._text.setText(f"{self._name}: cancelling")
        self.cancel_wished.emit()


class WorkStrip(QFrame):
    """Takes no room while nothing long goes on; the lines stand in the order in which the works were begun."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)

    def make_line(self, name: str) -> WorkLine:
        """A line for a work, not shown yet."""
        line = WorkLine(name, self)
        self._column.addWidget(line)
        return line

    def remove_line(self, line: WorkLine) -> None:
        """Its work is over."""
        self._column.removeWidget(line)
        line.hide()
        line.deleteLater()
