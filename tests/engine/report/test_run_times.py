"""What a run's document says of response times."""

from dataclasses import replace

from engine.record.totals import NO_TOTALS, Totals
from engine.report.document import DataTable
from engine.report.run_times import key_times, times_tables
from tests.engine.report.reported import a_plan, a_reported_run, rows_of, samples_of
from tests.texts import plain


def totals(*, scheduled: bool) -> Totals:
    of_orders = [(each, each.of("order").histogram) for each in samples_of((10, 20))]
    samples = [replace(each, overdue=served if scheduled else None) for each, served in of_orders]
    return a_reported_run((10, 20), samples=samples).record.totals or NO_TOTALS


def tables(found: Totals) -> list[DataTable]:
    return [each for each in times_tables(found, a_plan()) if isinstance(each, DataTable)]


def test_without_a_schedule_there_is_one_time_of_an_order() -> None:
    (table,) = tables(totals(scheduled=False))
    assert rows_of(table)[0] == ("Order", "180", "4.00", "4.00", "4.00", "4.00", "4.00")
    assert table.note.startswith("Closed-loop users, 20 ms think time")
    assert [figure.name for figure in key_times(totals(scheduled=False), a_plan())] == ["Response time, p95"]


def test_with_a_schedule_both_are_named_for_all_and_for_each_client() -> None:
    found = totals(scheduled=True)
    order, clients = tables(found)
    assert [row[:2] for row in rows_of(order)[:2]] == [("Order, service time", "180"), ("Order, as intended", "360")]
    assert [row[-1] for row in rows_of(clients)] == ["60", "120", "180"]
    assert rows_of(clients)[0][:5] == ("ds2 #1", "4.00", "4.00", "4.00", "4.00")
    assert [(each.name, plain(each.value)) for each in key_times(found, a_plan())] == [
        ("Service time, p95", "4.00"),
        ("As intended, p95", "4.00"),
    ]


def test_an_open_loop_has_one_time_unless_something_was_still_due_at_the_end() -> None:
    late, plan = totals(scheduled=True), a_plan(think_time_ms=0, rate=6000.0)
    served = replace(late, overdue=0)
    assert [each.name for each in key_times(served, plan)] == ["Response time, p95"]
    assert len(times_tables(served, plan)) == 1
    assert [each.name for each in key_times(late, plan)] == ["Response time, p95", "With those still due, p95"]
    order, clients = times_tables(late, plan)
    assert isinstance(order, DataTable)
    assert isinstance(clients, DataTable)
    assert rows_of(order)[1][0] == "Order, with those still due"
    assert clients.caption == "Response times of the clients' orders and those with what was still due, ms"
    assert [column.title for column in clients.columns][-2:] == ["With those due p99", "Orders still due"]


def test_one_client_is_all_of_them() -> None:
    found = totals(scheduled=True)
    assert len(tables(replace(found, clients=found.clients[:1]))) == 1


def test_unknown_times_have_no_table() -> None:
    assert times_tables(NO_TOTALS, a_plan()) == []
