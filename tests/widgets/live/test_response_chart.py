"""Response times and errors of a run, below each other."""

from dataclasses import replace

import numpy as np
from PySide6.QtCore import QPointF, Qt
from pytestqt.qtbot import QtBot

from engine.analysis.run_data import RunData
from engine.record.record import RunState
from tests.doubles.live_runs import OUTAGE, a_live_run, a_scheduled_run, a_second, ended
from tests.widgets.accessibility import nameless_controls
from tests.widgets.parts.charts import drawn_points, is_logarithmic, picture
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


def test_response_times_equal_those_of_the_run(qtbot: QtBot) -> None:
    run = a_live_run(CLIENTS, SECONDS)
    chart = a_chart(qtbot, run)

    for key, expected in (
        ("p50", run.latency.p50_ms(0, run.end)),
        ("p95", run.latency.p95_ms(0, run.end)),
        ("p99", run.latency.p99_ms(0, run.end)),
    ):
        _, drawn = drawn_points(chart.times, key)
        np.testing.assert_array_equal(drawn, np.log10(expected))


def test_linear_scale_draws_values_unchanged(qtbot: QtBot) -> None:
    run = a_live_run(CLIENTS, SECONDS)
    chart = a_chart(qtbot, run)
    chart.logarithmic.click()
    np.testing.assert_array_equal(drawn_points(chart.times, "p99")[1], run.latency.p99_ms(0, run.end))
    assert chart.times.amount_range[0] == 0

    with qtbot.waitActive(chart):
        chart.activateWindow()
    chart.times.view.setFocus()
    qtbot.keyClick(chart.times.view, Qt.Key.Key_L)
    assert is_logarithmic(chart.times)
    assert chart.logarithmic.isChecked()


def test_maximum_of_a_second_is_that_of_all_clients(qtbot: QtBot) -> None:
    chart = a_chart(qtbot, a_live_run(CLIENTS, SECONDS))
    _, drawn = drawn_points(chart.times, "max")
    assert drawn[0] == np.log10(40)
    assert np.isnan(drawn[OUTAGE.start])


def test_heat_map_covers_the_orders(qtbot: QtBot) -> None:
    """9 ms, 11.8 ms and 30 ms have orders in every second, 100 ms has none."""
    chart = a_chart(qtbot, a_live_run(CLIENTS, 100, troubled=False))
    chart.heat.click()
    plain = picture(chart.times)
    chart.heat.click()
    shaded = picture(chart.times)

    def differs(milliseconds: float) -> bool:
        scene = chart.times.view.getViewBox().mapViewToScene(QPointF(50, np.log10(milliseconds)))
        place = chart.times.view.viewport().mapTo(chart.times, chart.times.view.mapFromScene(scene))
        return plain.pixelColor(place) != shaded.pixelColor(place)

    assert differs(9.6)
    assert not differs(20)
    assert "shaded: orders" in chart.times.legend.title


def test_intended_times_are_drawn_beside_service_times(qtbot: QtBot) -> None:
    run = a_scheduled_run(CLIENTS, SECONDS)
    chart = a_chart(qtbot, run)

    for key, expected in (
        ("p99", run.latency.p99_ms(0, run.end)),
        ("intended p95", run.latency.intended_p95_ms(0, run.end)),
        ("intended p99", run.latency.intended_p99_ms(0, run.end)),
    ):
        seconds, drawn = drawn_points(chart.times, key)
        whole = np.isin(seconds, np.arange(run.end) + 0.5)  # dashes begin and end between seconds
        np.testing.assert_allclose(drawn[whole], np.log10(expected))
    assert run.latency.intended_p99_ms()[OUTAGE.stop] > 100 * run.latency.p99_ms()[OUTAGE.stop]


def test_outage_has_errors_and_no_response_times(qtbot: QtBot) -> None:
    chart = a_chart(qtbot, a_live_run(CLIENTS, SECONDS))

    _, p95 = drawn_points(chart.times, "p95")
    _, errors = drawn_points(chart.errors, "errors")
    assert np.all(np.isnan(p95[list(OUTAGE)]))
    assert errors[list(OUTAGE)].tolist() == [3 * CLIENTS] * len(OUTAGE)
    assert errors[:200].tolist() == [0] * 200


def test_missing_second_is_not_drawn_as_zero_errors(qtbot: QtBot) -> None:
    run = a_live_run(CLIENTS, 10, troubled=False)
    for client in range(1, CLIENTS + 1):
        run.add(a_second(client, 20, out=True))
    chart = a_chart(qtbot, ended(run))

    seconds, errors = drawn_points(chart.errors, "errors")

    assert [second for second, value in zip(seconds, errors, strict=True) if np.isnan(value)] == [
        second + 0.5 for second in range(10, 20)
    ]


def test_error_chart_is_shown_if_errors_exist_and_fit(qtbot: QtBot) -> None:
    calm = a_chart(qtbot, a_live_run(CLIENTS, SECONDS, troubled=False))
    assert not calm.errors.isVisible()
    troubled = a_chart(qtbot, a_live_run(CLIENTS, SECONDS))
    assert troubled.errors.isVisible()
    troubled.resize(900, 200)
    assert not troubled.errors.isVisible()


def test_switches_are_remembered(qtbot: QtBot) -> None:
    run = a_live_run(CLIENTS, 30)
    one, two = a_chart(qtbot, run), a_chart(qtbot, run)
    one.logarithmic.click()
    two.restore_state(one.save_state())
    assert not is_logarithmic(two.times)
    assert two.heat.isChecked()
    two.restore_state(b"nonsense")
    assert not is_logarithmic(two.times)


def test_both_charts_show_the_same_time_range(qtbot: QtBot) -> None:
    chart = a_chart(qtbot, a_live_run(CLIENTS, SECONDS))
    chart.times.show_range(50, 100)
    assert chart.errors.visible_range == (50, 100)
    chart.errors.back_to_live()
    assert chart.times.is_live


def test_linked_chart_shares_the_time_range(qtbot: QtBot) -> None:
    run = a_live_run(CLIENTS, SECONDS)
    one, two = a_chart(qtbot, run), a_chart(qtbot, run)
    two.link_to(one.times)

    one.times.show_range(50, 100)

    assert two.errors.visible_range == (50, 100)


def test_every_chart_has_a_name(qtbot: QtBot) -> None:
    assert nameless_controls(a_chart(qtbot, a_live_run(CLIENTS, 60))) == []


def test_nothing_is_drawn_after_the_users_were_stopped(qtbot: QtBot) -> None:
    """In the rest of the last second users leave: the few transactions in it are not those of a usual second."""
    run = a_live_run(CLIENTS, 100)
    run.set_state(RunState.COMPLETED, replace(run.phases, measuring_to=80))
    chart = a_chart(qtbot, run)
    for of, key in ((chart.times, "p50"), (chart.times, "p99"), (chart.times, "max"), (chart.errors, "errors")):
        values = of.curves.by_key[key].values
        assert np.isnan(values[80:]).all()
        assert not np.isnan(values[:80]).any()
        assert len(values) == run.end
