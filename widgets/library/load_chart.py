"""A figure over the load of a run with stages: a point for each stage, and where the knee is.

Called by the tab of the stages.
"""

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QLineF, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from widgets.parts.chart.amounts import LINEAR
from widgets.parts.chart.painted_axes import TICK_PIXELS, PaintedAxes, Tick, amount_ticks
from widgets.parts.chart.scale import nice_top
from widgets.parts.look import Look

_LEAST_LINES, _LEAST_EMS = 8, 16
_DOT = 3.5
_NEAR_PIXELS = 24


@dataclass(frozen=True, kw_only=True)
class LoadCurve:
    """``points`` are pairs of a load and the value there, by ascending load; ``knee`` is a load, ``None`` without one.

    ``amount`` is the title of the values, ``across`` that of the loads; ``text`` writes a point, ``knee_text`` the
    knee.
    """

    points: tuple[tuple[float, float], ...]
    amount: str
    across: str
    text: Callable[[float, float], str]
    knee: float | None = None
    knee_text: str = ""


class LoadChart(QWidget):
    """Both axes begin at 0. The point under the pointer is told in a tool tip."""

    def __init__(self, look: Look, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._curve: LoadCurve | None = None
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName(name)
        look.changed.connect(self.update)

    @property
    def curve(self) -> LoadCurve | None:
        """What is drawn."""
        return self._curve

    def show_curve(self, curve: LoadCurve | None) -> None:
        """Draw another curve; ``None`` draws nothing."""
        self._curve = curve
        points = () if curve is None else curve.points
        texts = [] if curve is None else [curve.text(*point) for point in points]
        if curve is not None and curve.knee is not None:
            texts.append(curve.knee_text)
        self.setAccessibleDescription("; ".join(texts))
        self.update()

    def sizeHint(self) -> QSize:  # noqa: N802
        em = self.fontMetrics().height()
        return QSize(2 * _LEAST_EMS * em, 2 * _LEAST_LINES * em)

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        em = self.fontMetrics().height()
        return QSize(_LEAST_EMS * em, _LEAST_LINES * em)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        if self._curve is None or not self._curve.points:
            return
        near = min(self._curve.points, key=lambda point: QLineF(event.position(), self._point(*point)).length())
        if QLineF(event.position(), self._point(*near)).length() <= _NEAR_PIXELS:
            QToolTip.showText(event.globalPosition().toPoint(), self._curve.text(*near), self)

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        painter, colours = QPainter(self), self._look.colours
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), QColor(colours.surface))
        if self._curve is None or not self._curve.points:
            return
        beside, below = self._ticks()
        axes = PaintedAxes(painter, self._plot, colours)
        axes.paint_grid(beside, below)
        axes.paint(beside, below, amounts=self._curve.amount, across=self._curve.across)
        self._paint_knee(painter, self._curve)
        painter.setPen(QPen(QColor(colours.accent), 1.8))
        places = [self._point(*point) for point in self._curve.points]
        painter.drawPolyline(places)
        painter.setBrush(QColor(colours.accent))
        painter.setPen(QPen(QColor(colours.surface), 1.0))
        for place in places:
            painter.drawEllipse(place, _DOT, _DOT)

    @property
    def _plot(self) -> QRectF:
        metrics = QFontMetricsF(self.font())
        left = metrics.horizontalAdvance("0 000 000") + 1.8 * metrics.height()
        return QRectF(self.rect()).adjusted(
            left, 1.8 * metrics.height(), -2 * metrics.height(), -2.6 * metrics.height()
        )

    def _tops(self) -> tuple[float, float]:
        assert self._curve is not None
        loads, values = zip(*self._curve.points, strict=True)
        return max(loads), nice_top(max(values))

    def _point(self, load: float, value: float) -> QPointF:
        (most, top), plot = self._tops(), self._plot
        return QPointF(plot.left() + load / most * plot.width(), plot.bottom() - value / top * plot.height())

    def _ticks(self) -> tuple[list[Tick], list[Tick]]:
        assert self._curve is not None
        (most, top), plot, metrics = self._tops(), self._plot, QFontMetricsF(self.font())
        values = amount_ticks(0.0, top, plot.height(), metrics.height())
        room = max(2, int(plot.width() / (3 * metrics.horizontalAdvance("0000"))))
        loads = LINEAR.ticks(0.0, most, room)
        beside = [
            (self._point(0, each).y(), text) for each, text in zip(values, LINEAR.tick_texts(values), strict=True)
        ]
        below = [(self._point(each, 0).x(), text) for each, text in zip(loads, LINEAR.tick_texts(loads), strict=True)]
        return beside, below

    def _paint_knee(self, painter: QPainter, curve: LoadCurve) -> None:
        if curve.knee is None:
            return
        plot, metrics = self._plot, QFontMetricsF(self.font())
        x = self._point(curve.knee, 0).x()
        painter.setPen(QPen(QColor(self._look.colours.mark), 1.0, Qt.PenStyle.DashLine))
        painter.drawLine(QLineF(x, plot.top(), x, plot.bottom()))
        width = metrics.horizontalAdvance(curve.knee_text)
        left = max(plot.left(), min(x - width / 2, self.width() - width - TICK_PIXELS))
        painter.drawText(QPointF(left, plot.top() - TICK_PIXELS), curve.knee_text)
