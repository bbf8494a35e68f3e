"""One curve of a chart: its values by second, how it is drawn, and the few points that are drawn of it."""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPen

from engine.analysis.bins import BINS, min_max_bins
from engine.analysis.series import Rates
from widgets.parts.chart_ground import ColourOf
from widgets.parts.look import Colours

_NORMAL, _IN_FRONT = 1, 50
_MUTED = 0.7
PIXELS_A_BIN = 2


@dataclass(frozen=True, kw_only=True)
class CurveStyle:
    """The name of a curve and its colour in each look; ``rank`` says what is in front, the higher the nearer."""

    name: str
    colour: ColourOf
    rank: int = 0
    dashed: bool = False


class Curve:
    """Values second by second, the first at ``offset`` on the chart's clock, NaN where there is none."""

    def __init__(self, style: CurveStyle) -> None:
        self.style = style
        self.offset = 0.0
        self.values: Rates = np.empty(0)
        self.is_visible = True
        self.item = pg.PlotCurveItem(connect="finite", antialias=False)

    @property
    def end(self) -> float:
        return self.offset + len(self.values)

    def paint(self, colours: Colours, *, emphasised: bool, muted: bool, pixel: float = 1.0) -> None:
        """Set the pen. Two pixels are for the one curve that is emphasised: more cost seconds.

        In a picture, where time does not matter, a ``pixel`` may be wider.
        """
        colour = self.style.colour(colours)
        if emphasised and colour == colours.many:
            colour = colours.accent
        pen = QPen(_mixed(QColor(colour), QColor(colours.surface)) if muted else QColor(colour))
        pen.setCosmetic(True)
        pen.setWidthF(2 * pixel if emphasised else pixel)
        if self.style.dashed:
            pen.setStyle(Qt.PenStyle.DashLine)
        self.item.setPen(pen)
        self.item.setZValue(_IN_FRONT if emphasised else _NORMAL + self.style.rank)

    def draw(self, first: float, last: float, pixel_seconds: float, pixels_a_bin: int = PIXELS_A_BIN) -> float:
        """Hand over what is visible in ``first`` to ``last``; the highest visible value, 0 when there is none.

        ``pixel_seconds`` is how many seconds a pixel of the chart is wide.
        """
        self.item.setVisible(self.is_visible)
        if not self.is_visible:
            return 0.0
        begin, end = math.floor(first - self.offset) - 1, math.ceil(last - self.offset) + 2
        bins = min(BINS, max(1, round((last - first) / pixel_seconds / pixels_a_bin)))
        seconds, values = min_max_bins(self.values, begin, max(0, end), bins)
        missing = np.isnan(values)
        has_gaps = bool(missing.any())
        if has_gaps:
            seconds, values = _widen_lone(seconds, values, missing, max(1.0, pixel_seconds) / 2)
        self.item.setData(seconds + self.offset, values, connect="finite" if has_gaps else "all")
        return float(np.nanmax(values)) if not missing.all() else 0.0

    def nearest(self, seconds: float, value: float, half_seconds: float) -> tuple[float, float] | None:
        """The known point within ``half_seconds`` of a moment, at least a second's, whose value is the nearest."""
        reach = max(0.5, half_seconds)
        begin = max(0, math.ceil(seconds - self.offset - reach))
        values = self.values[begin : max(begin, math.floor(seconds - self.offset + reach) + 1)]
        known = np.flatnonzero(~np.isnan(values))
        if not self.is_visible or not len(known):
            return None
        place = known[np.abs(values[known] - value).argmin()]
        return self.offset + begin + float(place), float(values[place])


def _widen_lone(seconds: Rates, values: Rates, missing: npt.NDArray[np.bool_], half: float) -> tuple[Rates, Rates]:
    """A known second between unknown ones becomes a dash of a second or a pixel: a line of one point is invisible."""
    framed = np.concatenate([[True], missing, [True]])
    lone = np.flatnonzero(framed[:-2] & ~missing & framed[2:])
    if not len(lone):
        return seconds, values
    copies = np.ones(len(values), dtype=np.intp)
    copies[lone] = 2
    widened, doubled = np.repeat(seconds, copies), np.repeat(values, copies)
    at = lone + np.arange(len(lone))
    widened[at] -= half
    widened[at + 1] += half
    return widened, doubled


def _mixed(colour: QColor, ground: QColor) -> QColor:
    """A colour that steps back towards its ground, opaque: blending costs time in every repaint."""
    parts = zip(colour.getRgb()[:3], ground.getRgb()[:3], strict=True)  # type: ignore[index]
    return QColor(*(round(own + (other - own) * _MUTED) for own, other in parts))
