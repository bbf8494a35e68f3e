"""The scene of a chart: axes, mark strip and layers around pyqtgraph's view box, in the look's colours.

pyqtgraph's own plot would create fifty menu widgets that are never shown.
"""

import pyqtgraph as pg
from PySide6.QtCore import QPointF, QSize
from PySide6.QtGui import QFont, QFontMetricsF
from PySide6.QtWidgets import QGraphicsGridLayout, QSizePolicy

from widgets.parts.chart.amounts import Amounts
from widgets.parts.chart.axes import AmountAxis, TimeAxis, half_a_label, paint_axis
from widgets.parts.chart.layers import BackgroundItem, Band, OverlayItem, Span
from widgets.parts.chart.mark_strip import MarkStrip
from widgets.parts.chart.marks import Marks
from widgets.parts.chart.range import ChartRange
from widgets.parts.look import Look

_STRIP_ROW, _PLOT_ROW, _TIME_ROW = range(3)
_REACH_PIXELS = 4.0
_LINES_WIDE, _LINES_HIGH = 24, 9


class ChartView(pg.GraphicsView):  # type: ignore[misc]
    """The widget of the scene; ``axes`` are its axes by side, ``box`` contains the curves."""

    def __init__(self, box: pg.ViewBox, axes: dict[str, pg.AxisItem]) -> None:
        super().__init__()
        self._box, self._axes = box, axes
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAcceptDrops(False)  # drops are handled by the window

    def sizeHint(self) -> QSize:  # noqa: N802
        """The scene is as large as the view, so the view must not derive its size from it."""
        line = self.fontMetrics().height()
        return QSize(_LINES_WIDE * line, _LINES_HIGH * line)

    def getViewBox(self) -> pg.ViewBox:  # noqa: N802
        return self._box

    def getAxis(self, side: str) -> pg.AxisItem:  # noqa: N802
        return self._axes[side]


class ChartPlot:
    """Creates the parts and keeps them in step; ``view`` is the widget to place."""

    def __init__(self, look: Look, font: QFont, marks: Marks, *, time_shown: bool) -> None:
        self._look, self._marks = look, marks
        self.time_axis, self.amount_axis = TimeAxis(font), AmountAxis(font)
        self.strip = MarkStrip(look, font, marks)
        self.box = pg.ViewBox(enableMenu=False, enableMouse=False, defaultPadding=0)
        self.box.disableAutoRange()
        axes = {"bottom": self.time_axis, "left": self.amount_axis, "top": self.strip}
        self.view = ChartView(self.box, axes)
        self.background = BackgroundItem(look, self.time_axis, self.amount_axis)
        self.overlay = OverlayItem(look, QFontMetricsF(font), self.amount_axis)
        self.strip.background = self.background
        for each in (self.background, self.overlay):
            self.box.addItem(each, ignoreBounds=True)
        self._metrics = QFontMetricsF(font)
        self.show_time(time_shown)
        self._lay_out(font)
        self.paint()

    def _lay_out(self, font: QFont) -> None:
        inside = pg.GraphicsWidget()
        grid = QGraphicsGridLayout()
        grid.setSpacing(0)
        grid.setContentsMargins(0, self._metrics.height() / 2, half_a_label(font), 0)  # a value is at the very top
        inside.setLayout(grid)
        for item, row, column in (
            (self.strip, _STRIP_ROW, 1),
            (self.amount_axis, _PLOT_ROW, 0),
            (self.box, _PLOT_ROW, 1),
            (self.time_axis, _TIME_ROW, 1),
        ):
            grid.addItem(item, row, column)
        grid.setRowStretchFactor(_PLOT_ROW, 100)
        grid.setColumnStretchFactor(1, 100)
        for axis in (self.strip, self.amount_axis, self.time_axis):
            axis.linkToView(self.box)
            axis.setZValue(0.5)
        self.view.setCentralItem(inside)

    def show_time(self, is_shown: bool) -> None:
        """Show the times below the plot; without them there is room for the lower half of the lowest value."""
        self.time_axis.setStyle(showValues=is_shown)
        self.time_axis.setHeight(None if is_shown else self._metrics.ascent() - self._metrics.height() / 2)

    def lay_out_now(self) -> None:
        """Give the axes their places, which otherwise waits for the event loop."""
        self.view.centralWidget.layout().activate()

    @property
    def amounts(self) -> Amounts:
        """The scale of the values."""
        return self.amount_axis.amounts

    @property
    def pixel_seconds(self) -> float:
        """Seconds per pixel."""
        first, last = self.time_axis.range
        return float((last - first) / max(1.0, self.box.width()))

    @property
    def pixel_position(self) -> float:
        """Positions of the value scale per pixel."""
        bottom, top = self.amount_axis.range
        return float((top - bottom) / max(1.0, self.box.height()))

    def paint(self) -> None:
        """Apply the colours of the look, which pyqtgraph does not follow."""
        colours = self._look.colours
        self.view.setBackground(colours.surface)
        for axis in (self.time_axis, self.amount_axis):
            paint_axis(axis, colours)
        self.amount_axis.label.setDefaultTextColor(colours.muted)
        self.redraw()

    def set_bands(self, bands: tuple[Band, ...]) -> None:
        """Shade the phases, with their names above."""
        if bands != self.background.bands:
            self.background.bands = bands
            self.arrange_marks(were_set=False)
            self.redraw()

    def set_spans(self, spans: tuple[Span, ...]) -> None:
        self.background.spans = spans
        self.redraw()

    def redraw(self) -> None:
        for part in (self.background, self.overlay, self.strip):
            part.update()

    def show_range(self, wanted: ChartRange) -> None:
        self.box.setRange(xRange=(wanted.first, wanted.last), yRange=(wanted.bottom, wanted.top), padding=0)

    def arrange_marks(self, *, were_set: bool) -> None:
        """Place the marks' labels and their lines."""
        chosen = None if self._marks.chosen is None else self._marks.of(self._marks.chosen)
        self.overlay.marks = self._marks.all
        self.overlay.chosen_second = None if chosen is None else chosen.at_seconds
        self.overlay.update()
        self.strip.arrange(shrink=were_set)

    def mark_at(self, scene_place: QPointF) -> int | None:
        """The mark whose label or line is under the pointer."""
        number = self.strip.label_at(scene_place)
        if number is not None or not self.box.sceneBoundingRect().contains(scene_place):
            return number
        at, reach = self.box.mapSceneToView(scene_place).x(), _REACH_PIXELS * self.pixel_seconds
        near = min(self._marks.all, key=lambda mark: abs(mark.at_seconds - at), default=None)
        return near.number if near is not None and abs(near.at_seconds - at) <= reach else None
