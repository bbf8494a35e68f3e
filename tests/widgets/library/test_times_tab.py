"""The response times of a kept run: over time, over all orders, in figures."""

from dataclasses import replace

import pytest
from pytestqt.qtbot import QtBot

from engine.analysis.run_data import RunData
from tests.app.runs import a_run
from tests.doubles.live_runs import MEASURING_FROM, a_live_run, ended
from tests.widgets.accessibility import nameless_controls
from tests.widgets.parts.charts import drawn_points
from widgets.library.times_tab import TimesTab
from widgets.parts.look import Look

RECORD = a_run()


@pytest.fixture
def run() -> RunData:
    return ended(a_live_run(2, 100, troubled=False))


@pytest.fixture
def tab(qtbot: QtBot, run: RunData) -> TimesTab:
    tab = TimesTab(Look())
    qtbot.addWidget(tab)
    tab.resize(1_100, 700)
    tab.show()
    run.totals = RECORD.totals
    tab.show_run(RECORD, run)
    return tab


def test_histogram_has_only_measured_orders(tab: TimesTab, run: RunData) -> None:
    orders = run.series.count("order.n", first=MEASURING_FROM, end=100)
    assert tab.histogram.summary().startswith(f"{orders:,} orders".replace(",", "\u202f"))


def test_charts_added_later_are_drawn_later(tab: TimesTab, run: RunData) -> None:
    grid = run.latency.grid
    before = tab.histogram.summary()
    grid.put(MEASURING_FROM, 2 * grid.between(MEASURING_FROM, MEASURING_FROM + 1).astype(int))
    tab.refresh()
    assert tab.histogram.summary() != before


def test_row_names_are_not_elided(tab: TimesTab) -> None:
    view = tab.table.view
    assert view.columnWidth(0) >= view.sizeHintForColumn(0)


def test_tab_layout_is_saved(qtbot: QtBot, tab: TimesTab, run: RunData) -> None:
    tab.chart.logarithmic.click()
    other = TimesTab(Look())
    qtbot.addWidget(other)
    other.restore_layout(tab.save_layout())
    assert not other.chart.logarithmic.isChecked()


def test_run_without_totals_has_a_chart(tab: TimesTab, run: RunData) -> None:
    run.totals = None
    tab.show_run(replace(RECORD, totals=None), run)
    assert tab.table.head.text() == "No response time is known."
    assert len(drawn_points(tab.chart.times, "p50")[0])


def test_every_control_has_a_name(tab: TimesTab) -> None:
    assert nameless_controls(tab) == []
