"""Shapes that stand for a state: each looks different, and follows the look."""

from itertools import combinations

import pytest
from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QImage, QPainter
from pytestqt.qtbot import QtBot

from widgets.parts.look import Look
from widgets.parts.shapes import Shape, ShapeSign, paint_shape, shape_icon


def painted(shape: Shape, side: int = 24) -> QImage:
    image = QImage(side, side, QImage.Format.Format_ARGB32)
    image.fill(Qt.GlobalColor.white)
    painter = QPainter(image)
    paint_shape(painter, QRectF(0, 0, side, side), shape, QColor("black"))
    painter.end()
    return image


def difference(first: QImage, second: QImage) -> int:
    places = [(x, y) for x in range(first.width()) for y in range(first.height())]
    return sum(first.pixelColor(x, y) != second.pixelColor(x, y) for x, y in places)


@pytest.mark.parametrize(("first", "second"), list(combinations(Shape, 2)))
def test_shapes_are_distinct(qtbot: QtBot, first: Shape, second: Shape) -> None:
    assert difference(painted(first), painted(second)) > 40


@pytest.mark.parametrize("shape", Shape)
def test_shape_stays_inside_its_rectangle(qtbot: QtBot, shape: Shape) -> None:
    image = painted(shape)
    edge = [(x, y) for x in range(24) for y in range(24) if x in (0, 23) or y in (0, 23)]
    assert all(image.pixelColor(x, y).lightness() > 200 for x, y in edge)


def test_icon_has_the_looks_colour(qtbot: QtBot) -> None:
    look = Look()
    icon = shape_icon(Shape.SQUARE, "good", look)
    light = icon.pixmap(QSize(16, 16)).toImage().pixelColor(8, 8)
    look.set_dark(True)
    dark = icon.pixmap(QSize(16, 16)).toImage().pixelColor(8, 8)
    assert light == QColor("#00724f")
    assert dark == QColor("#4cc79b")


def test_sign_shows_a_new_shape(qtbot: QtBot) -> None:
    sign = ShapeSign(Look())
    qtbot.addWidget(sign)
    sign.show()
    before = sign.grab().toImage()
    sign.show_shape(Shape.CROSS, "bad")
    assert sign.shape is Shape.CROSS
    assert difference(before, sign.grab().toImage()) > 10
    assert sign.minimumSizeHint().height() >= sign.fontMetrics().capHeight()
