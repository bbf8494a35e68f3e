"""A heat map behind the curves of a chart: the number of orders by second and response time.

The chart's values are milliseconds; the rows are the buckets of ``engine.analysis.latency.grid``.
"""

import math

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QImage, QPainter

from engine.analysis.latency.grid import LatencyGrid, edges_ms
from widgets.parts.chart.axes import AmountAxis
from widgets.parts.chart.view_item import ViewItem
from widgets.parts.look import Colours, Look

_BEHIND = -50
_SHADES = 64
_PALEST = 0.10  # the shade of a single order, so that it is visible
_MOST_COLUMNS = 1_600
_FEWEST_SHARE = 0.001


class HeatMap(ViewItem):
    """Paints the visible part of a grid; call ``prepare`` before.

    ``lowest_ms`` is then the lower limit of the visible orders, except for the fastest few.
    """

    def __init__(self, look: Look, amount_axis: AmountAxis) -> None:
        super().__init__()
        self.setZValue(_BEHIND)
        self._look, self._amount_axis = look, amount_axis
        self._grid: LatencyGrid | None = None
        self._end: int | None = None
        self._levels: npt.NDArray[np.uint8] = np.zeros((0, 0), dtype=np.uint8)
        self._lowest_step = 0
        self._seconds = (0.0, 0.0)
        self.lowest_ms = math.inf
        self._image: QImage | None = None

    def set_grid(self, grid: LatencyGrid | None, end: int | None = None) -> None:
        """Show the orders of a grid, of its seconds before ``end`` if that is given, or nothing."""
        self._grid, self._end = grid, end
        self.setVisible(grid is not None)

    @property
    def is_shown(self) -> bool:
        return self._grid is not None

    def prepare(self, first: float, last: float, end: int, pixels: int) -> None:
        """Sum up the visible seconds from ``first`` to ``last`` and before ``end``, a column per pixel."""
        self._image = None
        self._levels = np.zeros((0, 0), dtype=np.uint8)
        self.lowest_ms = math.inf
        if self._grid is None:
            return
        known = self._grid.seconds if self._end is None else min(self._end, self._grid.seconds)
        begin, after = max(0, math.floor(first)), min(end, known, math.ceil(last))
        if after <= begin:
            return
        width = max(1, math.ceil((after - begin) / max(1, min(pixels, _MOST_COLUMNS))))
        begin -= begin % width  # so that columns do not move relative to the data while panning
        counts = self._grid.between(begin, after)
        starts = np.arange(0, len(counts), width)
        sums = np.add.reduceat(counts, starts, axis=0, dtype=np.int64)
        used = np.flatnonzero(sums.any(axis=0))
        if not len(used):
            return
        self._lowest_step = int(used[0])
        reached = np.cumsum(sums.sum(axis=0))
        self.lowest_ms = float(edges_ms()[np.searchsorted(reached, _FEWEST_SHARE * reached[-1])])
        rates = sums[:, used[0] : used[-1] + 1] / np.diff(np.append(starts, len(counts)))[:, np.newaxis]
        self._levels = _levels(rates).T.copy()
        self._seconds = (float(begin), float(begin + width * len(starts)))
        self.update()

    def paint(self, painter: QPainter, *_: object) -> None:
        rows, columns = self._levels.shape
        if not rows:
            return
        if self._image is None:
            self._image = self._coloured(rows, columns)
        first, end = self._seconds
        positions = [self._amount_axis.amounts.position(edge) for edge in edges_ms()[self._lowest_step :][: rows + 1]]
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, False)
        for row in range(rows):  # buckets have the same height on a logarithmic scale only
            target = QRectF(first, positions[row], end - first, positions[row + 1] - positions[row])
            painter.drawImage(target, self._image, QRectF(0, row, columns, 1))

    def repaint_look(self) -> None:
        """The colours have changed."""
        self._image = None
        self.update()

    def _coloured(self, rows: int, columns: int) -> QImage:
        stride = -(-columns // 4) * 4
        padded = np.zeros((rows, stride), dtype=np.uint8)
        padded[:, :columns] = self._levels
        image = QImage(padded.data, columns, rows, stride, QImage.Format.Format_Indexed8)
        image.setColorTable(shades(self._look.colours))
        return image.convertToFormat(QImage.Format.Format_ARGB32_Premultiplied)


def shades(colours: Colours) -> list[int]:
    """The colours from zero, which is transparent, to the maximum."""
    background, most = QColor(colours.surface), QColor(colours.heat)
    table = [QColor(0, 0, 0, 0).rgba()]
    for shade in range(1, _SHADES):
        share = _PALEST + (1 - _PALEST) * (shade - 1) / (_SHADES - 2)
        parts = zip(background.getRgb()[:3], most.getRgb()[:3], strict=True)  # type: ignore[index]
        table.append(QColor(*(round(one + (other - one) * share) for one, other in parts)).rgba())
    return table


def _levels(rates: npt.NDArray[np.float64]) -> npt.NDArray[np.uint8]:
    """The shade of each cell by the logarithm of its orders per second, so that a few slow orders are visible among
    many."""
    most = rates.max()
    relative = np.log1p(rates) / max(np.log1p(most), 1e-9)
    levels = np.where(rates > 0, 1 + np.round(relative * (_SHADES - 2)), 0)
    return levels.astype(np.uint8)
