"""The steps' response times in a run's totals, and the rows of the table that shows them."""

from dataclasses import replace
from typing import Any

from engine.analysis.latency.step_times import has_two_times, time_rows
from engine.record.totals import NO_TOTALS, ResponseTimes, TransactionTotals
from engine.workload.registry import DVD_STORE, WHOLESALE
from tests.totals import plain_totals, totals_with

TOTALS: dict[str, Any] = {
    "orders": 10, "logins": 8, "new_customers": 2, "browses": 30, "purchases": 10, "rt_login_ms": 1.5,
    "rt_new_customer_ms": 2.5, "rt_browse_ms": 3.5, "rt_purchase_ms": 4.5,
    "rt_ms": {"mean": 15.0, "p50": 14.0, "p95": 20.0, "p99": 21.0, "max": 22.0},
}  # fmt: skip


def test_the_totals_have_every_step_and_the_order_under_these_names() -> None:
    step = {"count": 30, "mean_ms": 3.5, "p50_ms": 3.0, "p95_ms": 3.0, "p99_ms": 20.0}

    found = plain_totals(totals_with(**TOTALS, steps={"browse": step}))["steps"]

    assert list(found) == ["login", "new_customer", "browse", "purchase", "order"]
    assert found["browse"] == step
    assert found["login"] == {"count": 8, "mean_ms": 1.5, "p50_ms": None, "p95_ms": None, "p99_ms": None}
    assert found["order"] == {"count": 10, "mean_ms": 15.0, "p50_ms": 14.0, "p95_ms": 20.0, "p99_ms": 21.0}


def test_a_table_of_a_run_without_a_schedule_names_the_order_and_its_steps() -> None:
    rows = time_rows(totals_with(**TOTALS, steps={"login": {"p99_ms": 1.0}}))

    assert [row.name for row in rows] == ["order", "login", "registration", "search", "purchase"]
    assert (rows[0].count, rows[0].p99_ms, rows[0].max_ms) == (10, 21.0, 22.0)
    assert (rows[1].count, rows[1].mean_ms, rows[1].p99_ms, rows[1].max_ms) == (8, 1.5, 1.0, None)


def test_with_a_schedule_both_times_of_the_order_are_named() -> None:
    intended = {"mean": 40.0, "p50": 14.0, "p95": 21.0, "p99": 900.0, "max": 950.0}

    rows = time_rows(totals_with(**TOTALS, overdue=3, rt_intended_ms=intended))

    assert [(row.name, row.count, row.p99_ms) for row in rows[:2]] == [
        ("order, service time", 10, 21.0),
        ("order, as intended", 13, 900.0),
    ]


def test_in_an_open_loop_an_order_has_one_time_unless_some_were_still_due_at_the_end() -> None:
    intended = {"mean": 40.0, "p99": 900.0}

    served = time_rows(totals_with(**TOTALS, overdue=0, rt_intended_ms=intended), is_open_loop=True)
    late = time_rows(totals_with(**TOTALS, overdue=3, rt_intended_ms=intended), is_open_loop=True)

    assert [row.name for row in served[:2]] == ["order", "login"]
    assert [(row.name, row.count, row.p99_ms) for row in late[:2]] == [
        ("order", 10, 21.0),
        ("order, with those still due", 13, 900.0),
    ]


def test_in_an_open_loop_the_times_of_all_types_of_a_mix_are_others_than_the_headlines() -> None:
    times = ResponseTimes(mean=15.0, p99=21.0)
    orders = TransactionTotals(count=10, times=times)
    none_due = replace(NO_TOTALS, intended=times, overdue=0)
    of_one = replace(none_due, workload=DVD_STORE, counted="order", transactions={"order": orders})
    of_mix = replace(none_due, workload=WHOLESALE, counted="new_order", transactions={"new_order": orders})

    assert [has_two_times(each, is_open_loop=True) for each in (of_one, of_mix)] == [False, True]
    assert [row.name for row in time_rows(of_mix, is_open_loop=True)] == ["New-Order", "all transactions"]


def test_an_older_run_has_the_means_of_its_steps_alone() -> None:
    search = time_rows(totals_with(**TOTALS))[3]

    assert (search.name, search.count, search.mean_ms, search.p95_ms) == ("search", 30, 3.5, None)


def test_time_rows_leave_out_unknown_steps() -> None:
    assert time_rows(NO_TOTALS) == []
    assert [row.name for row in time_rows(totals_with(rt_ms={"mean": 5.0}, orders=1))] == ["order"]
