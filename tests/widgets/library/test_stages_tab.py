"""The tab of the stages: its charts over the load, with the knee."""

import pytest
from pytestqt.qtbot import QtBot

from engine.record.totals import StageTotals
from tests.widgets.contrast import colours_of
from tests.widgets.library.test_stages_table import STAGES, a_run
from widgets.library.stages_tab import StagesTab
from widgets.parts.look import Look


@pytest.fixture
def tab(qtbot: QtBot, look: Look) -> StagesTab:
    tab = StagesTab(look)
    qtbot.addWidget(tab)
    tab.resize(1_000, 600)
    return tab


def test_throughput_and_response_time_are_drawn_over_the_users_with_the_knee(tab: StagesTab, look: Look) -> None:
    tab.show_run(a_run(STAGES))
    (throughput,), (times,) = tab.throughput.curves, tab.times.curves
    assert throughput.points == tuple((10.0 * number, 100.0 * min(number, 3)) for number in range(1, 6))
    assert (throughput.knee, throughput.knee_text) == (pytest.approx(30), "knee: 30 users, 300\u202fOPM")
    assert times.points[0] == (10, 2.0)
    assert "20 users: 200\u202fOPM" in tab.throughput.accessibleDescription()
    assert {look.colours.accent, look.colours.mark} <= set(colours_of(tab.throughput))  # the curve and the knee


@pytest.mark.parametrize("stages", [(), STAGES[:1], (*STAGES[3:], *STAGES[:2])])
def test_what_is_no_curve_is_not_drawn(tab: StagesTab, stages: tuple[StageTotals, ...]) -> None:
    tab.show_run(a_run(stages))
    assert tab.throughput.curves == ()
    assert tab.throughput.accessibleDescription() == ""
