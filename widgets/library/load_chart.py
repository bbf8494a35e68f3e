"""A figure over the load of runs with stages: of each run a point for each stage, and where the knee is.

Called by the tab of the stages and by the comparison.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import attrgetter

from PySide6.QtCore import QLineF, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from widgets.parts.chart.amounts import LINEAR
from widgets.parts.chart.layers import ColourOf
from widgets.parts.chart.painted_axes import TICK_PIXELS, PaintedAxes, Tick, amount_ticks
from widgets.parts.chart.scale import nice_top
from widgets.parts.look import Look

_LEAST_LINES, _LEAST_EMS = 8, 16
_DOT = 3.5
_NEAR_PIXELS = 24


@dataclass(frozen=True, kw_only=True)
class LoadCurve:
    """``points`` are pairs of a load and the value there, by ascending load; ``knee`` is a load, ``None`` without one.

    ``text`` writes a point, ``knee_text`` the knee, which is drawn in ``knee_colour``.
    """

    points: tuple[tuple[float, float], ...]
    text: Callable[[float, float], str]
    knee: float | None = None
    knee_text: str = ""
    colour: ColourOf = attrgetter("accent")
    knee_colour: ColourOf = attrgetter("mark")


class LoadChart(QWidget):
    """Both axes begin at 0. The point under the pointer is told in a tool tip."""

    def __init__(self, look: Look, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._curves: tuple[LoadCurve, ...] = ()
        self._amount = self._across = ""
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName(name)
        look.changed.connect(self.update)

    @property
    def curves(self) -> tuple[LoadCurve, ...]:
        """What is drawn, the last in front."""
        return self._curves

    def show_curves(self, curves: Sequence[LoadCurve], *, amount: str = "", across: str = "") -> None:
        """Draw other curves, or none. ``amount`` is the title of the values, ``across`` that of the loads."""
        self._curves = tuple(curve for curve in curves if curve.points)
        self._amount, self._across = amount, across
        texts = [curve.text(*point) for curve in self._curves for point in curve.points]
        texts += [curve.knee_text for curve in self._knees()]
        self.setAccessibleDescription("; ".join(texts))
        self.update()

    def sizeHint(self) -> QSize:  # noqa: N802
        em = self.fontMetrics().height()
        return QSize(2 * _LEAST_EMS * em, 2 * _LEAST_LINES * em)

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        em = self.fontMetrics().height()
        return QSize(_LEAST_EMS * em, _LEAST_LINES * em)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        far = [
            (QLineF(event.position(), self._point(*point)).length(), place, point)
            for place, curve in enumerate(self._curves)
            for point in curve.points
        ]
        if far:
            pixels, place, point = min(far)
            if pixels <= _NEAR_PIXELS:
                QToolTip.showText(event.globalPosition().toPoint(), self._curves[place].text(*point), self)

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        painter, colours = QPainter(self), self._look.colours
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), QColor(colours.surface))
        if not self._curves:
            return
        beside, below = self._ticks()
        axes = PaintedAxes(painter, self._plot, colours)
        axes.paint_grid(beside, below)
        axes.paint(beside, below, amounts=self._amount, across=self._across)
        for row, curve in enumerate(self._knees()):
            self._paint_knee(painter, curve, row)
        for curve in self._curves:
            colour = QColor(curve.colour(colours))
            places = [self._point(*point) for point in curve.points]
            painter.setPen(QPen(colour, 1.8))
            painter.drawPolyline(places)
            painter.setBrush(colour)
            painter.setPen(QPen(QColor(colours.surface), 1.0))
            for place in places:
                painter.drawEllipse(place, _DOT, _DOT)

    def _knees(self) -> list[LoadCurve]:
        """The curves with a knee; each has a line of text above the plot."""
        return [curve for curve in self._curves if curve.knee is not None]

    @property
    def _plot(self) -> QRectF:
        metrics = QFontMetricsF(self.font())
        left = metrics.horizontalAdvance("0 000 000") + 1.8 * metrics.height()
        above = 0.8 + max(1, len(self._knees()))
        return QRectF(self.rect()).adjusted(
            left, above * metrics.height(), -2 * metrics.height(), -2.6 * metrics.height()
        )

    def _tops(self) -> tuple[float, float]:
        loads, values = zip(*(point for curve in self._curves for point in curve.points), strict=True)
        return max(loads), nice_top(max(values))

    def _point(self, load: float, value: float) -> QPointF:
        (most, top), plot = self._tops(), self._plot
        return QPointF(plot.left() + load / most * plot.width(), plot.bottom() - value / top * plot.height())

    def _ticks(self) -> tuple[list[Tick], list[Tick]]:
        (most, top), plot, metrics = self._tops(), self._plot, QFontMetricsF(self.font())
        values = amount_ticks(0.0, top, plot.height(), metrics.height())
        room = max(2, int(plot.width() / (3 * metrics.horizontalAdvance("0000"))))
        loads = LINEAR.ticks(0.0, most, room)
        beside = [
            (self._point(0, each).y(), text) for each, text in zip(values, LINEAR.tick_texts(values), strict=True)
        ]
        below = [(self._point(each, 0).x(), text) for each, text in zip(loads, LINEAR.tick_texts(loads), strict=True)]
        return beside, below

    def _paint_knee(self, painter: QPainter, curve: LoadCurve, row: int) -> None:
        """A dashed line at the knee; its text stands ``row`` lines above the plot, after a dot in the line's colour."""
        assert curve.knee is not None
        plot, metrics, colour = self._plot, QFontMetricsF(self.font()), QColor(curve.knee_colour(self._look.colours))
        x, base = self._point(curve.knee, 0).x(), plot.top() - TICK_PIXELS - row * metrics.height()
        painter.setPen(QPen(colour, 1.0, Qt.PenStyle.DashLine))
        painter.drawLine(QLineF(x, plot.top(), x, plot.bottom()))
        before, width = 4 * _DOT, metrics.horizontalAdvance(curve.knee_text)
        left = max(plot.left() + before, min(x - width / 2, self.width() - width - TICK_PIXELS))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        painter.drawEllipse(QPointF(left - before / 2, base - metrics.xHeight() / 2), _DOT, _DOT)
        painter.setPen(QColor(self._look.colours.text))
        painter.drawText(QPointF(left, base), curve.knee_text)
