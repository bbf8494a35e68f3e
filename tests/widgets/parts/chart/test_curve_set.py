"""The curves of a chart, apart from it; how they look is tried on whole charts."""

from operator import attrgetter

import numpy as np
import pytest
from PySide6.QtGui import QFont
from pytestqt.qtbot import QtBot

from widgets.parts.chart.curve_set import FEW, CurveSet
from widgets.parts.chart.curves import CurveStyle
from widgets.parts.chart.legend import ChartLegend, LegendEntry
from widgets.parts.chart.marks import Marks
from widgets.parts.chart.plot import ChartPlot
from widgets.parts.look import LIGHT, Look

LOW = CurveStyle(name="a client", colour=attrgetter("many"))
HIGH = CurveStyle(name="total", colour=attrgetter("total"), rank=1)


@pytest.fixture
def curves(qtbot: QtBot) -> CurveSet:
    look = Look()
    plot = ChartPlot(look, QFont(), Marks(), time_shown=True)
    qtbot.addWidget(plot.view)
    legend = ChartLegend(look)
    qtbot.addWidget(legend)
    return CurveSet(look, plot, legend)


def legend_of(curves: CurveSet) -> tuple[LegendEntry, ...]:
    return curves._legend.entries


def test_extent_covers_all_curves_in_whole_seconds(curves: CurveSet) -> None:
    assert curves.extent == (0, 0)
    curves.set("a", 10.5, np.ones(5), LOW)
    curves.set("b", -3.2, np.ones(2), LOW)
    curves.set("empty", 900.0, np.empty(0), LOW)
    assert curves.extent == (-4, 15)


def test_described_curve_is_the_emphasised_or_highest_ranked(curves: CurveSet) -> None:
    assert curves.main is None
    curves.set("total", 0.0, np.ones(5), HIGH)
    curves.set("one", 0.0, np.ones(5), LOW)
    assert curves.main is curves.by_key["total"]
    curves.highlight("one")
    assert curves.main is curves.by_key["one"]
    curves.remove("one")
    assert curves.main is curves.by_key["total"]


def test_curve_under_the_pointer_is_raised(curves: CurveSet) -> None:
    def pen() -> tuple[str, float]:
        pen = curves.by_key[0].item.pen
        return str(pen.color().name()), float(pen.widthF())

    for key in range(3):
        curves.set(key, 0.0, np.ones(5), LOW)
    curves.draw(0, 5, 0.01)
    colour, width = pen()
    assert colour == LIGHT.many
    curves.point_at(0)
    assert pen() == (LIGHT.accent, width + 1)
    curves.point_at(None)
    assert pen() == (LIGHT.many, width)


def test_line_drawing_depends_on_the_number_of_points(curves: CurveSet) -> None:
    curves.set("a", 0.0, np.tile([0.0, 1.0], 1_000), HIGH)
    curves.draw(0, 2_000, 1.0)
    for pixel_position, is_fine in ((1.0, True), (0.00005, False), (1.0, True)):
        curves.choose_strokes(1.0, pixel_position)
        item = curves.by_key["a"].item
        assert item.is_smooth is is_fine
        assert item.pen.widthF() == (HIGH.width if is_fine else 1.0)


def test_legend_names_all_of_few_curves_and_visible_ones_or_the_total_of_many(curves: CurveSet, qtbot: QtBot) -> None:
    for key in range(FEW):
        curves.set(key, 0.0, np.ones(5), LOW)
    curves.set_visible(1, False)
    curves.draw(0, 5, 0.01)
    assert [(entry.key, entry.is_shown) for entry in legend_of(curves)] == [(key, key != 1) for key in range(FEW)]

    curves.set("one more", 0.0, np.ones(5), HIGH)
    curves.draw(0, 5, 0.01)
    assert [entry.key for entry in legend_of(curves)] == ["one more", *(key for key in range(FEW) if key != 1)]
    curves.set_visible(1, True)
    curves.draw(0, 5, 0.01)
    assert [entry.key for entry in legend_of(curves)] == ["one more"]


def test_many_curves_are_reduced_and_keep_an_outage_of_one_second(curves: CurveSet) -> None:
    values = np.tile([50.0, 70.0], 5000)
    values[4321] = 0.0
    pixel_seconds = len(values) / 1000
    for key in range(FEW):
        curves.set(key, 0.0, values, LOW)
    curves.draw(0, len(values), pixel_seconds)
    among_few, _ = (curves.by_key[0].item.seconds, curves.by_key[0].item.positions)
    curves.set("one more", 0.0, values, LOW)
    curves.draw(0, len(values), pixel_seconds)
    among_many, drawn = (curves.by_key[0].item.seconds, curves.by_key[0].item.positions)

    assert len(among_many) < 0.6 * len(among_few)
    assert among_many[drawn.argmin()] == 4321
    assert drawn.min() == 0
