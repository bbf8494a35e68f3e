"""The scene of a chart: pyqtgraph's plot with our axes, strip, ground, rulers and foot, in the look's colours."""

import pyqtgraph as pg
from PySide6.QtCore import QPointF
from PySide6.QtGui import QFont, QFontMetricsF

from widgets.parts.chart_axes import AmountAxis, TimeAxis, paint_axis
from widgets.parts.chart_foot import Foot
from widgets.parts.chart_ground import Ground, Rulers
from widgets.parts.chart_mark_strip import MarkStrip
from widgets.parts.chart_marks import Marks
from widgets.parts.chart_scale import ChartRange
from widgets.parts.look import Look

_FOOT_ROW, _PLOT_COLUMN = 4, 1
_REACH_PIXELS = 4.0


class ChartPlot:
    """Puts the parts together and keeps them in step; ``view`` is the widget to place."""

    def __init__(self, look: Look, font: QFont, marks: Marks, *, time_shown: bool) -> None:
        self._look, self._marks = look, marks
        self.time_axis, self.amount_axis = TimeAxis(font), AmountAxis(font)
        self.strip = MarkStrip(look, font, marks)
        self.view = pg.PlotWidget(
            axisItems={"bottom": self.time_axis, "left": self.amount_axis, "top": self.strip},
            viewBox=pg.ViewBox(enableMenu=False, enableMouse=False, defaultPadding=0),
            enableMenu=False,
        )
        self.view.setAcceptDrops(False)  # what is dropped on a chart is the window's
        item = self.view.getPlotItem()
        item.hideButtons()
        item.showAxis("top")
        self.box = item.getViewBox()
        self.box.disableAutoRange()
        self.ground = Ground(look, self.time_axis, self.amount_axis)
        self.rulers = Rulers(look, QFontMetricsF(font))
        self.strip.ground = self.ground
        for each in (self.ground, self.rulers):
            self.box.addItem(each, ignoreBounds=True)
        self.foot = Foot(look, font)
        self._time_shown = time_shown
        self.time_axis.setStyle(showValues=time_shown)
        item.layout.addItem(self.foot, _FOOT_ROW, _PLOT_COLUMN)
        half_a_label = QFontMetricsF(font).horizontalAdvance("0:00:00") / 2
        half_a_line = QFontMetricsF(font).height() / 2  # the topmost amount stands at the very top
        item.layout.setContentsMargins(0, half_a_line, half_a_label, 0)
        self.paint()

    @property
    def pixel_seconds(self) -> float:
        """How many seconds a pixel is wide."""
        first, last = self.time_axis.range
        return float((last - first) / max(1.0, self.box.width()))

    @property
    def pixel_amount(self) -> float:
        """How much a pixel is high."""
        bottom, top = self.amount_axis.range
        return float((top - bottom) / max(1.0, self.box.height()))

    def paint(self) -> None:
        """Set the colours of the look: pyqtgraph does not follow it by itself."""
        colours = self._look.colours
        self.view.setBackground(colours.surface)
        for axis in (self.time_axis, self.amount_axis):
            paint_axis(axis, colours)
        self.amount_axis.label.setDefaultTextColor(colours.muted)
        self.redraw()

    def redraw(self) -> None:
        for part in (self.ground, self.rulers, self.strip, self.foot):
            part.update()

    def set_since(self, since: str) -> None:
        """Say below the time axis what it counts from."""
        self.foot.set_title(f"time {since} ({self.time_axis.unit})" if self._time_shown else "")

    def show_range(self, wanted: ChartRange) -> None:
        self.box.setRange(xRange=(wanted.first, wanted.last), yRange=(wanted.bottom, wanted.top), padding=0)

    def arrange_marks(self, *, were_set: bool) -> None:
        """Place the marks' labels and their lines."""
        chosen = None if self._marks.chosen is None else self._marks.of(self._marks.chosen)
        self.rulers.marks = self._marks.all
        self.rulers.chosen_second = None if chosen is None else chosen.at_seconds
        self.rulers.update()
        self.strip.arrange(shrink=were_set)

    def mark_at(self, scene_place: QPointF) -> int | None:
        """The mark whose label or line is under the pointer."""
        number = self.strip.label_at(scene_place)
        if number is not None or not self.box.sceneBoundingRect().contains(scene_place):
            return number
        at, reach = self.box.mapSceneToView(scene_place).x(), _REACH_PIXELS * self.pixel_seconds
        near = min(self._marks.all, key=lambda mark: abs(mark.at_seconds - at), default=None)
        return near.number if near is not None and abs(near.at_seconds - at) <= reach else None
