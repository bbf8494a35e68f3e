"""A small window at the button that opened it; Escape or a click elsewhere closes it."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QWidget

from widgets.parts.look import Look


class Popover(QFrame):
    """Its content is added by the caller; ``parent`` owns it."""

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self._look = look

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        painter = QPainter(self)
        painter.setPen(QColor(self._look.colours.outline))
        painter.setBrush(QColor(self._look.colours.raised))
        painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
