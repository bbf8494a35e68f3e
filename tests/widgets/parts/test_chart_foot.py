"""The legend below a chart: while it helps, and never over the title."""

import numpy as np
from pytestqt.qtbot import QtBot

from tests.widgets.parts.charts import a_chart, has_colour, with_curve
from widgets.parts.chart_curves import CurveStyle
from widgets.parts.chart_foot import MOST_IN_LEGEND, _widest
from widgets.parts.look import LIGHT
from widgets.parts.time_chart import TimeChart


def with_clients(chart: TimeChart, count: int, *, name: str = "client") -> TimeChart:
    for number in range(count):
        style = CurveStyle(name=f"{name} {number}", colour=lambda colours: colours.clients[0])
        with_curve(chart, np.full(60, 10.0 + number), f"{number}", style)
    return chart


def foot_has_legend(chart: TimeChart) -> bool:
    """A curve's colour below the axis can only be the legend's."""
    image = chart.view.grab().toImage()
    height = int(1.2 * chart.fontMetrics().height())
    return has_colour(image.copy(0, image.height() - height, image.width(), height), LIGHT.clients[0])


def test_few_curves_have_a_legend_and_many_have_none(qtbot: QtBot) -> None:
    chart = with_clients(a_chart(qtbot), MOST_IN_LEGEND)
    assert foot_has_legend(chart)

    with_clients(chart, MOST_IN_LEGEND + 1)
    assert not foot_has_legend(chart)

    chart.set_visible("3", False)
    chart.refresh()
    assert foot_has_legend(chart)


def test_short_names_stay_whole_beside_a_long_one() -> None:
    assert _widest([30, 20, 200, 40], 150) == 60
    assert _widest([30, 20, 200, 180], 150) == 50
    assert _widest([30, 20], 150) == 30


def test_long_names_are_shortened_until_nothing_readable_is_left(qtbot: QtBot) -> None:
    chart = with_clients(a_chart(qtbot), 6, name="a very long name of a very long host in a very long domain")
    assert foot_has_legend(chart)

    chart.resize(330, 200)
    assert not foot_has_legend(chart)
