"""The curves of a chart, apart from it; how they look is tried on whole charts."""

from operator import attrgetter

import numpy as np
import pytest
from PySide6.QtGui import QFont
from pytestqt.qtbot import QtBot

from widgets.parts.chart_curve_set import CurveSet
from widgets.parts.chart_curves import CurveStyle
from widgets.parts.chart_foot import MOST_IN_LEGEND
from widgets.parts.chart_marks import Marks
from widgets.parts.chart_plot import ChartPlot
from widgets.parts.look import LIGHT, Look

LOW = CurveStyle(name="a client", colour=attrgetter("many"))
HIGH = CurveStyle(name="total", colour=attrgetter("total"), rank=1)


@pytest.fixture
def curves(qtbot: QtBot) -> CurveSet:
    look = Look()
    plot = ChartPlot(look, QFont(), Marks(), time_shown=True)
    qtbot.addWidget(plot.view)
    return CurveSet(look, plot)


def test_all_curves_are_in_the_extent_from_whole_second_to_whole_second(curves: CurveSet) -> None:
    assert curves.extent == (0, 0)
    curves.set("a", 10.5, np.ones(5), LOW)
    curves.set("b", -3.2, np.ones(2), LOW)
    curves.set("empty", 900.0, np.empty(0), LOW)
    assert curves.extent == (-4, 15)


def test_the_curve_of_the_highest_rank_speaks_for_all_unless_one_is_emphasised(curves: CurveSet) -> None:
    assert curves.main is None
    curves.set("total", 0.0, np.ones(5), HIGH)
    curves.set("one", 0.0, np.ones(5), LOW)
    assert curves.main is curves.by_key["total"]
    curves.emphasise("one")
    assert curves.main is curves.by_key["one"]
    curves.remove("one")
    assert curves.main is curves.by_key["total"]


def test_among_many_the_curve_under_the_pointer_comes_forward(curves: CurveSet) -> None:
    def colour() -> str:
        return str(curves.by_key[0].item.opts["pen"].color().name())

    for key in range(MOST_IN_LEGEND):
        curves.set(key, 0.0, np.ones(5), LOW)
    curves.draw(0, 5, 0.01)
    curves.point_at(0)
    assert colour() == LIGHT.many.lower()
    curves.set("one more", 0.0, np.ones(5), LOW)
    curves.draw(0, 5, 0.01)
    assert colour() == LIGHT.accent.lower()
    curves.point_at(None)
    assert colour() == LIGHT.many.lower()


def test_many_curves_have_fewer_points_and_keep_an_outage_of_one_second(curves: CurveSet) -> None:
    values = np.tile([50.0, 70.0], 5000)
    values[4321] = 0.0
    pixel_seconds = len(values) / 1000
    for key in range(MOST_IN_LEGEND):
        curves.set(key, 0.0, values, LOW)
    curves.draw(0, len(values), pixel_seconds)
    among_few, _ = curves.by_key[0].item.getData()
    curves.set("one more", 0.0, values, LOW)
    curves.draw(0, len(values), pixel_seconds)
    among_many, drawn = curves.by_key[0].item.getData()

    assert len(among_many) < 0.6 * len(among_few)
    assert among_many[drawn.argmin()] == 4321
    assert drawn.min() == 0
