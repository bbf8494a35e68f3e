"""A curve by itself: what it draws and what is near to a place."""

from operator import attrgetter

import numpy as np
import pytest
from PySide6.QtGui import QColor
from pytestqt.qtbot import QtBot

from engine.analysis.series.rates import Rates
from widgets.parts.chart.curves import Curve, CurveStyle
from widgets.parts.look import DARK, LIGHT

MANY = CurveStyle(name="a client", colour=attrgetter("many"))
OWN = CurveStyle(name="client 1", colour=lambda colours: colours.clients[0])


def curve_of(values: list[float], offset: float = 0.0, style: CurveStyle = MANY) -> Curve:
    curve = Curve(style)
    curve.values, curve.offset = np.array(values), offset
    return curve


def drawn(curve: Curve) -> tuple[Rates, Rates]:
    seconds, values = curve.item.seconds, curve.item.positions
    return seconds, values


@pytest.mark.usefixtures("qtbot")
def test_only_visible_points_and_neighbours_are_drawn() -> None:
    curve = curve_of(list(range(100)), offset=50)

    drawn_range = curve.draw(70, 80, 0.01)

    assert drawn(curve)[1].tolist() == list(range(19, 32))
    assert drawn_range == (19, 31)


@pytest.mark.usefixtures("qtbot")
def test_curve_outside_the_range_has_no_points_or_maximum() -> None:
    curve = curve_of([5, 6, 7])

    assert curve.draw(100, 200, 0.1) is None
    assert len(drawn(curve)[0]) == 0


@pytest.mark.usefixtures("qtbot")
def test_single_second_is_drawn_as_a_dash() -> None:
    curve = curve_of([np.nan, 4, np.nan, 5, 6])

    curve.draw(0, 5, 0.01)
    seconds, values = drawn(curve)
    np.testing.assert_array_equal(seconds, [0, 0.5, 1.5, 2, 3, 4])
    np.testing.assert_array_equal(values, [np.nan, 4, 4, np.nan, 5, 6])

    curve.draw(0, 5, 3)
    assert drawn(curve)[0][1:3].tolist() == [-0.5, 2.5]


@pytest.mark.usefixtures("qtbot")
def test_nearest_point_has_the_nearest_value_within_reach() -> None:
    curve = curve_of([10, 20, np.nan, 40, 0], offset=100)

    assert curve.nearest(101.2, 0, 0) == (101, 20)
    assert curve.nearest(102, 0, 0) is None
    assert curve.nearest(102.5, 1, 5) == (104, 0)
    assert curve.nearest(300, 1, 5) is None
    curve.is_visible = False
    assert curve.nearest(101, 0, 0) is None


def test_pens_depend_on_look_and_emphasis(qtbot: QtBot) -> None:
    curve = curve_of([1], style=MANY)

    def pen(colours: object, **state: bool) -> tuple[str, int]:
        curve.paint(colours, **state)
        used = curve.item.pen
        assert used.isCosmetic()
        return used.color().name(), used.width()

    assert pen(LIGHT, highlighted=False, muted=False) == (LIGHT.many, 1)
    assert pen(DARK, highlighted=False, muted=False) == (DARK.many, 1)
    assert pen(LIGHT, highlighted=True, muted=False) == (LIGHT.accent, 2)
    stepped_back = QColor(pen(LIGHT, highlighted=False, muted=True)[0])
    assert QColor(LIGHT.many).lightness() < stepped_back.lightness() < QColor(LIGHT.surface).lightness()

    curve.style = OWN
    assert pen(LIGHT, highlighted=True, muted=False) == (LIGHT.clients[0], 2)
