"""Shapes that show a state beside its word, so that colour is never the only sign; painted, as fonts lack them."""

from enum import StrEnum
from typing import Literal

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QIcon, QIconEngine, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QWidget

from widgets.parts.icons import PaintedIcon
from widgets.parts.look import Look

Tone = Literal["text", "muted", "accent", "good", "warning", "bad", "mark"]


class Shape(StrEnum):
    """The form of a sign."""

    DISC = "disc"
    RING = "ring"
    SQUARE = "square"
    TRIANGLE = "triangle"
    DIAMOND = "diamond"
    CROSS = "cross"
    TICK = "tick"
    BAR = "bar"
    FLAG = "flag"
    UP = "up"
    DOWN = "down"


_POLYGONS: dict[Shape, tuple[tuple[float, float], ...]] = {
    Shape.SQUARE: ((0.16, 0.16), (0.84, 0.16), (0.84, 0.84), (0.16, 0.84)),
    Shape.TRIANGLE: ((0.5, 0.1), (0.95, 0.88), (0.05, 0.88)),
    Shape.DIAMOND: ((0.5, 0.04), (0.96, 0.5), (0.5, 0.96), (0.04, 0.5)),
    Shape.BAR: ((0.1, 0.4), (0.9, 0.4), (0.9, 0.6), (0.1, 0.6)),
    Shape.FLAG: ((0.2, 0.12), (0.94, 0.34), (0.2, 0.58)),
    Shape.UP: ((0.5, 0.08), (0.9, 0.5), (0.62, 0.5), (0.62, 0.92), (0.38, 0.92), (0.38, 0.5), (0.1, 0.5)),
    Shape.DOWN: ((0.5, 0.92), (0.9, 0.5), (0.62, 0.5), (0.62, 0.08), (0.38, 0.08), (0.38, 0.5), (0.1, 0.5)),
}
_STROKES: dict[Shape, tuple[tuple[tuple[float, float], ...], ...]] = {
    Shape.CROSS: (((0.15, 0.15), (0.85, 0.85)), ((0.85, 0.15), (0.15, 0.85))),
    Shape.TICK: (((0.14, 0.54), (0.4, 0.8), (0.86, 0.2)),),
    Shape.FLAG: (((0.2, 0.12), (0.2, 0.88)),),
}


def paint_shape(painter: QPainter, rect: QRectF, shape: Shape, colour: QColor) -> None:
    """Paint a shape as large as fits into the middle of ``rect``."""
    side = min(rect.width(), rect.height())
    left, top = rect.center().x() - side / 2, rect.center().y() - side / 2

    def place(points: tuple[tuple[float, float], ...]) -> QPolygonF:
        return QPolygonF([QPointF(left + side * x, top + side * y) for x, y in points])

    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)
    if shape is Shape.DISC:
        painter.drawEllipse(rect.center(), side * 0.42, side * 0.42)
    if shape in _POLYGONS:
        painter.drawPolygon(place(_POLYGONS[shape]))
    pen = QPen(colour, side * 0.16, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin)
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    if shape is Shape.RING:
        painter.drawEllipse(rect.center(), side * 0.36, side * 0.36)
    for stroke in _STROKES.get(shape, ()):
        painter.drawPolyline(place(stroke))
    painter.restore()


def shape_icon(shape: Shape, tone: Tone, look: Look) -> QIcon:
    """A shape as an icon for a table cell; it follows the look when it is painted again."""
    return QIcon(_ShapeEngine(shape, tone, look))


class _ShapeEngine(PaintedIcon):
    def __init__(self, shape: Shape, tone: Tone, look: Look) -> None:
        super().__init__()
        self._shape, self._tone, self._look = shape, tone, look

    def paint(self, painter: QPainter, rect: object, mode: QIcon.Mode, state: QIcon.State) -> None:
        area = QRectF(rect)  # type: ignore[call-overload]
        margin = area.height() * 0.12
        colours = self._look.colours
        colour = QColor(colours.on_selection if mode == QIcon.Mode.Selected else getattr(colours, self._tone))
        paint_shape(painter, area.adjusted(margin, margin, -margin, -margin), self._shape, colour)

    def clone(self) -> QIconEngine:
        return _ShapeEngine(self._shape, self._tone, self._look)


class ShapeSign(QWidget):
    """One shape with the height of the font's capitals; its meaning is in the word beside it."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._shape, self._tone = Shape.RING, "muted"
        look.changed.connect(self.update)

    @property
    def shape(self) -> Shape:
        return self._shape

    def show_shape(self, shape: Shape, tone: Tone) -> None:
        if (shape, tone) != (self._shape, self._tone):
            self._shape, self._tone = shape, tone
            self.update()

    def sizeHint(self) -> QSize:  # noqa: N802
        side = self.fontMetrics().capHeight() + 2
        return QSize(side, side)

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        painter = QPainter(self)
        colour = QColor(getattr(self._look.colours, self._tone))
        paint_shape(painter, QRectF(self.rect()).adjusted(1, 1, -1, -1), self._shape, colour)
        painter.end()
