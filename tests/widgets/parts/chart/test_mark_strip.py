"""The strip above a chart: it grows for stacked labels, and the curves keep most of the room."""

from operator import attrgetter

import pytest
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tests.widgets.parts.charts import a_chart, has_colour, viewport_place, with_curve
from widgets.parts.chart.layers import Band
from widgets.parts.chart.marks import ChartMark
from widgets.parts.chart.time_chart import TimeChart
from widgets.parts.look import LIGHT


def close_marks(count: int) -> list[ChartMark]:
    return [ChartMark(number=number, at_seconds=100 + number, label="Failover") for number in range(1, count + 1)]


def plot_top(chart: TimeChart) -> float:
    QApplication.processEvents()
    return float(chart.view.getViewBox().sceneBoundingRect().top())


def test_strip_height_follows_the_number_of_label_rows(qtbot: QtBot) -> None:
    chart = with_curve(a_chart(qtbot))
    tops = [plot_top(chart)]
    for count in (1, 2, 3, 0):
        chart.set_marks(close_marks(count))
        tops.append(plot_top(chart))

    assert tops[0] < tops[1] < tops[2] < tops[3]
    assert tops[4] == tops[0]


def test_zooming_does_not_shrink_the_strip(qtbot: QtBot) -> None:
    chart = with_curve(a_chart(qtbot))
    chart.set_marks(close_marks(3))
    before = plot_top(chart)

    chart.show_range(95, 110)

    assert plot_top(chart) == before


def test_strip_of_a_chart_that_is_widened_has_no_empty_row(qtbot: QtBot) -> None:
    chart = with_curve(a_chart(qtbot))
    chart.resize(1_200, 500)
    chart.set_marks([ChartMark(number=number, at_seconds=100 * number, label="Enclosure pulled") for number in (1, 2)])
    before = plot_top(chart)
    chart.resize(400, 500)
    assert plot_top(chart) > before

    chart.resize(1_200, 500)

    assert plot_top(chart) == before


def test_small_chart_prefers_curves_to_the_strip(qtbot: QtBot) -> None:
    chart = with_curve(a_chart(qtbot))
    chart.resize(500, 150)
    chart.set_marks(close_marks(20))

    assert plot_top(chart) < 0.4 * chart.height()


def test_phase_is_named_in_the_strip(qtbot: QtBot) -> None:
    chart = with_curve(a_chart(qtbot))
    before = plot_top(chart)
    chart.plot.set_bands((Band(first=0, end=300, word="warm-up", colour=attrgetter("band_warmup")),))

    top = plot_top(chart)
    strip = chart.view.grab().toImage().copy(0, 0, chart.view.width(), int(top) - 1)
    assert top > before
    assert has_colour(strip, LIGHT.band_warmup)
    assert has_colour(strip, LIGHT.muted)


@pytest.mark.parametrize(("at_seconds", "is_named"), [(20, False), (200, True)])
def test_phase_is_named_only_before_the_line_of_its_first_mark(at_seconds: float, is_named: bool, qtbot: QtBot) -> None:
    chart = with_curve(a_chart(qtbot))
    chart.plot.set_bands((Band(first=0, end=300, word="warm-up", colour=attrgetter("band_warmup")),))
    chart.set_marks([ChartMark(number=1, at_seconds=at_seconds, label="Failover")])
    line = int(viewport_place(chart, at_seconds, 0).x())

    top = plot_top(chart)
    left = chart.view.grab().toImage().copy(0, int(top) - 15, line, 14)
    right = chart.view.grab().toImage().copy(line, int(top) - 15, chart.view.width() - line, 14)
    assert has_colour(left, LIGHT.muted) == is_named
    assert not has_colour(right, LIGHT.muted)


def test_bands_without_text_take_no_space(qtbot: QtBot) -> None:
    chart = with_curve(a_chart(qtbot))
    before = plot_top(chart)
    chart.plot.set_bands((Band(first=0, end=300, word="", colour=attrgetter("band_warmup")),))

    assert plot_top(chart) == before


def test_label_stays_at_its_line_in_a_narrower_chart(qtbot: QtBot) -> None:
    chart = with_curve(a_chart(qtbot))
    chart.set_marks([ChartMark(number=1, at_seconds=500, label="Failover")])
    for width in (900, 640, 880):
        chart.resize(width, 400)
        QApplication.processEvents()
        line = viewport_place(chart, 500, 0).x()
        strip = chart.view.getAxis("top")
        label = next(x for x in range(chart.view.width()) if strip.label_at(chart.view.mapToScene(x, 12)))
        assert abs(label - line) <= 2


def test_label_does_not_remain_above_the_strip(qtbot: QtBot) -> None:
    """Its place may be above the strip until the layout has given the strip its new height."""
    chart = with_curve(a_chart(qtbot))
    strip = chart.view.getAxis("top")
    strip.setHeight = lambda _height: None  # the layout has not come yet
    chart.set_marks(close_marks(3))
    picture = QImage(900, 400, QImage.Format.Format_RGB32)
    picture.fill(QColor(LIGHT.surface))
    painter = QPainter(picture)
    painter.translate(0, 200)
    strip.fixedHeight = 10
    strip.paint(painter)
    painter.end()
    assert not has_colour(picture.copy(0, 0, 900, 200), LIGHT.mark)
