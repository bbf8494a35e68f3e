"""The heat map behind the response times, by what it paints."""

import numpy as np
import pytest
from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from engine.analysis.latency.grid import STEPS, LatencyGrid
from tests.widgets.parts.charts import a_chart, picture
from tests.widgets.parts.test_look import contrast
from widgets.parts.chart.curves import CurveStyle
from widgets.parts.chart.heat import shades
from widgets.parts.chart.time_chart import TimeChart
from widgets.parts.look import DARK, LIGHT, Colours, Look

_NONE = CurveStyle(name="none", colour=lambda colours: colours.surface, width=1)
_AT_1_MS, _AT_10_MS = 20, 40


@pytest.fixture
def grid() -> LatencyGrid:
    """For 100 s many orders of 1 ms, and in second 50 a single one of 10 ms."""
    counts = np.zeros((100, STEPS), dtype=np.int64)
    counts[:, _AT_1_MS] = 800
    counts[50, _AT_10_MS] = 1
    grid = LatencyGrid()
    grid.put(0, counts)
    return grid


def shown(qtbot: QtBot, grid: LatencyGrid | None, look: Look) -> TimeChart:
    chart = a_chart(qtbot, look=look)
    chart.set_logarithmic(True)
    chart.curves.set("none", 0.5, np.full(100, 100.0), _NONE)
    chart.set_heat(grid)
    chart.refresh()
    QApplication.processEvents()
    return chart


def colour_at(chart: TimeChart, seconds: float, milliseconds: float) -> QColor:
    scene = chart.view.getViewBox().mapViewToScene(QPointF(seconds, np.log10(milliseconds)))
    return picture(chart).pixelColor(chart.view.viewport().mapTo(chart, chart.view.mapFromScene(scene)))


def test_shade_grows_with_orders_and_a_single_order_is_visible(qtbot: QtBot, grid: LatencyGrid) -> None:
    chart = shown(qtbot, grid, Look())
    assert colour_at(chart, 20.5, 1.06).name() == LIGHT.heat
    lone = colour_at(chart, 50.5, 10.6).name()
    assert lone not in (LIGHT.heat, LIGHT.surface)
    assert colour_at(chart, 30.5, 10.6).name() == LIGHT.surface


def test_axis_begins_at_the_lowest_value(qtbot: QtBot, grid: LatencyGrid) -> None:
    assert shown(qtbot, None, Look()).amount_range[0] > 1
    assert shown(qtbot, grid, Look()).amount_range[0] <= 1


def test_heat_map_ends_where_it_is_told(qtbot: QtBot, grid: LatencyGrid) -> None:
    chart = shown(qtbot, grid, Look())
    assert colour_at(chart, 90.5, 1.06).name() == LIGHT.heat
    chart.set_heat(grid, end=80)
    chart.refresh()
    QApplication.processEvents()
    assert colour_at(chart, 90.5, 1.06).name() == LIGHT.surface
    assert colour_at(chart, 70.5, 1.06).name() == LIGHT.heat


def test_heat_map_follows_the_look(qtbot: QtBot, grid: LatencyGrid) -> None:
    look = Look()
    chart = shown(qtbot, grid, look)
    look.set_dark(True)
    assert colour_at(chart, 20.5, 1.06).name() == DARK.heat


def test_one_second_spike_is_visible_in_a_day(qtbot: QtBot, grid: LatencyGrid) -> None:
    counts = np.zeros((86_400, STEPS), dtype=np.int64)
    counts[:, _AT_1_MS] = 800
    counts[40_000, _AT_10_MS] = 400
    grid.put(0, counts)
    chart = a_chart(qtbot)
    chart.set_logarithmic(True)
    chart.curves.set("none", 0.5, np.full(86_400, 100.0), _NONE)
    chart.set_heat(grid)
    chart.refresh()
    QApplication.processEvents()
    pixel = 86_400 / chart.view.getViewBox().width()
    near = [colour_at(chart, 40_000 + by * pixel, 10.6).name() for by in (-1, 0, 1)]
    assert any(name != LIGHT.surface for name in near)


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_percentile_lines_contrast_with_the_darkest_shade(colours: Colours) -> None:
    strongest = QColor.fromRgba(shades(colours)[-1]).name()
    assert strongest == colours.heat
    for line in colours.times:
        assert contrast(line, strongest) >= 3
        assert contrast(line, colours.surface) >= 3
