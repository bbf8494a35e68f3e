"""The time chart of every page: live, library, comparison, host figures.

It has curves, bands, marks and levels, and knows nothing of runs. Curves are set, then drawn together by ``refresh``.
"""

import math
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager

from PySide6.QtCore import QEvent, Signal
from PySide6.QtGui import QHideEvent, QImage, QPainter, QPaintEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from engine.analysis.latency.grid import LatencyGrid
from widgets.parts.chart.amounts import LINEAR, LOGARITHMIC
from widgets.parts.chart.curve_set import CurveSet
from widgets.parts.chart.heat import HeatMap
from widgets.parts.chart.hover import Hover
from widgets.parts.chart.keys import CHART_KEYS, ChartKeys
from widgets.parts.chart.layers import Level, thin_pen
from widgets.parts.chart.legend import ChartLegend
from widgets.parts.chart.mark_interaction import MarkInteraction
from widgets.parts.chart.marks import ChartMark, Marks
from widgets.parts.chart.menu import ChartMenu
from widgets.parts.chart.mouse import ChartMouse
from widgets.parts.chart.picture import PNG_SCALE, Caption, ChartPicture
from widgets.parts.chart.plot import ChartPlot, ChartView
from widgets.parts.chart.range import ChartRange
from widgets.parts.chart.range_interaction import RangeInteraction
from widgets.parts.chart.words import describe
from widgets.parts.look import Look

_FOCUS_PIXELS = 1
_LEAST_LINES = 6
_MOST_OF_LEGEND = 0.2


class TimeChart(QWidget):
    """Curves by second. It follows a run until the user zooms or pans, and again after ``back_to_live``.

    ``name`` is the accessible name, ``amount`` the title of the value axis with its unit, and ``value_text`` formats a
    value with its unit. ``time_shown`` is false for a chart above a linked one that shows the times. ``caption`` gives
    the text above pictures. Keys and pointer: see ``keys``, ``mouse`` and ``menu``.
    """

    KEY_SECTION, KEY_HELP = "Charts", CHART_KEYS

    live_changed = Signal(bool)

    def __init__(
        self,
        look: Look,
        *,
        name: str,
        amount: str,
        value_text: Callable[[float], str],
        time_shown: bool = True,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._look, self._name, self._value_text = look, name, value_text
        self._marks, self._range = Marks(), ChartRange()
        self._time_shown, self._words_shown, self._is_alone = time_shown, True, False
        self._since, self._shaded = "since the start", ""
        self._is_growing, self._is_stale = False, True
        self._planned_end: float | None = None
        self.caption: Callable[[], Caption] | None = None
        self.plot = ChartPlot(look, self.font(), self._marks, time_shown=time_shown)
        self._heat = HeatMap(look, self.plot.amount_axis)
        self._heat.set_grid(None)
        self.plot.box.addItem(self._heat, ignoreBounds=True)
        self.legend = ChartLegend(look, self)
        self.curves = CurveSet(look, self.plot, self.legend, self)
        self.hover = Hover(self, name, look, self.plot, self.curves, self._marks, value_text)
        self.menu = ChartMenu(self, self.plot.view, self.to_image, self.back_to_live)
        self.menu.alone_changed.connect(self._on_alone)
        self._connect()
        self._lay_out()
        self.set_amount(name, amount, value_text)

    def _lay_out(self) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(_FOCUS_PIXELS, _FOCUS_PIXELS, _FOCUS_PIXELS, _FOCUS_PIXELS)
        layout.setSpacing(0)
        layout.addWidget(self.plot.view, 1)
        layout.addWidget(self.legend)
        self.setMinimumHeight(_LEAST_LINES * self.fontMetrics().height())
        self.setFocusProxy(self.plot.view)

    def _connect(self) -> None:
        mouse = ChartMouse(self.plot.view, self.plot.mark_at)
        keys = ChartKeys(self.plot.view, lambda: self._marks.chosen is not None)
        keys.focus_changed.connect(self.update)
        self._range_interaction = RangeInteraction(self._range, mouse, keys, self)
        self._range_interaction.changed.connect(self.refresh)
        self._range_interaction.live_changed.connect(self.live_changed)
        self.marking = MarkInteraction(self.plot, self._marks, mouse, keys, self)
        mouse.pointed.connect(self.hover.point)  # after the user has dragged a mark there
        self.curves.changed.connect(self.refresh)
        self._look.changed.connect(self._paint)

    # Content

    def set_amount(self, name: str, amount: str, value_text: Callable[[float], str], *, short: str = "") -> None:
        """Show another kind of values; the arguments are those of the constructor. ``short`` is the title of the value
        axis where the chart is too low for ``amount``."""
        self._name, self._value_text = name, value_text
        self.plot.amount_axis.set_title(amount, self.font(), short)
        self.hover.set_amount(name, value_text)
        for widget in (self, self.plot.view, self.plot.view.viewport()):
            widget.setAccessibleName(name)

    def clear(self) -> None:
        """Remove everything, as for another run, which is followed again."""
        self.curves.clear()
        self.plot.overlay.clear_levels()
        self._marks.chosen = None
        self._planned_end = None
        self.set_heat(None)
        self.plot.set_bands(())
        self.plot.set_spans(())
        self.set_marks(())
        self.back_to_live()

    def set_heat(self, grid: LatencyGrid | None, counted: str = "", end: int | None = None) -> None:
        """Shade the ``counted`` transactions of a grid behind the curves, those before second ``end`` if it is given;
        the chart's values are milliseconds.

        ``refresh`` draws them.
        """
        self._shaded = counted
        self._heat.set_grid(grid, end)

    def set_logarithmic(self, is_logarithmic: bool) -> None:
        """Use a logarithmic or a linear scale."""
        amounts = LOGARITHMIC if is_logarithmic else LINEAR
        if amounts is not self._range.amounts:
            self._range.set_amounts(amounts)
            self.plot.amount_axis.set_amounts(amounts)
            self.refresh()

    def show_words(self, are_shown: bool) -> None:
        """Show phases and marks' labels above the chart, or leave that to a linked one above it."""
        self._words_shown = are_shown
        self.plot.strip.show_words(are_shown or self._is_alone)

    def show_time(self, is_shown: bool) -> None:
        """Show the times below the chart, or leave that to a linked one below it."""
        if is_shown != self._time_shown:
            self._time_shown = is_shown
            self._show_around()

    def set_level(self, key: Hashable, level: Level | None) -> None:
        """Set a dashed horizontal line, or remove it."""
        self.plot.overlay.set_level(key, level)
        self.refresh()

    def set_origin(self, seconds: float, since: str) -> None:
        """Let the time axis count from a second of the chart's clock; ``since`` says what happened then."""
        if (seconds, since) != (self.plot.time_axis.origin, self._since):
            self._since = since
            self.plot.time_axis.set_origin(seconds)
            self.refresh()

    def set_growing(self, growing: bool, planned_end: float | None = None) -> None:
        """A running run gets room to grow, up to its ``planned_end`` if it has one; one that is over is shown
        completely."""
        self._is_growing, self._planned_end = growing, planned_end

    # Marks

    def set_marks(self, marks: Sequence[ChartMark], *, editable: bool = False) -> None:
        """Set all marks; one that is being dragged stays at the pointer."""
        self.marking.is_editable = editable
        if tuple(marks) != self._marks.all:
            self._marks.set(marks)
            self.plot.arrange_marks(were_set=True)
            self.hover.refresh()

    @property
    def marks(self) -> tuple[ChartMark, ...]:
        return self._marks.all

    # Range

    @property
    def is_live(self) -> bool:
        return self._range.is_live

    @property
    def view(self) -> ChartView:
        """pyqtgraph's widget, which has the focus."""
        return self.plot.view

    @property
    def amount_range(self) -> tuple[float, float]:
        """The values at the bottom and at the top."""
        amounts = self._range.amounts
        return amounts.value(self._range.bottom), amounts.value(self._range.top)

    @property
    def visible_range(self) -> tuple[float, float]:
        """The seconds at the left and the right end."""
        return self._range.first, self._range.last

    def back_to_live(self) -> None:
        """Show the whole run, and follow it."""
        self._range_interaction.back_to_live()

    def show_range(self, first: float, last: float) -> None:
        """Show this range as if chosen by the user."""
        self._range_interaction.show(first, last)

    def link_to(self, other: "TimeChart") -> None:
        """Let two charts share their time range and a crosshair, whichever of them is zoomed."""
        self._range_interaction.link_to(other._range_interaction)
        other.hover.share(self.hover.crosshair)

    def refresh(self) -> None:
        """Draw what was set. A hidden chart waits until it is shown."""
        self._is_stale = True
        if self.isVisible():
            self._draw()

    # Pictures and texts

    @contextmanager
    def picture(self, pixel: float = 1.0) -> Iterator[ChartPicture]:
        """The chart in its present colours, to be drawn within the block; ``pixel`` is the picture's pixels for each
        pixel of the screen.

        It stands alone: it has the times and words that a linked chart shows. A chart that was never shown is laid out
        first.
        """
        self.hover.point(None)
        was_alone = self._is_alone
        self._on_alone(True)
        if not self.isVisible():
            self.grab()
            self._draw()
        self.plot.lay_out_now()
        self.curves.paint(pixel, is_picture=True)
        yield ChartPicture(
            view=self.plot.view,
            font=self.font(),
            colours=self._look.colours,
            title=self._name,
            description=self.summary(),
            time_title=self.legend.title,
            entries=[entry for entry in self.legend.entries if entry.is_shown],
            caption=None if self.caption is None else self.caption(),
        )
        self.curves.paint()
        self._on_alone(was_alone)

    def to_image(self, scale: float = PNG_SCALE) -> QImage:
        """The chart as a picture, with ``scale`` pixels for each pixel of the screen."""
        with self.picture(scale) as picture:
            return picture.image(scale)

    def summary(self) -> str:
        """The chart in a sentence, for screen readers."""
        return describe(
            self._name,
            self.curves.main,
            len(self.curves.by_key),
            self._marks,
            self.plot.time_axis.origin,
            self._value_text,
        )

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        super().showEvent(event)
        if self._is_stale:
            self._draw()

    def hideEvent(self, event: QHideEvent) -> None:  # noqa: N802
        super().hideEvent(event)
        self.hover.point(None)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        painter = QPainter(self)
        colours = self._look.colours
        painter.fillRect(self.rect(), colours.surface)
        painter.setPen(thin_pen(colours.accent if self.plot.view.hasFocus() else colours.surface, painter))
        painter.drawRect(self.rect().adjusted(0, 0, -1, -1))

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self._fit_legend()
        self.refresh()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        super().changeEvent(event)
        if event.type() == QEvent.Type.DevicePixelRatioChange:
            self.refresh()

    def _draw(self) -> None:
        self._is_stale = False
        begin, end = self.curves.extent
        end_with_marks = max([end, *(math.ceil(mark.at_seconds) for mark in self._marks.all)])
        self._range.set_extent(begin, end_with_marks, growing=self._is_growing, planned_end=self._planned_end)
        first, last = self._range.first, self._range.last
        pixel_seconds = (last - first) / max(1, self.plot.view.width())
        lowest, highest = self.curves.draw(first, last, pixel_seconds) or (0.0, 0.0)
        if self._heat.is_shown:
            self._heat.prepare(first, last, end, self.plot.view.width())
            lowest = min(lowest, self._heat.lowest_ms)
        self._range.fit_y(lowest, self.plot.overlay.highest_level(highest))
        self.plot.show_range(self._range)
        self.curves.choose_strokes(pixel_seconds, self.plot.pixel_position)
        self.legend.set_titles(self._legend_titles())
        self._fit_legend()
        self.hover.refresh()
        for widget in (self, self.plot.view):
            widget.setAccessibleDescription(self.summary())

    def _legend_titles(self) -> tuple[str, ...]:
        """The origin of the times and what is shaded; the first alone where both have no room."""
        time = f"time {self._since} ({self.plot.time_axis.unit})" if self._time_shown or self._is_alone else ""
        shading = f"shaded: {self._shaded} by response time" if self._heat.is_shown else ""
        return tuple(dict.fromkeys(filter(None, ("; ".join(filter(None, (time, shading))), time))))

    def _on_alone(self, is_alone: bool) -> None:
        """In full screen no other chart shows the times and labels."""
        self._is_alone = is_alone
        self._show_around()

    def _show_around(self) -> None:
        self.plot.show_time(self._time_shown or self._is_alone)
        self.plot.strip.show_words(self._words_shown or self._is_alone)
        self.refresh()

    def _fit_legend(self) -> None:
        """In a low chart the curves have priority."""
        self.legend.fit(self.width() - 2 * _FOCUS_PIXELS, round(_MOST_OF_LEGEND * self.height()))

    def _paint(self) -> None:
        self.plot.paint()
        self._heat.repaint_look()
        self.curves.paint()
        self.legend.update()
        self.update()
