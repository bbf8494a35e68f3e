"""The scales of a chart's value axis: linear and logarithmic.

A ``position`` is a coordinate of pyqtgraph: the value itself, or its logarithm. ``AmountAxis`` draws the ticks,
``ChartRange`` holds the range in positions.
"""

import math
from typing import Protocol

import numpy as np

from engine.analysis.series.rates import Rates
from engine.figure_text import decimal, shortest, whole
from widgets.parts.chart.scale import amount_step, nice_top

_SHRINK_BELOW = 0.55
_LEAST_DECADES = 1.0
_ROOM_DECADES = 0.04
_MULTIPLES = (1.0, 2.0, 5.0)
_FIRST_LOG_RANGE = (0.0, 3.0)  # 1 to 1000


class Amounts(Protocol):
    """A kind of scale."""

    first_range: tuple[float, float]
    lowest_position: float

    def positions(self, values: Rates) -> Rates:
        """The positions of values; NaN for values that the scale does not have."""

    def position(self, value: float) -> float:
        """The position of a value."""

    def value(self, position: float) -> float:
        """The value at a position."""

    def ticks(self, bottom: float, top: float, most: int) -> list[float]:
        """The positions of at most this many round values."""

    def tick_texts(self, ticks: list[float]) -> list[str]:
        """The labels of the ticks."""

    def fitted(self, bottom: float, top: float, lowest: float, highest: float) -> tuple[float, float]:
        """A range of positions that contains the values; the old one if it does and is not much too large."""


class LinearAmounts:
    """From 0 upwards."""

    first_range = (0.0, 1.0)
    lowest_position = 0.0

    def positions(self, values: Rates) -> Rates:
        return values

    def position(self, value: float) -> float:
        return value

    def value(self, position: float) -> float:
        return position

    def ticks(self, bottom: float, top: float, most: int) -> list[float]:
        ticks = _multiples(amount_step(top - bottom, most), bottom, top)
        if len(ticks) > 1:
            return ticks
        # One value does not make a scale: the outermost two, which are far from each other.
        nearer = _multiples(amount_step((top - bottom) / 2, 1), bottom, top)
        return [nearer[0], nearer[-1]] if len(nearer) > 1 else ticks

    def tick_texts(self, ticks: list[float]) -> list[str]:
        if len(ticks) < 2:
            return [shortest(tick) for tick in ticks]
        digits = max(0, -math.floor(math.log10(ticks[1] - ticks[0]) + 1e-9))
        return [decimal(tick, digits) if digits else whole(tick) for tick in ticks]

    def fitted(self, bottom: float, top: float, lowest: float, highest: float) -> tuple[float, float]:
        if bottom == 0 and _SHRINK_BELOW * top <= highest <= top:
            return bottom, top
        return 0.0, nice_top(highest)


class LogarithmicAmounts:
    """Decades; values of 0 and below are not drawn."""

    first_range = _FIRST_LOG_RANGE
    lowest_position = -math.inf

    def positions(self, values: Rates) -> Rates:
        with np.errstate(divide="ignore", invalid="ignore"):
            positions: Rates = np.where(values > 0, np.log10(values), np.nan)
        return positions

    def position(self, value: float) -> float:
        return math.log10(value) if value > 0 else -math.inf

    def value(self, position: float) -> float:
        return float(10.0**position)

    def ticks(self, bottom: float, top: float, most: int) -> list[float]:
        """1, 2 and 5 of every decade, or only 1, or every n-th power of ten, depending on the room."""
        powers = range(math.floor(bottom), math.ceil(top) + 1)
        for multiples in (_MULTIPLES, _MULTIPLES[:1]):
            ticks = [power + math.log10(multiple) for power in powers for multiple in multiples]
            shown = [tick for tick in ticks if bottom - 1e-9 <= tick <= top + 1e-9]
            if len(shown) <= most:
                return shown
        # One value does not make a scale: two at least.
        return shown[:: max(1, min(math.ceil(len(shown) / max(1, most)), len(shown) - 1))]

    def tick_texts(self, ticks: list[float]) -> list[str]:
        return [shortest(self.value(tick)) for tick in ticks]

    def fitted(self, bottom: float, top: float, lowest: float, highest: float) -> tuple[float, float]:
        if lowest <= 0 or highest <= 0:
            return bottom, top
        low, high = math.log10(lowest) - _ROOM_DECADES, math.log10(highest) + _ROOM_DECADES
        if bottom <= low and high <= top and high - low >= _SHRINK_BELOW * (top - bottom):
            return bottom, top
        begin, end = _round_down(low), _round_up(high)
        missing = max(0.0, _LEAST_DECADES - (end - begin))
        return begin - missing / 2, end + missing / 2


def _multiples(step: float, bottom: float, top: float) -> list[float]:
    return [number * step for number in range(math.ceil(bottom / step), math.floor(top / step * (1 + 1e-9)) + 1)]


def _round_down(position: float) -> float:
    """The position of the largest 1, 2 or 5 times a power of ten that is not greater."""
    power = math.floor(position + 1e-9)
    return max(power + math.log10(each) for each in _MULTIPLES if power + math.log10(each) <= position + 1e-9)


def _round_up(position: float) -> float:
    power = math.floor(position)
    candidates = [power + math.log10(each) for each in (*_MULTIPLES, 10.0)]
    return min(each for each in candidates if each >= position - 1e-9)


LINEAR, LOGARITHMIC = LinearAmounts(), LogarithmicAmounts()
