"""A line of text that takes what room there is: what does not fit is said shorter, or cut with an ellipsis."""

from html import escape

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget


class ElidedLabel(QLabel):
    """Cut at its end, unless one of its shorter texts fits. The tool tip has the whole text then."""

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        self._shorter: tuple[str, ...] = ()
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    def set_texts(self, text: str, *shorter: str) -> None:
        """Show ``text``, or the first of the shorter ones that fits, the longest of which is given first."""
        self._shorter = shorter
        self.setText(text)
        self.update()

    @property
    def shown_text(self) -> str:
        """What there is room for."""
        room, metrics = self.contentsRect().width(), self.fontMetrics()
        texts = (self.text(), *self._shorter)
        fitting = next((text for text in texts if metrics.horizontalAdvance(text) <= room), texts[-1])
        return metrics.elidedText(fitting, Qt.TextElideMode.ElideRight, room)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip:
            self.setToolTip("" if self.shown_text == self.text() else f"<span>{escape(self.text())}</span>")
        return super().event(event)

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        painter = QPainter(self)
        self.style().drawItemText(
            painter,
            self.contentsRect(),
            int(self.alignment().value),
            self.palette(),
            self.isEnabled(),
            self.shown_text,
            self.foregroundRole(),
        )
