"""The line of a curve in a chart's scene, drawn as short strokes in device pixels.

Qt draws wide, antialiased strokes some seven times faster without a transformation than with one, and single strokes up
to a hundred times faster than one long path; so the points are transformed to device pixels here.
"""

import numpy as np
import numpy.typing as npt
from pyqtgraph.Qt.internals import PrimitiveArray
from PySide6.QtCore import QLineF
from PySide6.QtGui import QPainter, QPen

from engine.analysis.series.rates import Rates
from widgets.parts.chart.view_item import ViewItem

Joined = npt.NDArray[np.bool_]


class CurveItem(ViewItem):
    """The width of ``pen`` is in device pixels; ``is_smooth`` turns antialiasing on."""

    def __init__(self) -> None:
        super().__init__()
        self.pen = QPen()
        self.is_smooth = False
        self.seconds: Rates = np.empty(0)
        self.positions: Rates = np.empty(0)
        self._joined: Joined | None = None
        self._lines = PrimitiveArray(QLineF, 4)

    def set_points(self, seconds: Rates, positions: Rates, joined: Joined | None = None) -> None:
        """Draw these points; ``joined`` says which are joined to the next, by default all known ones."""
        self.seconds, self.positions, self._joined = seconds, positions, joined
        self.update()

    def set_pen(self, pen: QPen, *, is_smooth: bool) -> None:
        self.pen, self.is_smooth = pen, is_smooth
        self.update()

    def paint(self, painter: QPainter, *_: object) -> None:
        if len(self.seconds) < 2:
            return
        to_pixels, world = painter.deviceTransform(), painter.worldTransform()
        painter.setWorldTransform(to_pixels.inverted()[0] * world)  # both are empty
        across = self.seconds * to_pixels.m11() + to_pixels.dx()
        down = self.positions * to_pixels.m22() + to_pixels.dy()
        joined = np.isfinite(down[:-1]) & np.isfinite(down[1:])
        if self._joined is not None:
            joined &= self._joined[:-1]
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, self.is_smooth)
        painter.setPen(self.pen)
        self._draw(painter, across, down, joined)

    def _draw(self, painter: QPainter, across: Rates, down: Rates, joined: Joined) -> None:
        begins = np.flatnonzero(joined)
        self._lines.resize(len(begins))
        if not len(begins):
            return
        memory = self._lines.ndarray()
        memory[:, 0], memory[:, 1] = across[begins], down[begins]
        memory[:, 2], memory[:, 3] = across[begins + 1], down[begins + 1]
        painter.drawLines(*self._lines.drawargs())
