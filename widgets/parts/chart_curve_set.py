"""The curves of a chart: which there are, which of them is in front, and what the legend below says of them."""

import math
from collections.abc import Hashable, Mapping

from engine.analysis.series import Rates
from widgets.parts.chart_curves import PIXELS_A_BIN, Curve, CurveStyle
from widgets.parts.chart_foot import MOST_IN_LEGEND, LegendEntry
from widgets.parts.chart_plot import ChartPlot
from widgets.parts.look import Look

# Among many curves that lie over each other nobody sees a bin of four pixels, and their long strokes are what costs.
_PIXELS_A_BIN_OF_MANY = 4


class CurveSet:
    """The curves of ``plot`` by their keys, in the order in which they came."""

    def __init__(self, look: Look, plot: ChartPlot) -> None:
        self._look, self._plot = look, plot
        self._curves: dict[Hashable, Curve] = {}
        self._emphasised: Hashable | None = None
        self._pointed: Hashable | None = None
        self._is_unpainted = False

    @property
    def by_key(self) -> Mapping[Hashable, Curve]:
        """The curves of now and of later."""
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
            self._emphasised = None if key == self._emphasised else self._emphasised
            self._is_unpainted = True

    def clear(self) -> None:
        for key in list(self._curves):
            self.remove(key)

    def set_visible(self, key: Hashable, visible: bool) -> None:
        self._curves[key].is_visible = visible
        self._is_unpainted = True

    def emphasise(self, key: Hashable | None) -> None:
        """Bring one curve to the front and let the others step back, or none."""
        if key != self._emphasised:
            self._emphasised = key
            self.paint()

    def point_at(self, key: Hashable | None) -> None:
        """The pointer is near this curve, or none: few have hues to tell them apart, among many it comes forward."""
        self._pointed = key
        if len(self._curves) > MOST_IN_LEGEND:
            self.paint()

    @property
    def main(self) -> Curve | None:
        """The curve that speaks for the chart: the emphasised one, else that of the highest rank."""
        if self._emphasised in self._curves:
            return self._curves[self._emphasised]
        return max(self._curves.values(), key=lambda curve: curve.style.rank, default=None)

    @property
    def extent(self) -> tuple[int, int]:
        """The first second and that before which all curves end; both are 0 without any."""
        curves = [curve for curve in self._curves.values() if len(curve.values)]
        first = min((math.floor(curve.offset) for curve in curves), default=0)
        return first, max((math.floor(curve.end) for curve in curves), default=first)

    def draw(self, first: float, last: float, pixel_seconds: float) -> float:
        """Draw what is visible in ``first`` to ``last``; the highest value there, 0 without any. See ``Curve.draw``."""
        if self._is_unpainted:
            self.paint()
        shown = sum(curve.is_visible for curve in self._curves.values())
        pixels_a_bin = PIXELS_A_BIN if shown <= MOST_IN_LEGEND else _PIXELS_A_BIN_OF_MANY
        return max(
            (curve.draw(first, last, pixel_seconds, pixels_a_bin) for curve in self._curves.values()), default=0.0
        )

    def paint(self, pixel: float = 1.0) -> None:
        """Give every curve its pen, in a picture of so wide pixels, and the legend its entries."""
        self._is_unpainted = False
        colours = self._look.colours
        shown = [curve for curve in self._curves.values() if curve.is_visible]
        pointed = self._pointed if len(shown) > MOST_IN_LEGEND and self._emphasised is None else None
        for key, curve in self._curves.items():
            is_front = key in (self._emphasised, pointed)
            curve.paint(colours, emphasised=is_front, muted=self._emphasised is not None and not is_front, pixel=pixel)
        self._plot.foot.set_entries(
            [
                LegendEntry(curve.style.name, curve.style.colour(colours), curve.style.dashed)
                for curve in sorted(shown, key=lambda curve: -curve.style.rank)
            ]
        )
