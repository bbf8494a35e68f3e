"""What is under the pointer: the nearest curve's point or a mark, told by the read-out and shown by a dot."""

from collections.abc import Callable, Hashable, Mapping

from PySide6.QtCore import QObject, QPointF, QRect, QRectF, Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QGraphicsEllipseItem, QGraphicsItem, QWidget

from engine.figure_text import clock, clock_tenths
from widgets.parts.chart_curves import Curve
from widgets.parts.chart_marks import Marks
from widgets.parts.chart_plot import ChartPlot
from widgets.parts.chart_read_out import ReadOut
from widgets.parts.look import Look

_NEAR_LINES = 2.5
_DOT = QRectF(-3.5, -3.5, 7, 7)
_IN_FRONT = 200


class Hover(QObject):
    """Follows the pointer over the curves of a chart. ``changed`` names the curve that is near now, or ``None``."""

    changed = Signal(object)

    def __init__(
        self,
        chart: QWidget,
        look: Look,
        plot: ChartPlot,
        curves: Mapping[Hashable, Curve],
        marks: Marks,
        value_text: Callable[[float], str],
    ) -> None:
        super().__init__(chart)
        self.key: Hashable | None = None
        self._pointer: QPointF | None = None
        self._chart, self._look, self._plot = chart, look, plot
        self._curves, self._marks, self._value_text = curves, marks, value_text
        self._read_out = ReadOut(chart)
        self._dot = QGraphicsEllipseItem(_DOT)
        self._dot.setFlag(QGraphicsItem.GraphicsItemFlag.ItemIgnoresTransformations)
        self._dot.setZValue(_IN_FRONT)
        self._dot.hide()
        plot.box.addItem(self._dot, ignoreBounds=True)

    def refresh(self) -> None:
        """What is under the resting pointer may be another one now."""
        self.point(self._pointer)

    def point(self, scene_place: QPointF | None) -> None:
        """The pointer is at a place of the scene, or (``None``) gone."""
        self._pointer = scene_place
        key, text, at = None, "", None
        if scene_place is not None:
            number = self._plot.mark_at(scene_place) if self._marks.held is None else self._marks.held
            if number is not None:
                text = self._mark_text(number)
            elif self._plot.box.sceneBoundingRect().contains(scene_place):
                key, text, at = self._nearest(self._plot.box.mapSceneToView(scene_place))
        self._show_dot(at)
        if text and scene_place is not None:
            view = self._plot.view
            self._read_out.tell(text, view.viewport().mapTo(self._chart, view.mapFromScene(scene_place)))
        else:
            self._read_out.hide()
        if key != self.key:
            self.key = key
            self.changed.emit(key)

    @property
    def text(self) -> str:
        """What the read-out says; nothing while it is hidden."""
        return self._read_out.text() if self._read_out.isVisible() else ""

    @property
    def box(self) -> QRect:
        """Where the read-out is on the chart."""
        return self._read_out.geometry()

    def _nearest(self, place: QPointF) -> tuple[Hashable | None, str, QPointF | None]:
        best: tuple[float, Hashable, float, float] | None = None
        for key, curve in self._curves.items():
            found = curve.nearest(place.x(), place.y(), self._plot.pixel_seconds)
            if found is not None and (best is None or abs(found[1] - place.y()) < best[0]):
                best = (abs(found[1] - place.y()), key, *found)
        reach = _NEAR_LINES * self._chart.fontMetrics().height() * self._plot.pixel_amount
        if best is None or best[0] > reach:
            return None, "", None
        _, key, seconds, value = best
        time = clock(seconds - self._plot.time_axis.origin)
        return key, f"{self._curves[key].style.name}  {time}  {self._value_text(value)}", QPointF(seconds, value)

    def _mark_text(self, number: int) -> str:
        mark = self._marks.of(number)
        return "" if mark is None else f"{mark.label}  {clock_tenths(mark.at_seconds - self._plot.time_axis.origin)}"

    def _show_dot(self, at: QPointF | None) -> None:
        self._dot.setVisible(at is not None)
        if at is not None:
            self._dot.setPos(at)
            self._dot.setBrush(QColor(self._look.colours.text))
            self._dot.setPen(QColor(self._look.colours.surface))
