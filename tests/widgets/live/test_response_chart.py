"""Response times and errors of a run, below each other."""

import numpy as np
from pytestqt.qtbot import QtBot

from engine.analysis.run_data import RunData
from tests.doubles.live_runs import OUTAGE, a_live_run, a_scheduled_run, a_second, ended
from tests.widgets.accessibility import nameless_controls
from widgets.live.response_chart import ResponseChart
from widgets.parts.look import Look

CLIENTS, SECONDS = 2, 300


def a_chart(qtbot: QtBot, run: RunData) -> ResponseChart:
    chart = ResponseChart(Look())
    qtbot.addWidget(chart)
    chart.resize(900, 400)
    with qtbot.waitExposed(chart):
        chart.show()
    chart.show_run(run)
    return chart


def test_times_are_those_of_the_run(qtbot: QtBot) -> None:
    run = a_live_run(CLIENTS, SECONDS)
    chart = a_chart(qtbot, run)

    for key, expected in (
        ("mean", run.mean_ms(0, run.end)),
        ("p95", run.latency.p95_ms(0, run.end)),
        ("p99", run.latency.p99_ms(0, run.end)),
    ):
        _, drawn = chart.times.drawn(key)
        np.testing.assert_array_equal(drawn, expected)


def test_times_as_intended_stand_beside_those_served(qtbot: QtBot) -> None:
    run = a_scheduled_run(CLIENTS, SECONDS)
    chart = a_chart(qtbot, run)

    for key, expected in (
        ("p99", run.latency.p99_ms(0, run.end)),
        ("intended p95", run.latency.intended_p95_ms(0, run.end)),
        ("intended p99", run.latency.intended_p99_ms(0, run.end)),
    ):
        _, drawn = chart.times.drawn(key)
        np.testing.assert_array_equal(drawn, expected)
    assert run.latency.intended_p99_ms()[OUTAGE.stop] > 100 * run.latency.p99_ms()[OUTAGE.stop]


def test_an_outage_has_no_times_but_errors(qtbot: QtBot) -> None:
    chart = a_chart(qtbot, a_live_run(CLIENTS, SECONDS))

    _, p95 = chart.times.drawn("p95")
    _, errors = chart.errors.drawn("errors")
    assert np.all(np.isnan(p95[list(OUTAGE)]))
    assert errors[list(OUTAGE)].tolist() == [3 * CLIENTS] * len(OUTAGE)
    assert errors[:200].tolist() == [0] * 200


def test_a_second_of_which_nobody_told_is_no_second_without_errors(qtbot: QtBot) -> None:
    run = a_live_run(CLIENTS, 10, troubled=False)
    for client in range(1, CLIENTS + 1):
        run.add(a_second(client, 20))
    chart = a_chart(qtbot, ended(run))

    seconds, errors = chart.errors.drawn("errors")

    assert [second for second, value in zip(seconds, errors, strict=True) if np.isnan(value)] == [
        second + 0.5 for second in range(10, 20)
    ]


def test_both_show_the_same_time(qtbot: QtBot) -> None:
    chart = a_chart(qtbot, a_live_run(CLIENTS, SECONDS))
    chart.times.show_range(50, 100)
    assert chart.errors.visible_range == (50, 100)
    chart.errors.back_to_live()
    assert chart.times.is_live


def test_it_follows_a_chart_that_it_is_linked_to(qtbot: QtBot) -> None:
    run = a_live_run(CLIENTS, SECONDS)
    one, two = a_chart(qtbot, run), a_chart(qtbot, run)
    two.link_to(one.times)

    one.times.show_range(50, 100)

    assert two.errors.visible_range == (50, 100)


def test_every_chart_has_a_name(qtbot: QtBot) -> None:
    assert nameless_controls(a_chart(qtbot, a_live_run(CLIENTS, 60))) == []
