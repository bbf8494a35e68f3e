"""Repaints of 24 curves: the pinned PySide6 and pyqtgraph neither abort nor pile anything up."""

import gc

import numpy as np
import psutil
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tests.benchmarks.repaint_benchmark import CLIENTS, add_second, jagged_run
from tests.widgets.parts.charts import drawn_points
from widgets.live.headline_chart import HeadlineChart
from widgets.parts.chart.run import MIDDLE_OF_SECOND
from widgets.parts.look import Look

REPAINTS = 120
WARM_UP = 40
SECONDS = 600
MOST_GROWTH_BYTES = 10_000_000  # a picture of the chart alone has 1.3 MB


def test_repainting_neither_aborts_nor_leaks(qtbot: QtBot) -> None:
    run = jagged_run(SECONDS)
    chart = HeadlineChart(Look())
    qtbot.addWidget(chart)
    chart.resize(800, 400)
    with qtbot.waitExposed(chart):
        chart.show()
    chart.show_run(run)
    random = np.random.default_rng(3)
    process = psutil.Process()
    begun, items = 0, 0
    for number in range(REPAINTS):
        if number == WARM_UP:
            gc.collect()
            begun, items = process.memory_info().rss, len(chart.chart.view.scene().items())
        add_second(run, SECONDS + number, random)
        chart.refresh(SECONDS + number)
        chart.chart.curves.highlight(number % CLIENTS or None)
        chart.grab()
        QApplication.processEvents()

    gc.collect()
    assert len(chart.chart.view.scene().items()) == items
    assert process.memory_info().rss - begun < MOST_GROWTH_BYTES
    assert drawn_points(chart.chart, 0)[0][-1] == SECONDS + REPAINTS - 1 + MIDDLE_OF_SECOND
