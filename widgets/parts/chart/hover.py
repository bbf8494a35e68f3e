"""The read-out of a chart: the second and the nearest curve under the pointer, or a mark.

All charts that share a ``Crosshair`` show it by a line and dots, and one read-out has the values of all.
"""

import math
from collections.abc import Callable, Hashable
from typing import NamedTuple

import pyqtgraph as pg
from PySide6.QtCore import QLineF, QObject, QPoint, QPointF, QRect, QRectF, Signal
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QWidget

from engine.figure_text import clock, clock_tenths
from widgets.parts.chart.curve_set import FEW, CurveSet
from widgets.parts.chart.curves import Curve
from widgets.parts.chart.layers import thin_pen
from widgets.parts.chart.marks import ChartMark, Marks
from widgets.parts.chart.plot import ChartPlot
from widgets.parts.chart.read_out import Reading, ReadOut
from widgets.parts.look import Look

_NEAR_LINES = 2.5
_DOT_PIXELS = 3.5
_IN_FRONT = 200


class Crosshair:
    """One moment in all charts of a page. Every chart has its own until it ``joins`` another's."""

    def __init__(self) -> None:
        self._charts: list[Hover] = []
        self._read_out: ReadOut | None = None

    def join(self, chart: "Hover") -> None:
        self._charts.append(chart)

    def take_charts(self) -> "list[Hover]":
        """Return all charts, and forget them."""
        charts, self._charts = self._charts, []
        return charts

    def point(self, source: "Hover", seconds: float, title: str, at: QPoint) -> None:
        """Show this second in every chart, and its values at a position of ``source``'s widget."""
        shown = [chart for chart in self._charts if chart.is_shown]
        sections = []
        for chart in shown:
            chart.show_line(seconds)
            readings = chart.readings_at(seconds)
            if readings:
                sections.append([Reading(chart.name), *readings] if len(shown) > 1 else readings)
        read_out = self._read_out_of(source.chart.window())
        read_out.show_readings(title, [each for section in sections for each in section], at)

    def show_title(self, source: "Hover", title: str, at: QPoint) -> None:
        """Show a sentence alone."""
        for chart in self._charts:
            chart.show_line(None)
        self._read_out_of(source.chart.window()).show_readings(title, (), at)

    def leave_point(self) -> None:
        """The pointer has left."""
        for chart in self._charts:
            chart.show_line(None)
        if self._read_out is not None:
            self._read_out.hide()

    def refresh(self) -> None:
        """Update the values after one of the charts was drawn again."""
        for chart in self._charts:
            chart.point_again()

    @property
    def read_out(self) -> ReadOut | None:
        """The read-out while it is shown."""
        return self._read_out if self._read_out is not None and self._read_out.isVisible() else None

    def _read_out_of(self, window: QWidget) -> ReadOut:
        if self._read_out is None or self._read_out.parentWidget() is not window:
            if self._read_out is not None:
                self._read_out.deleteLater()
            self._read_out = ReadOut(window)
        return self._read_out


class _Near(NamedTuple):
    """The curve near the pointer, and the second of its nearest point."""

    key: Hashable
    seconds: float


class Hover(QObject):
    """Follows the pointer over the curves of a chart. ``changed`` carries the key of the curve that is near now, or
    ``None``."""

    changed = Signal(object)

    def __init__(
        self,
        chart: QWidget,
        name: str,
        look: Look,
        plot: ChartPlot,
        curves: CurveSet,
        marks: Marks,
        value_text: Callable[[float], str],
    ) -> None:
        super().__init__(chart)
        self.chart, self.name = chart, name
        self._look, self._plot, self._curves, self._marks = look, plot, curves, marks
        self._value_text = value_text
        self._pointer: QPointF | None = None
        self._line = _Line(look, plot, curves)
        plot.box.addItem(self._line, ignoreBounds=True)
        self.crosshair = Crosshair()
        self.crosshair.join(self)

    def share(self, crosshair: Crosshair) -> None:
        """Share a crosshair with other charts, and with all that share this one's."""
        for chart in self.crosshair.take_charts():
            chart.crosshair = crosshair
            crosshair.join(chart)

    def refresh(self) -> None:
        """After drawing, another curve may be under the resting pointer, or it may have other values."""
        self.crosshair.refresh()

    def point_again(self) -> None:
        """As ``point`` with the last position, while the pointer is on this chart."""
        if self._pointer is not None:
            self.point(self._pointer)

    def point(self, scene_place: QPointF | None) -> None:
        """The pointer is at a position of the scene, or (``None``) has left."""
        self._pointer = scene_place
        mark = self._mark_at(scene_place)
        is_inside = scene_place is not None and self._plot.box.sceneBoundingRect().contains(scene_place)
        near = None
        if scene_place is None or not (is_inside or mark):
            self.crosshair.leave_point()
        elif mark is not None:
            time = clock_tenths(mark.at_seconds - self._plot.time_axis.origin)
            self.crosshair.show_title(self, f"{mark.label}  {time}", self._in_window(scene_place))
        else:
            place = self._plot.box.mapSceneToView(scene_place)
            near = self._nearest(place)
            seconds = math.floor(place.x()) + 0.5 if near is None else near.seconds
            self._curves.point_at(None if near is None else near.key)  # before its reading is shown
            time = clock(seconds - self._plot.time_axis.origin)
            self.crosshair.point(self, seconds, time, self._in_window(scene_place))
        self._curves.point_at(None if near is None else near.key)
        self.changed.emit(None if near is None else near.key)

    def set_amount(self, name: str, value_text: Callable[[float], str]) -> None:
        """What the chart is called, and how its values are written."""
        self.name, self._value_text = name, value_text

    @property
    def is_shown(self) -> bool:
        return self.chart.isVisible()

    def show_line(self, seconds: float | None) -> None:
        """Show a moment by a line, and dots on the curves."""
        self._line.show_at(seconds)

    def readings_at(self, seconds: float) -> list[Reading]:
        """The values of the curves at a second; of many curves only those in front."""
        shown, near = self._curves.shown, self._curves.pointed
        if len(shown) > FEW:
            shown = {key: curve for key, curve in shown.items() if curve.style.rank > 0 or key == near}
        return [
            Reading(
                curve.style.name,
                self._value_text(value),
                self._colour(curve),
                is_near=key == near,
                is_dashed=curve.style.dashed,
            )
            for key, curve in shown.items()
            if (value := curve.at(seconds)) is not None
        ]

    @property
    def near(self) -> Hashable | None:
        """The curve near the pointer."""
        return self._curves.pointed

    @property
    def text(self) -> str:
        """The text of the read-out; empty while it is hidden."""
        return "" if self.crosshair.read_out is None else self.crosshair.read_out.text

    @property
    def box(self) -> QRect:
        """The rectangle of the read-out in the window."""
        return QRect() if self.crosshair.read_out is None else self.crosshair.read_out.geometry()

    def _nearest(self, place: QPointF) -> _Near | None:
        amounts, best = self._plot.amounts, math.inf
        near, value = None, amounts.value(place.y())
        for key, curve in self._curves.by_key.items():
            found = curve.nearest(place.x(), value, self._plot.pixel_seconds)
            away = math.inf if found is None else abs(amounts.position(found[1]) - place.y())
            if found is not None and away < best:
                best, near = away, _Near(key, found[0])
        reach = _NEAR_LINES * self.chart.fontMetrics().height() * self._plot.pixel_position
        return near if best <= reach else None

    def _mark_at(self, scene_place: QPointF | None) -> ChartMark | None:
        """The mark under the pointer; one that is being dragged stays it, whatever it is dragged over."""
        if scene_place is None:
            return None
        number = self._plot.mark_at(scene_place) if self._marks.dragged_mark is None else self._marks.dragged_mark
        return None if number is None else self._marks.of(number)

    def _in_window(self, scene_place: QPointF) -> QPoint:
        view = self._plot.view
        return QPoint(view.viewport().mapTo(self.chart.window(), view.mapFromScene(scene_place)))

    def _colour(self, curve: Curve) -> str:
        return curve.style.colour(self._look.colours)


class _Line(pg.GraphicsObject):  # type: ignore[misc]
    """A vertical line at a second, with a dot on every curve while they are few."""

    def __init__(self, look: Look, plot: ChartPlot, curves: CurveSet) -> None:
        super().__init__()
        self.setZValue(_IN_FRONT)
        self._look, self._plot, self._curves = look, plot, curves
        self._seconds: float | None = None

    def show_at(self, seconds: float | None) -> None:
        if seconds != self._seconds:
            self.prepareGeometryChange()
            self._seconds = seconds
            self.update()

    def boundingRect(self) -> QRectF:  # noqa: N802
        if self._seconds is None:
            return QRectF()
        half = (_DOT_PIXELS + 1.5) * self._plot.pixel_seconds
        view = QRectF(self.viewRect())
        return QRectF(self._seconds - half, view.top(), 2 * half, view.height())

    def viewRangeChanged(self) -> None:  # noqa: N802
        self.prepareGeometryChange()
        self.update()

    def paint(self, painter: QPainter, *_: object) -> None:
        seconds, colours = self._seconds, self._look.colours
        if seconds is None:
            return
        view = QRectF(self.viewRect())
        painter.setPen(thin_pen(colours.muted, painter))
        painter.drawLine(QLineF(seconds, view.top(), seconds, view.bottom()))
        shown = self._curves.shown
        if len(shown) > FEW:
            shown = {key: curve for key, curve in shown.items() if key == self._curves.pointed}
        painter.setTransform(self.sceneTransform().inverted()[0] * painter.transform())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QColor(colours.surface))
        for curve in shown.values():
            value = curve.at(seconds)
            if value is not None:
                place = self.mapToScene(QPointF(seconds, self._plot.amounts.position(value)))
                painter.setBrush(QColor(curve.style.colour(colours)))
                painter.drawEllipse(place, _DOT_PIXELS, _DOT_PIXELS)
