"""The axes on a chart: round steps, words with units, and a width that does not change."""

import numpy as np
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tests.widgets.parts.charts import a_chart, with_curve
from widgets.parts.chart.time_chart import TimeChart
from widgets.parts.look import Look


def time_labels(chart: TimeChart) -> list[str]:
    axis = chart.view.getAxis("bottom")
    ((step, values),) = axis.tickValues(*axis.range, axis.width())
    return axis.tickStrings(values, 1, step)


def amount_labels(chart: TimeChart) -> list[str]:
    axis = chart.view.getAxis("left")
    ((step, values),) = axis.tickValues(*axis.range, axis.height())
    return axis.tickStrings(values, 1, step)


def test_time_labels_count_from_the_origin_in_round_steps(qtbot: QtBot) -> None:
    chart = with_curve(a_chart(qtbot))
    chart.set_origin(130, "since measuring began")

    labels = time_labels(chart)

    assert labels[0] == "−2:00"
    assert labels[1:3] == ["0:00", "2:00"]
    assert chart.view.getAxis("bottom").positions()[1] == 130


def test_long_run_has_labels_in_hours(qtbot: QtBot) -> None:
    chart = with_curve(a_chart(qtbot), np.ones(86_400))

    assert time_labels(chart)[:2] == ["0:00", "4:00"] or time_labels(chart)[:2] == ["0:00", "2:00"]
    assert chart.view.getAxis("bottom").unit == "h:mm"
    chart.show_range(50_000, 50_020)
    assert chart.view.getAxis("bottom").unit == "h:mm:ss"


def test_amounts_have_thin_spaces_and_as_many_decimals_as_their_step(qtbot: QtBot) -> None:
    chart = with_curve(a_chart(qtbot), np.full(60, 1_100_000.0))
    assert amount_labels(chart)[0] == "0"
    assert amount_labels(chart)[-1] == "1\u202f200\u202f000"

    with_curve(chart, np.full(60, 0.11))
    assert set(amount_labels(chart)) >= {"0.00", "0.10"} or set(amount_labels(chart)) >= {"0.00", "0.12"}


def test_plot_position_does_not_depend_on_values(qtbot: QtBot) -> None:
    chart = with_curve(a_chart(qtbot), np.full(60, 9.0))
    before = chart.view.getViewBox().sceneBoundingRect()
    with_curve(chart, np.full(60, 1_900_000.0))
    QApplication.processEvents()

    assert chart.view.getViewBox().sceneBoundingRect() == before


def test_labels_fit_in_a_narrow_chart(qtbot: QtBot) -> None:
    chart = with_curve(a_chart(qtbot))
    chart.resize(260, 140)
    QApplication.processEvents()

    axis = chart.view.getAxis("bottom")
    widths = sum(chart.fontMetrics().horizontalAdvance(label) for label in time_labels(chart))
    assert 0 < widths < axis.width()
    assert amount_labels(chart)


def test_low_chart_shows_only_the_unit(qtbot: QtBot) -> None:
    chart = TimeChart(Look(), name="Response time", amount="response time, ms", value_text=str)
    qtbot.addWidget(chart)
    chart.show()
    axis = chart.view.getAxis("left")
    for height, title in ((400, "response time, ms"), (110, "ms"), (400, "response time, ms")):
        chart.resize(500, height)
        qtbot.waitUntil(lambda title=title: axis.labelText == title)


def test_another_title_is_fitted_to_a_low_chart(qtbot: QtBot) -> None:
    chart = TimeChart(Look(), name="Rate", amount="", value_text=str)
    qtbot.addWidget(chart)
    chart.resize(500, 110)
    chart.show()
    axis = chart.view.getAxis("left")
    chart.set_amount("New-Orders per minute", "New-Orders per minute", str, short="NOPM")
    qtbot.waitUntil(lambda: axis.labelText == "NOPM")
    chart.resize(500, 400)
    qtbot.waitUntil(lambda: axis.labelText == "New-Orders per minute")
