"""The foot of the window: the run in progress, messages, a one-line question, and long works.

Its height is constant, so that nothing above it moves, and nothing is covered.
"""

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QSizePolicy, QToolButton, QWidget

from widgets.parts.form.line_question import LineQuestion
from widgets.parts.look import Look
from widgets.parts.message_bar import MessageBar
from widgets.parts.shapes import Shape, Tone, shape_icon
from widgets.parts.work_strip import WorkStrip

_PADDING = 10


class StatusArea(QFrame):
    """``run_clicked``: the run in progress was clicked."""

    run_clicked = Signal()

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._run = QToolButton(self)
        self.bar = MessageBar(look, self)
        self.question = LineQuestion(self)
        self.work_strip = WorkStrip(self)
        self._run.setAutoRaise(True)
        self._run.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._run.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._run.setToolTip("Show the run")
        self._run.setAccessibleName("Show the run")
        self._run.clicked.connect(self.run_clicked)
        self._run.hide()
        self._fit_height()
        # The works use the room that messages leave.
        self.bar.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addWidget(self._run)
        for widget, share in ((self.bar, 3), (self.question, 5), (self.work_strip, 2)):
            layout.addWidget(widget, share)

    def show_run(self, shape: Shape, tone: Tone, text: str) -> None:
        """The run in progress, in a few words; empty without one, or where the page shows it."""
        if text == self.run_text:
            return
        self._run.setVisible(bool(text))
        self._run.setText(text)
        self._run.setAccessibleName(f"Show the run: {text}" if text else "Show the run")
        self._run.setIcon(shape_icon(shape, tone, self._look))

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._fit_height()

    def _fit_height(self) -> None:
        self.setFixedHeight(self.fontMetrics().height() + _PADDING)

    @property
    def run_text(self) -> str:
        return "" if self._run.isHidden() else self._run.text()
