"""The texts of the axes are whole with letters of any size."""

import pyqtgraph as pg
import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QFontMetricsF, QImage, QPainter
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from widgets.parts.chart.marks import Marks
from widgets.parts.chart.plot import ChartPlot
from widgets.parts.chart.range import ChartRange
from widgets.parts.fonts import scaled
from widgets.parts.look import Look


def a_plot(qtbot: QtBot, *, larger: float, time_shown: bool) -> ChartPlot:
    """From 0:00 to 5:00, and from 0 to 100."""
    plot = ChartPlot(Look(), scaled(QApplication.font(), larger), Marks(), time_shown=time_shown)
    qtbot.addWidget(plot.view)
    plot.view.resize(900, 200)
    shown = ChartRange()
    shown.follow(0, 300)
    shown.top = 100.0
    plot.show_range(shown)
    with qtbot.waitExposed(plot.view):
        plot.view.show()
    plot.lay_out_now()
    return plot


def drawn(axis: pg.AxisItem) -> dict[str, QRectF]:
    """The places of the axis's texts in the scene."""
    painter = QPainter(image := QImage(10, 10, QImage.Format.Format_RGB32))
    texts = axis.generateDrawSpecs(painter)[2]
    painter.end()
    assert not image.isNull()
    return {text: axis.mapRectToScene(place) for place, _, text in texts}


@pytest.mark.parametrize("larger", [1.0, 1.5])
def test_the_last_time_is_labelled(larger: float, qtbot: QtBot) -> None:
    plot = a_plot(qtbot, larger=larger, time_shown=True)
    place = drawn(plot.time_axis)["5:00"]
    assert place.right() <= plot.view.width()


@pytest.mark.parametrize("larger", [1.0, 1.5])
@pytest.mark.parametrize("time_shown", [True, False])
def test_the_lowest_value_is_not_cut(larger: float, time_shown: bool, qtbot: QtBot) -> None:
    plot = a_plot(qtbot, larger=larger, time_shown=time_shown)
    metrics = QFontMetricsF(plot.amount_axis.style["tickFont"])
    base_line = drawn(plot.amount_axis)["0"].center().y() - metrics.height() / 2 + metrics.ascent()
    assert base_line <= plot.view.height()
