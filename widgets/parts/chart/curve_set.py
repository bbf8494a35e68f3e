"""The curves of a chart: which exist and are visible, their order, and how finely they are drawn."""

import math
from collections.abc import Hashable, Mapping

from PySide6.QtCore import QObject, Signal

from engine.analysis.series.rates import Rates
from widgets.parts.chart.curves import PIXELS_A_BIN, Curve, CurveStyle, Stroke
from widgets.parts.chart.legend import ChartLegend, LegendEntry
from widgets.parts.chart.plot import ChartPlot
from widgets.parts.look import Look

FEW = 9  # the number of curves with a colour of their own and a legend
# With many curves over each other, bins of four pixels are invisible and save most of the long strokes.
_PIXELS_A_BIN_OF_MANY = 4
_MOST_FINE_US, _MOST_SMOOTH_US = 8_000.0, 30_000.0  # of a repaint with fine strokes


class CurveSet(QObject):
    """The curves of ``plot`` by key, in the order in which they were added; ``legend`` names them, and can be clicked.

    ``visibility_changed`` is emitted for each curve that was shown or hidden, ``changed`` when the chart is to be
    drawn.
    """

    visibility_changed = Signal(object, bool)
    changed = Signal()

    def __init__(self, look: Look, plot: ChartPlot, legend: ChartLegend, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._look, self._plot, self._legend = look, plot, legend
        self._curves: dict[Hashable, Curve] = {}
        self._highlighted: Hashable | None = None
        self._pointed: Hashable | None = None
        self._is_unpainted = False
        self._stroke = Stroke.FINE
        self._pixel = 1.0
        legend.isolate_requested.connect(self._on_isolate)
        legend.toggle_requested.connect(self._on_toggle)
        legend.pointed.connect(self.point_at)

    @property
    def by_key(self) -> Mapping[Hashable, Curve]:
        """The curves by key; the mapping stays up to date."""
        return self._curves

    def set(self, key: Hashable, offset_seconds: float, values: Rates, style: CurveStyle) -> None:
        """Set a curve's values by second, the first at ``offset_seconds``; ``draw`` draws them."""
        curve = self._curves.get(key)
        if curve is None:
            curve = self._curves[key] = Curve(style)
            self._plot.box.addItem(curve.item, ignoreBounds=True)
            self._is_unpainted = True
        elif curve.style != style:
            curve.style = style
            self._is_unpainted = True
        curve.offset, curve.values = offset_seconds, values

    def remove(self, key: Hashable) -> None:
        curve = self._curves.pop(key, None)
        if curve is not None:
            self._plot.box.removeItem(curve.item)
            self._highlighted = None if key == self._highlighted else self._highlighted
            self._is_unpainted = True

    def clear(self) -> None:
        for key in list(self._curves):
            self.remove(key)

    def set_visible(self, key: Hashable, visible: bool) -> None:
        """Show or hide a curve; ``draw`` draws it."""
        if self._curves[key].is_visible != visible:
            self._curves[key].is_visible = visible
            self._is_unpainted = True
            self.visibility_changed.emit(key, visible)

    def isolate(self, key: Hashable | None) -> None:
        """Show one curve alone, or (``None``) all."""
        for each in self._curves:
            self.set_visible(each, key is None or each == key)
        self.changed.emit()

    @property
    def shown(self) -> dict[Hashable, Curve]:
        """The visible curves, highest rank first."""
        visible = [(key, curve) for key, curve in self._curves.items() if curve.is_visible]
        return dict(sorted(visible, key=lambda pair: -pair[1].style.rank))

    def highlight(self, key: Hashable | None) -> None:
        """Bring one curve to the front and dim the others, or none."""
        if key != self._highlighted:
            self._highlighted = key
            self.paint()

    def point_at(self, key: Hashable | None) -> None:
        """Bring the curve near the pointer to the front, or none."""
        if key != self._pointed:
            self._pointed = key
            self.paint()

    @property
    def pointed(self) -> Hashable | None:
        """The curve near the pointer."""
        return self._pointed

    @property
    def main(self) -> Curve | None:
        """The most important curve: the highlighted one, else that of the highest rank."""
        if self._highlighted in self._curves:
            return self._curves[self._highlighted]
        return max(self._curves.values(), key=lambda curve: curve.style.rank, default=None)

    @property
    def extent(self) -> tuple[int, int]:
        """The first second of all curves, and the second after the last; both 0 without curves."""
        curves = [curve for curve in self._curves.values() if len(curve.values)]
        first = min((math.floor(curve.offset) for curve in curves), default=0)
        return first, max((math.floor(curve.end) for curve in curves), default=first)

    def draw(self, first: float, last: float, pixel_seconds: float) -> tuple[float, float] | None:
        """Draw the visible part of ``first`` to ``last``; returns the lowest and the highest value in it. See
        ``Curve.draw``."""
        shown = sum(curve.is_visible for curve in self._curves.values())
        pixels_a_bin = PIXELS_A_BIN if shown <= FEW else _PIXELS_A_BIN_OF_MANY
        amounts = self._plot.amounts
        ranges = [
            drawn
            for curve in self._curves.values()
            if (drawn := curve.draw(first, last, pixel_seconds, pixels_a_bin, amounts)) is not None
        ]
        if self._is_unpainted:
            self.paint()
        return (min(low for low, _ in ranges), max(high for _, high in ranges)) if ranges else None

    def choose_strokes(self, pixel_seconds: float, pixel_position: float) -> None:
        """Draw finely if there is time for it: longer lines take longer."""
        density = self._plot.view.devicePixelRatioF()
        pixels = pixel_seconds / density, pixel_position / density
        cost_us = sum(curve.fine_cost_us(*pixels) for curve in self._curves.values())
        stroke = Stroke.PLAIN if cost_us > _MOST_SMOOTH_US else Stroke.THIN
        stroke = Stroke.FINE if cost_us <= _MOST_FINE_US else stroke
        if (stroke, density) != (self._stroke, self._pixel):
            self._stroke, self._pixel = stroke, density
            self.paint()

    def paint(self, pixel: float | None = None, *, is_picture: bool = False) -> None:
        """Give every curve its pen for the screen, or for a picture, which may take longer to paint."""
        self._is_unpainted = False
        for key, curve in self._curves.items():
            is_front = key in (self._highlighted, self._pointed)
            curve.paint(
                self._look.colours,
                highlighted=is_front,
                muted=self._highlighted is not None and not is_front,
                pixel=self._pixel if pixel is None else pixel,
                stroke=Stroke.FINE if is_picture else self._stroke,
            )
        self._show_legend()

    def _show_legend(self) -> None:
        """All curves while they are few; of many the visible ones, if those are few, or else those that stand out by
        their rank, such as the total."""
        named: Mapping[Hashable, Curve] = self._curves if len(self._curves) <= FEW else self.shown
        by_rank = sorted(named.items(), key=lambda pair: -pair[1].style.rank)
        if len(by_rank) > FEW:
            by_rank = [pair for pair in by_rank if pair[1].style.rank > 0]
        colours = self._look.colours
        self._legend.set_entries(
            [
                LegendEntry(key, curve.style.name, curve.style.colour(colours), curve.style.dashed, curve.is_visible)
                for key, curve in by_rank
            ]
        )

    def _on_isolate(self, key: Hashable) -> None:
        is_alone = all(curve.is_visible == (each == key) for each, curve in self._curves.items())
        self.isolate(None if is_alone else key)

    def _on_toggle(self, key: Hashable) -> None:
        self.set_visible(key, not self._curves[key].is_visible)
        self.changed.emit()
