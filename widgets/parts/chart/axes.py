"""The two axes of a chart: time on the run's clock, and values with thin spaces as thousands separators."""

import math

import pyqtgraph as pg
from PySide6.QtGui import QFont, QFontMetricsF
from PySide6.QtWidgets import QGraphicsSceneResizeEvent

from widgets.parts.chart.amounts import LINEAR, Amounts
from widgets.parts.chart.scale import time_label, time_step, time_unit
from widgets.parts.look import Colours

_Ticks = list[tuple[float, list[float]]]


class TimeAxis(pg.AxisItem):  # type: ignore[misc]
    """Seconds as clock times since ``origin``, with ticks at round times."""

    def __init__(self, font: QFont) -> None:
        super().__init__("bottom", maxTickLength=4)
        self.origin = 0.0
        self._metrics = QFontMetricsF(font)
        _style(self, font)

    def set_origin(self, origin: float) -> None:
        self.origin = origin
        self.picture = None
        self.update()

    @property
    def step(self) -> int:
        room = self._metrics.horizontalAdvance("−0:00:00") * 1.6
        first, last = self.range
        return time_step(last - first, max(1, int(self.width() / room)))

    @property
    def unit(self) -> str:
        return time_unit(self.step, max(abs(end - self.origin) for end in self.range))

    def positions(self) -> list[float]:
        """The positions of the ticks, on the run's clock."""
        first, last = self.range
        step = self.step
        begin, end = math.ceil((first - self.origin) / step), math.floor((last - self.origin) / step)
        return [self.origin + number * step for number in range(begin, end + 1)]

    def tickValues(self, minVal: float, maxVal: float, size: float) -> _Ticks:  # noqa: N802, N803
        return [(float(self.step), self.positions())]

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:  # noqa: N802
        unit = self.unit
        return [time_label(value - self.origin, unit) for value in values]


class AmountAxis(pg.AxisItem):  # type: ignore[misc]
    """Values; the axis always has the width of a million, so that stacked charts stay aligned."""

    def __init__(self, font: QFont) -> None:
        self._title = self._short = ""
        self._metrics = QFontMetricsF(font)
        self.amounts: Amounts = LINEAR
        super().__init__("left", maxTickLength=4)
        _style(self, font)

    def set_title(self, title: str, font: QFont, short: str = "") -> None:
        """The name of the value along the axis; on a low chart ``short``, or the unit, which is after a comma."""
        _, comma, unit = title.rpartition(", ")
        self._title, self._short = title, short or (unit if comma else "")
        self.label.setFont(font)
        self._fit_title()
        self.setWidth(self._metrics.horizontalAdvance("0 000 000") + 1.6 * self._metrics.height())

    def resizeEvent(self, ev: QGraphicsSceneResizeEvent | None = None) -> None:  # noqa: N802
        self._fit_title()
        super().resizeEvent(ev)

    def _fit_title(self) -> None:
        """A title may extend a quarter of a line beyond either end: other charts have titles too."""
        room = self.height() + self._metrics.height() / 2
        title = self._title if self._metrics.horizontalAdvance(self._title) <= room else self._short
        if self._title and title != self.labelText:
            self.setLabel(title)

    def set_amounts(self, amounts: Amounts) -> None:
        """Use another scale."""
        self.amounts = amounts
        self.picture = None
        self.update()

    def positions(self) -> list[float]:
        """The positions of the ticks."""
        bottom, top = self.range
        most = int(self.height() / (2.0 * self._metrics.height()))
        return self.amounts.ticks(bottom, top, min(10, max(1, most)))

    def tickValues(self, minVal: float, maxVal: float, size: float) -> _Ticks:  # noqa: N802, N803
        return [(1.0, self.positions())]

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:  # noqa: N802
        return self.amounts.tick_texts(values)


def paint_axis(axis: pg.AxisItem, colours: Colours) -> None:
    """Apply the colours: pyqtgraph does not follow the look."""
    axis.setPen(pg.mkPen(colours.muted, width=1))
    axis.setTickPen(pg.mkPen(colours.muted, width=1))
    axis.setTextPen(pg.mkPen(colours.muted))


def half_a_label(font: QFont) -> float:
    """How far the longest usual time extends beyond the place of its tick [pixels]."""
    return QFontMetricsF(font).horizontalAdvance("0:00:00") / 2


def _style(axis: pg.AxisItem, font: QFont) -> None:
    axis.enableAutoSIPrefix(False)
    beyond = math.ceil(half_a_label(font))  # pyqtgraph omits a label that extends further beyond the end of its axis
    axis.setStyle(tickFont=font, tickAlpha=255, maxTickLevel=0, autoReduceTextSpace=False, hideOverlappingLabels=beyond)
