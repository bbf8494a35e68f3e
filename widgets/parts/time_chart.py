"""The chart over time that every page shows: live, in the library, in a comparison, in a report.

It knows curves, bands, marks and levels, nothing of runs. Curves are set, then drawn together by ``refresh``.
"""

import math
from collections.abc import Callable, Hashable, Sequence

import pyqtgraph as pg
from PySide6.QtCore import QRect, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from engine.analysis.series import Rates
from widgets.parts.chart_curve_set import CurveSet
from widgets.parts.chart_curves import CurveStyle
from widgets.parts.chart_export import PNG_SCALE, png_of, svg_of
from widgets.parts.chart_ground import Band, Level, Span, thin_pen
from widgets.parts.chart_hover import Hover
from widgets.parts.chart_keys import ChartKeys
from widgets.parts.chart_mark_hand import MarkHand
from widgets.parts.chart_marks import ChartMark, Marks
from widgets.parts.chart_mouse import ChartMouse
from widgets.parts.chart_plot import ChartPlot
from widgets.parts.chart_scale import ChartRange
from widgets.parts.chart_words import describe
from widgets.parts.look import Look

_FOCUS_PIXELS = 1
_NEAR_LEVEL = 1.5


class TimeChart(QWidget):
    """Curves by second. It follows a run until somebody zooms or pans, and again after ``back_to_live``.

    ``name`` is what screen readers call it, ``amount`` the title of the y axis with its unit, and ``value_text`` writes
    a value with its unit. ``time_shown`` is false for a chart that another, linked one below shows the time for. Keys
    and pointer: see ``chart_keys`` and ``chart_mouse``.
    """

    live_changed = Signal(bool)
    range_shown = Signal(float, float)
    mark_moved = Signal(int, float)
    mark_selected = Signal(object)
    mark_rename_wished = Signal(int)
    mark_remove_wished = Signal(int)

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
        self._levels: dict[Hashable, Level] = {}
        self._marks, self._range = Marks(), ChartRange()
        self._since = "since the start"
        self._is_growing, self._is_stale = False, True
        self._plot = ChartPlot(look, self.font(), self._marks, time_shown=time_shown)
        self._plot.amount_axis.set_title(amount, self.font())
        self._curves = CurveSet(look, self._plot)
        self._hover = Hover(self, look, self._plot, self._curves.by_key, self._marks, value_text)
        self._hover.changed.connect(self._curves.point_at)
        self._mark_hand = self._connect()
        look.changed.connect(self._paint)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(_FOCUS_PIXELS, _FOCUS_PIXELS, _FOCUS_PIXELS, _FOCUS_PIXELS)
        layout.addWidget(self._plot.view)
        self.setFocusProxy(self._plot.view)
        for widget in (self, self._plot.view, self._plot.view.viewport()):
            widget.setAccessibleName(name)

    def _connect(self) -> MarkHand:
        mouse = ChartMouse(self._plot.view, self._plot.mark_at)
        keys = ChartKeys(self._plot.view, self._has_chosen)
        mouse.zoom_wished.connect(self._zoom)
        keys.zoom_wished.connect(self._zoom)
        mouse.zoom_y_wished.connect(self._zoom_y)
        keys.zoom_y_wished.connect(self._zoom_y)
        mouse.back_wished.connect(self.back_to_live)
        keys.back_wished.connect(self.back_to_live)
        mouse.pan_wished.connect(self._pan)
        keys.pan_wished.connect(self._pan_by_share)
        keys.focus_changed.connect(self.update)
        mouse.pointed.connect(self._hover.point)
        hand = MarkHand(self._plot, self._marks, mouse, keys, self)
        hand.moved.connect(self.mark_moved)
        hand.selected.connect(self.mark_selected)
        hand.rename_wished.connect(self.mark_rename_wished)
        hand.remove_wished.connect(self.mark_remove_wished)
        return hand

    # What is shown

    def set_curve(self, key: Hashable, offset_seconds: float, values: Rates, style: CurveStyle) -> None:
        """Set a curve's values by second, the first at ``offset_seconds``; NaN is a gap. ``refresh`` draws them."""
        self._curves.set(key, offset_seconds, values, style)

    def remove_curve(self, key: Hashable) -> None:
        self._curves.remove(key)

    def clear(self) -> None:
        """Take everything out, as for another run, which is followed again."""
        self._curves.clear()
        self._levels.clear()
        self._plot.rulers.levels = ()
        self._marks.chosen = None
        self.set_bands(())
        self.set_spans(())
        self.set_marks(())
        self.back_to_live()

    @property
    def curve_keys(self) -> tuple[Hashable, ...]:
        return tuple(self._curves.by_key)

    def drawn(self, key: Hashable) -> tuple[Rates, Rates]:
        """The points that are drawn of a curve, as (seconds, values)."""
        seconds, values = self._curves.by_key[key].item.getData()
        return seconds, values

    def set_visible(self, key: Hashable, visible: bool) -> None:
        """Show or hide a curve; ``refresh`` draws what is shown."""
        self._curves.set_visible(key, visible)

    def is_curve_visible(self, key: Hashable) -> bool:
        return self._curves.by_key[key].is_visible

    def emphasise(self, key: Hashable | None) -> None:
        """Bring one curve to the front and let the others step back, or none."""
        self._curves.emphasise(key)

    def set_bands(self, bands: Sequence[Band]) -> None:
        if tuple(bands) != self._plot.ground.bands:
            self._plot.ground.bands = tuple(bands)
            self._plot.arrange_marks(were_set=False)
            self._plot.redraw()

    def set_spans(self, spans: Sequence[Span]) -> None:
        self._plot.ground.spans = tuple(spans)
        self._plot.redraw()

    def set_level(self, key: Hashable, level: Level | None) -> None:
        """Set a dashed horizontal line, or take it away."""
        if level is None:
            self._levels.pop(key, None)
        else:
            self._levels[key] = level
        self._plot.rulers.levels = tuple(self._levels.values())
        self.refresh()

    def set_origin(self, seconds: float, since: str) -> None:
        """Let the time axis count from a second of the chart's clock; ``since`` says what was then."""
        if (seconds, since) != (self._plot.time_axis.origin, self._since):
            self._since = since
            self._plot.time_axis.set_origin(seconds)
            self.refresh()

    def set_growing(self, growing: bool) -> None:
        """A run that goes on gets room to grow into; one that is over is shown from end to end."""
        self._is_growing = growing

    # Marks

    def set_marks(self, marks: Sequence[ChartMark], *, editable: bool = False) -> None:
        """Set all marks; one that is being dragged stays where the hand is."""
        self._mark_hand.is_editable = editable
        if tuple(marks) != self._marks.all:
            self._marks.set(marks)
            self._plot.arrange_marks(were_set=True)
            self._hover.refresh()

    @property
    def marks(self) -> tuple[ChartMark, ...]:
        return self._marks.all

    def select_mark(self, number: int | None) -> None:
        self._mark_hand.select(number)

    @property
    def selected_mark(self) -> int | None:
        return self._marks.chosen

    # Range

    @property
    def is_live(self) -> bool:
        return self._range.is_live

    @property
    def view(self) -> pg.PlotWidget:
        """pyqtgraph's widget, which has the focus."""
        return self._plot.view

    @property
    def hover_text(self) -> str:
        """What is told of the point under the pointer; nothing where nothing is near."""
        return self._hover.text

    @property
    def hover_box(self) -> QRect:
        return self._hover.box

    @property
    def amount_range(self) -> tuple[float, float]:
        """The amounts at the bottom and at the top."""
        return self._range.bottom, self._range.top

    @property
    def visible_range(self) -> tuple[float, float]:
        """The seconds at the left and the right end."""
        return self._range.first, self._range.last

    def back_to_live(self) -> None:
        """Show the whole run again, and go on with it."""
        was_live = self.is_live
        self._range.back_to_live()
        self.refresh()
        if not was_live:
            self.live_changed.emit(True)

    def show_range(self, first: float, last: float) -> None:
        """Show this range as if by hand."""
        self._by_hand(self._range.show, first, last)

    def link_to(self, other: "TimeChart") -> None:
        """Let two charts show the same time for ever, whichever of them is zoomed."""
        for one, two in ((self, other), (other, self)):
            one.range_shown.connect(two._follow)
            one.live_changed.connect(two._follow_live)

    def refresh(self) -> None:
        """Draw what was set. A hidden chart waits until it is seen."""
        self._is_stale = True
        if self.isVisible():
            self._draw()

    # Pictures and words

    def to_png(self, scale: float = PNG_SCALE) -> bytes:
        """The chart as PNG in the colours of now, with ``scale`` pixels for each of the screen's."""
        self._before_picture()
        self._curves.paint(scale)
        picture = png_of(self._plot.view, scale)
        self._curves.paint()
        return picture

    def to_svg(self) -> bytes:
        """The chart as SVG in the colours of now."""
        self._before_picture()
        return svg_of(self._plot.view, self._name, self.summary())

    def summary(self) -> str:
        """The chart in a sentence, for those who can't see it."""
        return describe(
            self._name,
            self._curves.main,
            len(self._curves.by_key),
            self._marks,
            self._plot.time_axis.origin,
            self._value_text,
        )

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        super().showEvent(event)
        if self._is_stale:
            self._draw()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        painter = QPainter(self)
        colours = self._look.colours
        painter.setPen(thin_pen(colours.accent if self._plot.view.hasFocus() else colours.surface))
        painter.drawRect(self.rect().adjusted(0, 0, -1, -1))

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self.refresh()

    def _draw(self) -> None:
        self._is_stale = False
        self._range.set_extent(*self._extent(), growing=self._is_growing)
        first, last = self._range.first, self._range.last
        pixel_seconds = (last - first) / max(1, self._plot.view.width())
        highest = self._curves.draw(first, last, pixel_seconds)
        # A level of the total must not press a single client's curve to the ground.
        shown = [
            level.value
            for level in self._levels.values()
            if level.is_always_shown or level.value <= _NEAR_LEVEL * highest
        ]
        self._range.fit_y(max([highest, *shown]))
        self._plot.show_range(self._range)
        self._plot.set_since(self._since)
        self._hover.refresh()
        for widget in (self, self._plot.view):
            widget.setAccessibleDescription(self.summary())

    def _extent(self) -> tuple[float, float]:
        first, end = self._curves.extent
        return first, max([end, *(math.ceil(mark.at_seconds) for mark in self._marks.all)])

    def _before_picture(self) -> None:
        """A chart that was never shown has to be laid out and drawn before it is a picture."""
        self._hover.point(None)
        if not self.isVisible():
            self.grab()
            self._draw()

    def _has_chosen(self) -> bool:
        return self._marks.chosen is not None

    def _paint(self) -> None:
        self._plot.paint()
        self._curves.paint()
        self.update()

    def _by_hand(self, change: Callable[..., None], *values: float) -> None:
        was_live = self.is_live
        change(*values)
        self.refresh()
        self.range_shown.emit(self._range.first, self._range.last)
        if was_live and not self.is_live:
            self.live_changed.emit(False)

    def _zoom(self, factor: float, about: float | None = None) -> None:
        self._by_hand(self._range.zoom, factor, *([] if about is None else [about]))

    def _pan(self, seconds: float, amount: float) -> None:
        self._range.pan_y(amount)
        self._by_hand(self._range.pan, seconds)

    def _pan_by_share(self, share: float) -> None:
        self._by_hand(self._range.pan, share * (self._range.last - self._range.first))

    def _zoom_y(self, factor: float, about: float | None = None) -> None:
        self._range.zoom_y(factor, about)
        self.refresh()

    def _follow(self, first: float, last: float) -> None:
        if (first, last) != self.visible_range:
            self.show_range(first, last)

    def _follow_live(self, is_live: bool) -> None:
        if is_live and not self.is_live:
            self.back_to_live()
