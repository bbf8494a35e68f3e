"""The end of a server's log, extended while it is followed."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLabel, QPlainTextEdit, QVBoxLayout, QWidget

from widgets.parts.fonts import fixed_width
from widgets.parts.form.fields import choice_field

KEEPER = 0
_MOST_LINES = 5_000


class LogView(QWidget):
    """``log_chosen`` carries the number of the server whose log is to be shown, ``KEEPER`` for Spindle's own
    process."""

    log_chosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._nodes = -1
        self.choice = choice_field(self)
        self.choice.setAccessibleName("Log of")
        self.follow = QCheckBox("Foll&ow", self)
        self.follow.setChecked(True)
        self.follow.setToolTip("Show what is written as it is written.")
        self.text = QPlainTextEdit(self)
        self.text.setReadOnly(True)
        self.text.setTabChangesFocus(True)
        self.text.setMaximumBlockCount(_MOST_LINES)
        self.text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.text.setFont(fixed_width(self.font()))
        self.text.setAccessibleName("Log")
        self.text.setPlaceholderText("Nothing is logged yet.")
        label = QLabel("&Log of", self)
        label.setBuddy(self.choice)
        row = QHBoxLayout()
        row.addWidget(label)
        row.addWidget(self.choice)
        row.addStretch(1)
        row.addWidget(self.follow)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addLayout(row)
        layout.addWidget(self.text, 1)
        self.choice.currentIndexChanged.connect(self._on_chosen)
        self.offer(1)

    @property
    def number(self) -> int:
        """The number of the chosen server."""
        return int(self.choice.currentData())

    def offer(self, nodes: int) -> None:
        """Offer the logs of this many servers and of the keeper; the choice is kept if it still exists."""
        if nodes == self._nodes:
            return
        self._nodes = nodes
        chosen = self.choice.currentData()
        self.choice.blockSignals(True)
        self.choice.clear()
        for number in range(1, nodes + 1):
            self.choice.addItem(f"node{number}", number)
        self.choice.addItem("Spindle's keeper process", KEEPER)
        self.choice.setCurrentIndex(max(self.choice.findData(chosen), 0))
        self.choice.blockSignals(False)
        if self.choice.currentData() != chosen:
            self._on_chosen()

    def show_text(self, text: str) -> None:
        """Show the end of the chosen log."""
        self.text.setPlainText(text.rstrip("\n"))
        self._to_end()

    def add_text(self, text: str) -> None:
        """Append text; the view scrolls only if it was at the end."""
        bar = self.text.verticalScrollBar()
        is_at_end = bar.value() == bar.maximum()
        self.text.appendPlainText(text.rstrip("\n"))
        if is_at_end:
            self._to_end()

    def _to_end(self) -> None:
        bar = self.text.verticalScrollBar()
        bar.setValue(bar.maximum())

    def _on_chosen(self) -> None:
        self.text.clear()
        self.log_chosen.emit(self.number)
