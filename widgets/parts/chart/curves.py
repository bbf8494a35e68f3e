"""One curve of a chart: its values by second, its style, and the reduced points that are drawn."""

import math
from dataclasses import dataclass
from enum import Enum

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPen

from engine.analysis.series.bins import BINS, min_max_bins
from engine.analysis.series.rates import Rates
from widgets.parts.chart.amounts import LINEAR, Amounts
from widgets.parts.chart.curve_item import CurveItem, Joined
from widgets.parts.chart.layers import ColourOf
from widgets.parts.look import Colours

_NORMAL, _IN_FRONT = 1, 50
_MUTED = 0.7
_DASH_PIXELS = 5.0
_STROKE_US, _PIXEL_US = 0.35, 0.025
PIXELS_A_BIN = 2


class Stroke(Enum):
    """How finely a curve is drawn: in the style's width, one pixel wide, or one pixel wide without antialiasing."""

    FINE = "fine"
    THIN = "thin"
    PLAIN = "plain"


@dataclass(frozen=True, kw_only=True)
class CurveStyle:
    """The name of a curve and its colour in each look; curves of a higher ``rank`` are in front.

    ``width`` is in pixels of a screen of ordinary density, for fine strokes.
    """

    name: str
    colour: ColourOf
    rank: int = 0
    dashed: bool = False
    width: float = 1.5


class Curve:
    """Values by second, the first at ``offset`` on the chart's clock, NaN where unknown."""

    def __init__(self, style: CurveStyle) -> None:
        self.style = style
        self.offset = 0.0
        self.values: Rates = np.empty(0)
        self.is_visible = True
        self.item = CurveItem()

    @property
    def end(self) -> float:
        return self.offset + len(self.values)

    def paint(
        self,
        colours: Colours,
        *,
        highlighted: bool,
        muted: bool,
        pixel: float = 1.0,
        stroke: Stroke = Stroke.THIN,
    ) -> None:
        """Set the pen; ``pixel`` is the number of device pixels for one of a screen of ordinary density."""
        colour = self.style.colour(colours)
        if highlighted and colour == colours.many:
            colour = colours.accent
        pen = QPen(_mixed(QColor(colour), QColor(colours.surface)) if muted else QColor(colour))
        pen.setCosmetic(True)
        width = self.style.width if stroke is Stroke.FINE else 1.0
        pen.setWidthF((width + (1.0 if highlighted else 0.0)) * pixel)
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        is_smooth = stroke is Stroke.FINE or (stroke is Stroke.THIN and pen.widthF() <= 1)  # as fast as a plain one
        self.item.set_pen(pen, is_smooth=is_smooth)
        self.item.setZValue(_IN_FRONT if highlighted else _NORMAL + self.style.rank)

    def draw(
        self,
        first: float,
        last: float,
        pixel_seconds: float,
        pixels_a_bin: int = PIXELS_A_BIN,
        amounts: Amounts = LINEAR,
    ) -> tuple[float, float] | None:
        """Draw the visible part of ``first`` to ``last``; returns the lowest and the highest visible value, if any.

        ``pixel_seconds`` is the number of seconds per pixel.
        """
        self.item.setVisible(self.is_visible)
        if not self.is_visible:
            return None
        begin, end = math.floor(first - self.offset) - 1, math.ceil(last - self.offset) + 2
        bins = min(BINS, max(1, round((last - first) / pixel_seconds / pixels_a_bin)))
        seconds, values = min_max_bins(self.values, begin, max(0, end), bins)
        missing = np.isnan(values)
        if missing.any():
            seconds, values = _widen_lone(seconds, values, missing, max(1.0, pixel_seconds) / 2)
        positions, joined = amounts.positions(values), None
        if self.style.dashed:
            seconds, positions, joined = _dashed(seconds, positions, _DASH_PIXELS * pixel_seconds)
        self.item.set_points(seconds + self.offset, positions, joined)
        return None if missing.all() else (float(np.nanmin(values)), float(np.nanmax(values)))

    def nearest(self, seconds: float, value: float, half_seconds: float) -> tuple[float, float] | None:
        """The known point within ``half_seconds`` of a moment, at least within a second, with the nearest value."""
        reach = max(0.5, half_seconds)
        begin = max(0, math.ceil(seconds - self.offset - reach))
        values = self.values[begin : max(begin, math.floor(seconds - self.offset + reach) + 1)]
        known = np.flatnonzero(~np.isnan(values))
        if not self.is_visible or not len(known):
            return None
        place = known[np.abs(values[known] - value).argmin()]
        return self.offset + begin + float(place), float(values[place])

    def at(self, seconds: float) -> float | None:
        """The value of the second that contains a moment; ``None`` where it is unknown, or the curve is hidden."""
        place = math.floor(seconds - math.floor(self.offset))
        if not self.is_visible or not 0 <= place < len(self.values) or math.isnan(self.values[place]):
            return None
        return float(self.values[place])

    def fine_cost_us(self, pixel_seconds: float, pixel_position: float) -> float:
        """The estimated time for painting a fine line [µs], from its strokes and pixels."""
        if not self.is_visible or len(self.item.seconds) < 2:
            return 0.0
        across, up = np.diff(self.item.seconds) / pixel_seconds, np.diff(self.item.positions) / pixel_position
        pixels = np.abs(across).sum() + np.nansum(np.abs(up))
        return float(_STROKE_US * len(across) + _PIXEL_US * pixels)


def _widen_lone(seconds: Rates, values: Rates, missing: npt.NDArray[np.bool_], half: float) -> tuple[Rates, Rates]:
    """A single known second becomes a dash of a second or a pixel: a line of one point is invisible."""
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


def _dashed(seconds: Rates, positions: Rates, dash_seconds: float) -> tuple[Rates, Rates, Joined]:
    """The points with the starts and ends of dashes inserted, and which are joined to the next.

    A pen's own dash pattern starts again with every stroke, so short strokes would not be dashed.
    """
    if len(seconds) < 2:
        return seconds, positions, np.zeros(len(seconds), dtype=np.bool_)
    edges = np.arange(math.ceil(seconds[0] / dash_seconds), math.floor(seconds[-1] / dash_seconds) + 1) * dash_seconds
    all_seconds = np.union1d(seconds, edges)
    all_positions = np.interp(all_seconds, seconds, positions)
    middles = (all_seconds[:-1] + all_seconds[1:]) / 2
    is_dash = np.floor(middles / dash_seconds) % 2 == 0
    return all_seconds, all_positions, np.append(is_dash, False)


def _mixed(colour: QColor, background: QColor) -> QColor:
    """The colour dimmed towards its background, opaque: blending costs time in every repaint."""
    parts = zip(colour.getRgb()[:3], background.getRgb()[:3], strict=True)  # type: ignore[index]
    return QColor(*(round(own + (other - own) * _MUTED) for own, other in parts))
