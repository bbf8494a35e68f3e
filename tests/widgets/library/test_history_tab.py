"""The history of a run's plan on its page."""

from dataclasses import replace
from datetime import timedelta

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from engine.analysis.verdicts.history import history_of
from engine.record.record import RunRecord
from tests.engine.library.examples import a_finished_record
from tests.totals import totals_with
from tests.widgets.accessibility import nameless_controls
from tests.widgets.parts.charts import has_colour
from widgets.library.history_tab import HistoryTab
from widgets.parts.look import LIGHT, Look


@pytest.fixture
def records() -> list[RunRecord]:
    """Ten nights of one plan; from the sixth on with a tenth less OPM."""
    first = a_finished_record(name="night")
    return [
        replace(
            first,
            run_id=f"run {number}",
            started_at=first.started_at + timedelta(days=number),
            totals=totals_with(opm=(1_000 if number < 5 else 900) + number % 3, rt_ms={"p95": 5.0}),
        )
        for number in range(10)
    ]


@pytest.fixture
def tab(look: Look, qtbot: QtBot) -> HistoryTab:
    tab = HistoryTab(look)
    qtbot.addWidget(tab)
    tab.resize(900, 400)
    return tab


def test_history_is_requested_when_the_tab_is_looked_at(
    qtbot: QtBot, tab: HistoryTab, records: list[RunRecord]
) -> None:
    requested: list[tuple[str, str]] = []
    tab.history_requested.connect(lambda run_id, figure: requested.append((run_id, figure)))
    tab.show_run(records[0])
    assert requested == []
    with qtbot.waitExposed(tab):
        tab.show()
    assert requested == [("run 0", "opm")]
    tab.hide()
    tab.show()
    assert requested == [("run 0", "opm")]
    tab.figure.setCurrentIndex(tab.figure.findData("p95"))
    tab.figure.activated.emit(tab.figure.currentIndex())
    assert requested[1:] == [("run 0", "p95")]


def test_runs_change_points_and_the_open_run_are_painted(
    qtbot: QtBot, tab: HistoryTab, records: list[RunRecord]
) -> None:
    tab.show_run(records[7])
    with qtbot.waitExposed(tab):
        tab.show()
    tab.show_history(history_of(records[7], records))
    image = tab.chart.grab().toImage()
    for colour in (LIGHT.many, LIGHT.mark, LIGHT.accent):
        assert has_colour(image, colour)
    assert tab.sentence.text() == "10 runs of this plan, 1 change point."
    assert "Changed by −10" in tab.chart.point_text(5)
    assert "Changed" not in tab.chart.point_text(4)
    assert nameless_controls(tab) == []
    tab.show_history(history_of(records[7], records, "p95"))
    assert not has_colour(tab.chart.grab().toImage(), LIGHT.mark)


def test_keys_read_the_runs_and_open_one(qtbot: QtBot, tab: HistoryTab, records: list[RunRecord]) -> None:
    tab.show_run(records[7])
    with qtbot.waitExposed(tab):
        tab.show()
    tab.show_history(history_of(records[7], records))
    tab.chart.setFocus()
    for _ in range(2):
        qtbot.keyClick(tab.chart, Qt.Key.Key_Left)
    assert tab.chart.accessibleDescription() == tab.chart.point_text(8)
    with qtbot.waitSignal(tab.run_requested) as opened:
        qtbot.keyClick(tab.chart, Qt.Key.Key_Return)
    assert opened.args == ["run 8"]


def test_runs_of_a_single_day_are_shown_with_its_date(qtbot: QtBot, tab: HistoryTab, records: list[RunRecord]) -> None:
    with qtbot.waitExposed(tab):
        tab.show()

    def picture(day: int) -> QImage:
        hours = [replace(each, started_at=records[day].started_at) for each in records[:2]]
        tab.chart.show_history(history_of(hours[0], hours), "")
        return tab.chart.grab().toImage()

    assert picture(0) == picture(0)
    assert picture(0) != picture(1)
