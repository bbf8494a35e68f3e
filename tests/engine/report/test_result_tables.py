from dataclasses import replace

from engine.analysis.comparing.references import find_reference, shipped_references
from engine.analysis.comparing.variability import variability_pct
from engine.histogram import bucket_of, pack
from engine.plan.plan import RunPlan
from engine.report.document import BarChart
from engine.report.result_tables import (
    client_changes,
    clients_bars,
    clients_table,
    counts_table,
    headline_bars,
    headline_table,
    times_bars,
    times_table,
)
from engine.report.results import Result, result_of_reference, result_of_run
from tests.doubles.samples import OPM
from tests.engine.report.reported import a_plan, a_reported_run, rows_of, samples_of


def published(name: str) -> Result:
    reference = find_reference(shipped_references(), name)
    assert reference is not None
    return result_of_reference(reference)


HDD, SSD = published("R630, 4 databases, HDD, 20 ms"), published("R630, 4 databases, SSD, 20 ms")
SLOW_HDD, EIGHT = published("R630, 4 databases, HDD, 100 ms"), published("R630, 8 databases, SSD, 20 ms")


def a_result(*orders: int, name: str = "", order_ms: int = 4) -> Result:
    return result_of_run(a_reported_run(orders, run_id=f"run-{name}", name=name, order_ms=order_ms))


def test_opm_and_variability_come_out_as_published() -> None:
    rows = rows_of(headline_table([SLOW_HDD, HDD, SSD, EIGHT]))
    assert rows == [
        ("R630, 4 databases, HDD, 100 ms", "20 736", "–", "–", "–", "29.13 %"),
        ("R630, 4 databases, HDD, 20 ms", "24 085", "+3 349", "+16.2 %", "1.16 ×", "42.82 %"),
        ("R630, 4 databases, SSD, 20 ms", "186 604", "+165 868", "+799.9 %", "9.00 ×", "0.55 %"),
        ("R630, 8 databases, SSD, 20 ms", "242 265", "+221 529", "+1 068.3 %", "11.68 ×", "4.16 %"),
    ]


def test_the_table_of_clients_has_a_row_for_each_and_the_total() -> None:
    table = clients_table([HDD, SSD])
    assert rows_of(table) == [
        ("client 1", "4 719", "46 627"),
        ("client 2", "7 376", "46 597"),
        ("client 3", "7 628", "46 819"),
        ("client 4", "4 362", "46 561"),
        ("Total", "24 085", "186 604"),
    ]
    assert "42.8" in table.note
    assert "in the order of the columns" in table.note


def test_measured_clients_bear_their_labels() -> None:
    table = clients_table([a_result(10, 20, name="a"), a_result(20, 20, name="b")])
    assert [row[0] for row in table.rows] == ["ds2 #1", "ds2 #2"]
    assert clients_table([a_result(10, 20, name="a")]).note == "Variability of the clients: 50.00\u202f%."


def test_clients_of_other_labels_and_numbers_stand_in_their_order() -> None:
    other = result_of_run(a_reported_run((5, 6, 7), run_id="c", plan=a_plan(databases=3, clients=1)))
    table = clients_table([a_result(10, 20, name="a"), other])
    assert rows_of(table)[:3] == [("client 1", "600", "300"), ("client 2", "1 200", "360"), ("client 3", "", "420")]
    assert table.note.startswith("Clients are compared by their order")


def test_clients_of_the_same_label_are_held_against_each_other() -> None:
    (table,) = client_changes([a_result(10, 20, name="a"), HDD, a_result(15, 20, name="b"), a_result(10, 10, name="c")])
    assert rows_of(table) == [
        ("ds2 #1", "b", "900", "+300", "+50.0 %", "1.50 ×"),
        ("ds2 #1", "c", "600", "0", "0.0 %", "1.00 ×"),
        ("ds2 #2", "b", "1 200", "0", "0.0 %", "1.00 ×"),
        ("ds2 #2", "c", "600", "−600", "−50.0 %", "0.50 ×"),
    ]


def test_clients_are_not_compared_without_two_runs_that_share_several() -> None:
    assert client_changes([a_result(10, 20, name="a"), HDD]) == []
    assert client_changes([a_result(10, name="a"), a_result(20, name="b")]) == []


def test_response_times_with_their_differences() -> None:
    rows = rows_of(times_table([a_result(10, 20, name="a", order_ms=4), a_result(10, 20, name="b", order_ms=5)]))
    assert rows[0][1] == "4.00"
    assert rows[1][1] == "5.00"
    assert rows[0][6:] == ("–", "–")
    assert rows[1][6] == "+25.0 %"
    assert len(rows_of(times_table([a_result(10, 20, name="a")]))[0]) == 6


def test_times_as_intended_stand_beside_those_of_users_with_a_schedule() -> None:
    samples = [replace(each, overdue=pack({bucket_of(90_000): 90})) for each in samples_of((10, 20))]
    scheduled = result_of_run(a_reported_run((10, 20), run_id="s", name="s", samples=samples))
    table = times_table([scheduled, a_result(10, 20, name="a")])
    assert table.caption.startswith("Service time of an order, and its time as intended")
    assert scheduled.run is not None
    run = replace(scheduled.run, record=replace(scheduled.run.record, plan=RunPlan(rate=600.0)))
    at_a_rate = replace(scheduled, run=run)
    assert times_table([at_a_rate]).caption.startswith("Response time of an order, and its time as")
    all_served = times_table([replace(at_a_rate, totals=replace(scheduled.totals, overdue=0))])
    assert (all_served.caption, len(all_served.columns)) == ("Response time of an order, ms", 6)
    assert [column.title for column in table.columns[6:8]] == ["p95 as intended", "p99 as intended"]
    assert [row[6:8] for row in rows_of(table)] == [("90.0", "90.0"), ("–", "–")]
    chart = times_bars([scheduled]).chart
    assert isinstance(chart, BarChart)
    assert [bars.label for bars in chart.bars] == ["mean", "p95", "p99", "p95 as intended", "p99 as intended"]


def test_what_else_was_counted() -> None:
    table = counts_table([a_result(10, 20, name="a")])
    assert [column.title for column in table.columns[:3]] == ["Result", "Orders", "OPM peak, OPM"]
    assert rows_of(table) == [("a", "180", "1 800", "0.00", "0", "0", "0", "6")]


def test_bars_hold_the_values_of_the_tables() -> None:
    chart = headline_bars([HDD, SSD]).chart
    assert isinstance(chart, BarChart)
    assert chart.bars[0].values == (24085, 186604)
    assert "186\u202f604" in chart.alt
    times = times_bars([a_result(10, 20, name="a")]).chart
    assert isinstance(times, BarChart)
    assert [bars.values for bars in times.bars] == [(4.0,), (4.0,), (4.0,)]


def test_bars_of_clients_leave_out_who_is_not_there() -> None:
    (figure,) = clients_bars([HDD, EIGHT])
    assert isinstance(figure.chart, BarChart)
    assert figure.chart.bars[0].values[3:5] == (4362, None)
    assert variability_pct(figure.chart.bars[1].values) == variability_pct([opm for _, opm in EIGHT.clients])


def test_there_are_no_bars_of_one_client_or_of_too_many() -> None:
    assert clients_bars([a_result(10, name="a")]) == []
    assert clients_bars([a_result(*range(1, 34), name="a")]) == []
    assert clients_bars([Result(headline=OPM, name="empty")]) == []
