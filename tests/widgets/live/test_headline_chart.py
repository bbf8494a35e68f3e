"""The OPM chart of a run: its curves, readings, clients and marks."""

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QToolButton
from pytestqt.qtbot import QtBot

from engine.analysis.run_data import RunData
from engine.analysis.series.headline_curves import HeadlineCurves, Reading
from tests.doubles.live_runs import MEASURING_FROM, OUTAGE, a_live_run, a_mark, a_second, ended
from tests.widgets.accessibility import nameless_controls
from tests.widgets.parts.charts import drawn_points, svg_of
from widgets.live.headline_chart import TOTAL, HeadlineChart
from widgets.parts.chart.run import MIDDLE_OF_SECOND
from widgets.parts.chart.scale import live_span
from widgets.parts.look import Look

SECONDS = 300


def a_chart(qtbot: QtBot, run: RunData) -> HeadlineChart:
    chart = HeadlineChart(Look())
    qtbot.addWidget(chart)
    chart.resize(1000, 400)
    with qtbot.waitExposed(chart):
        chart.show()
    chart.show_run(run)
    return chart


def button(chart: HeadlineChart, text: str) -> QAbstractButton:
    return next(each for each in chart.header.findChildren(QAbstractButton) if each.text() == text)


def drawn_by_second(chart: HeadlineChart, key: int) -> dict[int, float]:
    seconds, values = drawn_points(chart.chart, key)
    return dict(zip((seconds - MIDDLE_OF_SECOND).astype(int).tolist(), values.tolist(), strict=True))


@pytest.mark.parametrize(
    ("text", "reading", "window_seconds"),
    [
        ("Running", Reading.RUNNING, 10),
        ("Second", Reading.SECOND, 10),
        ("Window 10 s", Reading.WINDOW, 10),
        ("30 s", Reading.WINDOW, 30),
        ("60 s", Reading.WINDOW, 60),
    ],
)
def test_each_opm_reading_draws_its_curves(qtbot: QtBot, text: str, reading: Reading, window_seconds: int) -> None:
    run = a_live_run(2, SECONDS)
    chart = a_chart(qtbot, run)

    qtbot.mouseClick(button(chart, text), Qt.MouseButton.LeftButton)

    curves = HeadlineCurves(run, reading, window_seconds)
    curves.update()
    for key in (TOTAL, 1, 2):
        expected = curves.total() if key == TOTAL else curves.client(key)
        drawn = drawn_by_second(chart, key)
        np.testing.assert_array_equal([drawn[second] for second in range(run.end)], expected)


def test_opm_reading_changes_by_keyboard(qtbot: QtBot) -> None:
    chart = a_chart(qtbot, a_live_run(2, SECONDS))
    ten = button(chart, "Window 10 s")
    ten.setFocus()

    qtbot.keyClick(ten, Qt.Key.Key_Right)

    assert chart.header.reading == (Reading.WINDOW, 30)
    assert button(chart, "30 s").font().bold()
    assert not ten.font().bold()


def test_an_outage_is_drawn_as_zeros(qtbot: QtBot) -> None:
    chart = a_chart(qtbot, a_live_run(2, SECONDS))
    chart.header.choose(Reading.SECOND)

    drawn = drawn_by_second(chart, TOTAL)

    assert {drawn[second] for second in OUTAGE} == {0}


def test_lost_client_is_drawn_as_a_gap(qtbot: QtBot) -> None:
    chart = a_chart(qtbot, a_live_run(2, 500))

    assert np.isnan(drawn_by_second(chart, 2)[450])
    assert drawn_by_second(chart, 1)[450] > 0


def test_new_second_is_drawn_after_a_tick(qtbot: QtBot) -> None:
    run = a_live_run(2, SECONDS)
    chart = a_chart(qtbot, run)
    for client in (1, 2):
        run.add(a_second(client, SECONDS))
    chart.refresh(SECONDS)

    assert drawn_by_second(chart, TOTAL)[SECONDS] > 0


def test_chart_grows_live_and_shows_the_whole_finished_run(qtbot: QtBot) -> None:
    run = a_live_run(2, SECONDS + 7)
    chart = a_chart(qtbot, run)
    assert chart.chart.visible_range == (0, live_span(SECONDS + 7, MEASURING_FROM + 1_800))

    ended(run)
    chart.refresh(None)
    assert chart.chart.visible_range == (0, SECONDS + 7)
    assert button(chart, "Whole run")


def test_back_to_live_is_offered_only_after_zooming(qtbot: QtBot) -> None:
    chart = a_chart(qtbot, a_live_run(2, SECONDS))
    live = button(chart, "Live")
    assert not live.isEnabled()

    with qtbot.waitSignal(chart.chart.live_changed):
        chart.chart.show_range(10, 50)
    assert live.isEnabled()

    with qtbot.waitSignal(chart.chart.live_changed):
        qtbot.mouseClick(live, Qt.MouseButton.LeftButton)
    assert chart.chart.is_live
    assert not live.isEnabled()


def test_time_axis_starts_at_measuring(qtbot: QtBot) -> None:
    chart = a_chart(qtbot, a_live_run(2, SECONDS))

    assert f"from −0:{MEASURING_FROM} to 4:29" in chart.chart.summary()


def test_client_is_isolated_and_all_are_shown_again(qtbot: QtBot) -> None:
    chart = a_chart(qtbot, a_live_run(4, SECONDS))
    shown: list[tuple[int, bool]] = []
    chart.chart.curves.visibility_changed.connect(lambda client, visible: shown.append((client, visible)))

    chart.chart.curves.isolate(3)
    assert [key for key in range(5) if chart.chart.curves.by_key[key].is_visible] == [3]
    assert sorted(shown) == [(0, False), (1, False), (2, False), (4, False)]

    chart.chart.curves.isolate(None)
    assert all(chart.chart.curves.by_key[key].is_visible for key in range(5))


def test_clients_menu_hides_and_shows_curves(qtbot: QtBot) -> None:
    chart = a_chart(qtbot, a_live_run(4, SECONDS))
    menu = next(each for each in chart.header.findChildren(QToolButton) if each.menu()).menu()
    actions = {action.text(): action for action in menu.actions()}
    label = a_live_run(4, 1).clients[1].label

    actions[label].trigger()
    assert not chart.chart.curves.by_key[2].is_visible
    actions["Total"].trigger()
    assert not chart.chart.curves.by_key[TOTAL].is_visible

    actions["Show all"].trigger()
    assert chart.chart.curves.by_key[2].is_visible
    assert actions[label].isChecked()


def test_marks_are_drawn_and_their_signals_forwarded(qtbot: QtBot) -> None:
    run = a_live_run(2, 100)
    run.put_event(a_mark(9, 50.5, "Failover"))
    chart = a_chart(qtbot, run)
    assert "Failover at 0:20" in chart.chart.summary()

    qtbot.keyClick(chart.chart.view, Qt.Key.Key_Right, Qt.KeyboardModifier.ControlModifier)
    for key, signal in (
        (Qt.Key.Key_F2, chart.chart.marking.rename_requested),
        (Qt.Key.Key_Delete, chart.chart.marking.remove_requested),
    ):
        with qtbot.waitSignal(signal) as requested:
            qtbot.keyClick(chart.chart.view, key)
        assert requested.args == [9]
    with qtbot.waitSignal(chart.chart.marking.moved) as moved:
        qtbot.keyClick(chart.chart.view, Qt.Key.Key_Left, Qt.KeyboardModifier.ShiftModifier)
    assert moved.args == [9, 49.5]


def test_another_run_replaces_the_first(qtbot: QtBot) -> None:
    chart = a_chart(qtbot, a_live_run(4, SECONDS))
    chart.chart.show_range(10, 50)
    chart.show_run(ended(a_live_run(2, 60, troubled=False)))

    assert set(chart.chart.curves.by_key) == {TOTAL, 1, 2}
    assert chart.chart.is_live
    assert chart.chart.visible_range == (0, 60)


def test_every_control_has_a_name(qtbot: QtBot) -> None:
    chart = a_chart(qtbot, a_live_run(2, 60))

    assert nameless_controls(chart) == []


def test_the_axis_ends_with_a_short_plan(qtbot: QtBot) -> None:
    run = a_live_run(2, 100)
    run.set_state(run.state, replace(run.phases, measuring_to=210))
    assert a_chart(qtbot, run).chart.visible_range == (0, 210)


def test_legend_click_isolates_the_client_everywhere(qtbot: QtBot) -> None:
    chart = a_chart(qtbot, a_live_run(3, SECONDS))
    names = {each.text(): each for each in chart.chart.legend.buttons}
    with qtbot.waitSignals([chart.chart.curves.visibility_changed] * 3):
        qtbot.mouseClick(names["ds2_2"], Qt.MouseButton.LeftButton)
    assert [chart.chart.curves.by_key[key].is_visible for key in range(4)] == [False, False, True, False]

    qtbot.mouseClick(names["ds2_2"], Qt.MouseButton.LeftButton)
    assert all(chart.chart.curves.by_key[key].is_visible for key in range(4))


def test_image_has_the_run_name(qtbot: QtBot) -> None:
    run = a_live_run(2, SECONDS)
    chart = a_chart(qtbot, run)
    chart.header.choose(Reading.WINDOW, 30)
    svg = svg_of(chart.chart).decode()
    for words in (run.name, run.run_id, "measuring, 270 measured seconds", "OPM: sliding window of 30 s", "ds2_2"):
        assert words in svg
