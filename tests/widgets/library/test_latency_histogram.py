"""All orders of a run by response time."""

import numpy as np
import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from engine.analysis.latency.grid import STEPS, edges_ms
from tests.widgets.accessibility import nameless_controls
from tests.widgets.parts.charts import has_colour
from widgets.library.latency_histogram import LatencyHistogram
from widgets.parts.look import LIGHT, Look


def step_of(milliseconds: float) -> int:
    return int(np.searchsorted(edges_ms(), milliseconds, side="right")) - 1


@pytest.fixture
def histogram(qtbot: QtBot) -> LatencyHistogram:
    histogram = LatencyHistogram(Look())
    qtbot.addWidget(histogram)
    histogram.resize(600, 400)
    counts = np.zeros(STEPS, dtype=np.int64)
    counts[step_of(9)], counts[step_of(12)], counts[step_of(300)] = 6_000, 3_990, 10
    histogram.show_counts(counts, (9.0, 12.1, 12.4), "orders")
    with qtbot.waitExposed(histogram):
        histogram.show()
    return histogram


def test_bar_description_has_range_orders_and_cumulative_share(histogram: LatencyHistogram) -> None:
    assert histogram.bar_text(step_of(9)) == (
        "8.91 to 10.0 ms: 6\u202f000 orders, 60.00\u202f%; 60.00 % are not longer"
    )
    assert histogram.bar_text(step_of(12)).endswith("; 99.90 % are not longer")
    assert histogram.bar_text(step_of(300)).endswith("; 100.00 % are not longer")


def test_share_below_100_per_cent_is_not_rounded_up(histogram: LatencyHistogram) -> None:
    counts = np.zeros(STEPS, dtype=np.int64)
    counts[10], counts[20] = 1_000_000, 1
    histogram.show_counts(counts, (), "orders")
    assert histogram.bar_text(10).endswith("; 99.99 % are not longer")


def test_bars_and_percentiles_are_painted(histogram: LatencyHistogram) -> None:
    image = histogram.grab().toImage()
    for colour in (LIGHT.many, *LIGHT.times):
        assert has_colour(image, colour)
    histogram.show_counts(np.zeros(STEPS, dtype=np.int64), (), "orders")
    assert not has_colour(histogram.grab().toImage(), LIGHT.many)


def test_arrow_keys_move_between_bars(qtbot: QtBot, histogram: LatencyHistogram) -> None:
    histogram.setFocus()
    for key, time in (
        (Qt.Key.Key_Right, "8.91"),
        (Qt.Key.Key_Right, "11.2"),
        (Qt.Key.Key_Right, "282"),
        (Qt.Key.Key_Right, "282"),
        (Qt.Key.Key_Left, "11.2"),
    ):
        qtbot.keyClick(histogram, key)
        assert histogram.accessibleDescription().startswith(time)


def test_summary_is_one_sentence(histogram: LatencyHistogram) -> None:
    assert nameless_controls(histogram) == []
    assert histogram.accessibleDescription().startswith(
        "10\u202f000 orders; p50 9.00 ms, p95 12.1 ms, p99 12.4 ms; most orders: 8.91 to 10.0 ms"
    )
