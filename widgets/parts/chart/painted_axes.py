"""The axes of a chart that paints itself with a ``QPainter``: grid, ticks with their texts, and titles.

Called by the histogram of response times and the history of a plan; time charts have axes of pyqtgraph.
"""

from collections.abc import Sequence

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter

from widgets.parts.chart.amounts import LINEAR
from widgets.parts.chart.layers import thin_pen
from widgets.parts.look import Colours

TICK_PIXELS = 4
_MOST_TICKS = 8
Tick = tuple[float, str]
"""The pixel of a tick, of x or y, and its text."""


def amount_ticks(bottom: float, top: float, height: float, line_height: float) -> list[float]:
    """The values between bottom and top that get a tick on an axis of so many pixels."""
    return LINEAR.ticks(bottom, top, min(_MOST_TICKS, max(1, int(height / (2.0 * line_height)))))


class PaintedAxes:
    """Paints around the rectangle ``plot``: the values ``beside`` it to the left, and those ``below`` it."""

    def __init__(self, painter: QPainter, plot: QRectF, colours: Colours) -> None:
        self._painter = painter
        self._plot = plot
        self._colours = colours
        self._metrics = QFontMetricsF(painter.font())

    def paint_grid(self, beside: Sequence[Tick], below: Sequence[Tick] = ()) -> None:
        """Faint lines over the whole plot, at these ticks."""
        plot = self._plot
        self._painter.setPen(thin_pen(self._colours.faint, self._painter))
        for y, _ in beside:
            self._painter.drawLine(QLineF(plot.left(), y, plot.right(), y))
        for x, _ in below:
            self._painter.drawLine(QLineF(x, plot.top(), x, plot.bottom()))

    def paint(self, beside: Sequence[Tick], below: Sequence[Tick], *, amounts: str, across: str) -> None:
        """The two lines, their ticks, and the titles: ``amounts`` along the left axis, ``across`` below the other."""
        painter, metrics, plot = self._painter, self._metrics, self._plot
        painter.setPen(QColor(self._colours.muted))
        painter.drawLine(plot.bottomLeft(), plot.bottomRight())
        painter.drawLine(plot.topLeft(), plot.bottomLeft())
        for y, text in beside:
            left = plot.left() - metrics.horizontalAdvance(text) - 2 * TICK_PIXELS
            painter.drawText(QPointF(left, y + metrics.ascent() / 2 - 1), text)
        for x, text in below:
            painter.drawLine(QLineF(x, plot.bottom(), x, plot.bottom() + TICK_PIXELS))
            left = x - metrics.horizontalAdvance(text) / 2
            painter.drawText(QPointF(left, plot.bottom() + TICK_PIXELS + metrics.ascent()), text)
        under = QRectF(plot.left(), plot.bottom() + TICK_PIXELS + metrics.height(), plot.width(), metrics.height())
        painter.drawText(under, Qt.AlignmentFlag.AlignLeft, across)
        painter.save()
        painter.translate(metrics.height() / 4, plot.center().y())
        painter.rotate(-90)
        along = QRectF(-plot.height() / 2, 0, plot.height(), metrics.height())
        painter.drawText(along, Qt.AlignmentFlag.AlignCenter, amounts)
        painter.restore()
