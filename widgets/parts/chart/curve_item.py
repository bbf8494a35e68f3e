"""The line of a curve in a chart's scene, drawn stroke by stroke in the pixels of the screen.

Qt draws wide, smooth strokes some seven times faster without a transformation than with one, and strokes up to a
hundred times faster than one long path; so the points are brought to the screen's pixels here.
"""

import numpy as np
import numpy.typing as npt
import pyqtgraph as pg
from pyqtgraph.Qt.internals import PrimitiveArray
from PySide6.QtCore import QLineF, QRectF
from PySide6.QtGui import QPainter, QPen

from engine.analysis.series.rates import Rates

Joined = npt.NDArray[np.bool_]


class CurveItem(pg.GraphicsObject):  # type: ignore[misc]
    """``pen`` is as wide as so many pixels of the screen; ``is_smooth`` draws between them."""

    def __init__(self) -> None:
        super().__init__()
        self.pen = QPen()
        self.is_smooth = False
        self.seconds: Rates = np.empty(0)
        self.positions: Rates = np.empty(0)
        self._joined: Joined | None = None
        self._lines = PrimitiveArray(QLineF, 4)

    def set_points(self, seconds: Rates, positions: Rates, joined: Joined | None = None) -> None:
        """Draw these points; ``joined`` says which of them are joined to the next, else all that are known."""
        self.seconds, self.positions, self._joined = seconds, positions, joined
        self.update()

    def set_pen(self, pen: QPen, *, is_smooth: bool) -> None:
        self.pen, self.is_smooth = pen, is_smooth
        self.update()

    def boundingRect(self) -> QRectF:  # noqa: N802
        return QRectF(self.viewRect())

    def viewRangeChanged(self) -> None:  # noqa: N802
        self.prepareGeometryChange()
        self.update()

    def paint(self, painter: QPainter, *_: object) -> None:
        if len(self.seconds) < 2:
            return
        to_pixels, world = painter.deviceTransform(), painter.worldTransform()
        painter.setWorldTransform(to_pixels.inverted()[0] * world)  # what is left of both is nothing
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
