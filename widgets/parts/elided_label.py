"""A one-line label whose text is shortened or elided when it does not fit."""

from html import escape

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget


class ElidedLabel(QLabel):
    """Elided at its end, unless one of its shorter texts fits. The tool tip then has the full text."""

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        self._shorter: tuple[str, ...] = ()
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    def set_texts(self, text: str, *shorter: str) -> None:
        """Show ``text``, or the first of the shorter ones that fits, longest first."""
        self._shorter = shorter
        self.setText(text)
        self.update()

    @property
    def shown_text(self) -> str:
        """The displayed text."""
        room, metrics = self.contentsRect().width(), self.fontMetrics()
        texts = (self.text(), *self._shorter)
        elided = [metrics.elidedText(text, Qt.TextElideMode.ElideRight, room) for text in texts]
        # Not by ``horizontalAdvance``: it is rounded, and a text that is a fraction of a pixel wider is elided.
        return next((shown for shown, text in zip(elided, texts, strict=True) if shown == text), elided[-1])

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
