"""The seconds until something is injected or pulled by hand, readable from the rack.

Called by the arming panel; the app counts and beeps.
"""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QWidget

from widgets.parts.fonts import scaled, tabular, text_width
from widgets.parts.icons import icon
from widgets.parts.look import Look

_NUMBER_FACTOR = 5.0
_LABEL_FACTOR = 1.8
_WIDEST = "00"


class Countdown(QWidget):
    """``abort_requested`` is emitted by the button, or by Escape wherever the focus is, until zero."""

    abort_requested = Signal()

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.number = QLabel(self)
        self.number.setFont(tabular(scaled(self.font(), _NUMBER_FACTOR, bold=True)))
        self.number.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.number.setFixedWidth(text_width(self.number.font(), _WIDEST))
        self._label = QLabel(self)
        self._label.setFont(scaled(self.font(), _LABEL_FACTOR))
        self._label.setTextFormat(Qt.TextFormat.PlainText)
        self._label.setWordWrap(True)
        self.abort = QPushButton(icon("cross", look), "Abort  Esc", self)
        self.abort.setAccessibleName("Abort the countdown")
        self.abort.clicked.connect(self._on_abort)
        escape = QShortcut(QKeySequence(Qt.Key.Key_Escape), self, self._on_abort)
        escape.setAutoRepeat(False)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.number)
        layout.addWidget(self._label, 1)
        layout.addWidget(self.abort, 0, Qt.AlignmentFlag.AlignVCenter)

    def begin(self, what: str, seconds: int) -> None:
        """Begin a countdown to this; the focus moves to Abort."""
        self._label.setText(what)
        self.show_left(seconds)
        self.abort.setFocus()

    def show_left(self, seconds: int) -> None:
        """This many seconds are left."""
        self.number.setText(str(seconds))
        self.setAccessibleName(f"{self._label.text()} in {seconds} s")

    @property
    def what(self) -> str:
        return self._label.text()

    def _on_abort(self) -> None:
        self.abort_requested.emit()
