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
    curves.point_at(0)
    assert colour() == LIGHT.many.lower()
    curves.set("one more", 0.0, np.ones(5), LOW)
    assert colour() == LIGHT.accent.lower()
    curves.point_at(None)
    assert colour() == LIGHT.many.lower()
