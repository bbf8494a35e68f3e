"""The box beside the pointer: a moment, and the values of all charts of the page at it.

A small painted table of line sample, name and value. It ignores clicks and stays inside its window.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPoint, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QWidget

from widgets.parts.chart.legend import paint_line
from widgets.parts.fonts import tabular

_GAP_EMS = 1.0
_PADDING_EMS = 0.5
_SWATCH_EMS = 1.6
_BETWEEN_EMS = 1.2
_WIDEST_NAME_EMS = 28


@dataclass(frozen=True)
class Reading:
    """A curve's value at the moment; without a ``value`` it is a heading for those below."""

    name: str
    value: str = ""
    colour: str = ""
    is_near: bool = False
    is_dashed: bool = False


class ReadOut(QWidget):
    """A box over the charts of a window."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._title, self._readings = "", tuple[Reading, ...]()
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFont(tabular(window.font()))
        self.hide()

    def show_readings(self, title: str, readings: Sequence[Reading], at: QPoint) -> None:
        """Show the readings beside a position of the window, on a side with room."""
        self._title, self._readings = title, tuple(readings)
        self.resize(self.sizeHint())
        room = self._window.rect()
        gap = round(_GAP_EMS * self.fontMetrics().height())
        left = at.x() + gap if at.x() + gap + self.width() <= room.width() else at.x() - gap - self.width()
        top = at.y() - gap - self.height() if at.y() - gap - self.height() >= 0 else at.y() + gap
        self.move(
            max(0, min(left, room.width() - self.width())),
            max(0, min(top, room.height() - self.height())),
        )
        self.update()
        self.show()
        self.raise_()

    @property
    def text(self) -> str:
        """The whole text: the title, then a line for each reading."""
        return "\n".join([self._title, *(f"{each.name}  {each.value}".rstrip() for each in self._readings)])

    def sizeHint(self) -> QSize:  # noqa: N802
        metrics, em = QFontMetricsF(self._bold()), self.fontMetrics().height()
        values = max((metrics.horizontalAdvance(each.value) for each in self._readings), default=0.0)
        names = max((metrics.horizontalAdvance(self._name(each)) for each in self._readings), default=0.0)
        line = _SWATCH_EMS * em + names + _BETWEEN_EMS * em + values if self._readings else 0.0
        width = max(line, metrics.horizontalAdvance(self._title)) + 2 * _PADDING_EMS * em
        return QSize(round(width), round((1 + len(self._readings)) * metrics.height() + 2 * _PADDING_EMS * em))

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        palette, painter = self.palette(), QPainter(self)
        painter.fillRect(self.rect(), palette.color(QPalette.ColorRole.ToolTipBase))
        painter.setPen(palette.color(QPalette.ColorRole.PlaceholderText))
        painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
        height, em = QFontMetricsF(self._bold()).height(), self.fontMetrics().height()
        box = QRectF(self.rect()).adjusted(_PADDING_EMS * em, _PADDING_EMS * em, -_PADDING_EMS * em, 0)
        box.setHeight(height)
        painter.setPen(palette.color(QPalette.ColorRole.ToolTipText))
        painter.setFont(self._bold())
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, self._title)
        for reading in self._readings:
            box.translate(0, height)
            self._paint_reading(painter, box, reading, em)

    def _paint_reading(self, painter: QPainter, box: QRectF, reading: Reading, em: float) -> None:
        role = QPalette.ColorRole.ToolTipText if reading.value else QPalette.ColorRole.PlaceholderText
        painter.setPen(self.palette().color(role))
        painter.setFont(self._bold() if reading.is_near else self.font())
        left = box.adjusted(_SWATCH_EMS * em if reading.value else 0.0, 0, 0, 0)
        painter.drawText(left, Qt.AlignmentFlag.AlignVCenter, self._name(reading))
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, reading.value)
        if reading.colour:
            sample = QRectF(box.left(), box.center().y() - 1.5, em, 3)
            paint_line(painter, sample, reading.colour, dashed=reading.is_dashed)

    def _name(self, reading: Reading) -> str:
        """Elided: names of hosts and runs may be long."""
        widest = round(_WIDEST_NAME_EMS * self.fontMetrics().horizontalAdvance("m"))
        return self.fontMetrics().elidedText(reading.name, Qt.TextElideMode.ElideMiddle, widest)

    def _bold(self) -> QFont:
        bold = QFont(self.font())
        bold.setBold(True)
        return bold
