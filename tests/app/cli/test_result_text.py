import re
from dataclasses import replace

import pytest

from app.cli.result_text import details_text, result_text
from engine.record.record import RunState
from tests.app.runs import EVENTS, a_run
from tests.totals import plain_totals, totals_with


def test_a_row_for_each_client_and_the_total() -> None:
    record = a_run()
    assert record.totals is not None
    lines = result_text(record).splitlines()
    assert f"evening load  ·  run {record.run_id}  ·  completed, measured 6\u202fs" in lines
    rows = {line.split()[0]: re.split(" {2,}", line) for line in lines if line.startswith(("ds2", "total"))}
    assert len([line for line in lines if line.startswith("ds2 #")]) == 2
    assert rows["total"] == ["total", "1\u202f620", "162", "7.41", *["4.0"] * 4, "9.0", "0", "0"]
    assert lines[-1] == "no errors"


def test_a_single_client_needs_no_total() -> None:
    assert "total" not in result_text(a_run(clients=1))


@pytest.mark.parametrize("width", [80, 100, 118, None])
def test_it_fits_the_terminal(width: int | None) -> None:
    assert max(map(len, result_text(a_run(clients=3), width).splitlines())) <= (width or 118)


def test_errors_by_class() -> None:
    record = a_run()
    totals = totals_with(record.totals, errors={"timeout": 1200, "deadlock": 1})
    assert result_text(replace(record, totals=totals)).endswith("errors: 1 deadlock, 1\u202f200 timeout")


def test_unknown_values_are_not_shown_as_zero() -> None:
    record = a_run(clients=1)
    client = plain_totals(record.totals)["clients"][0] | {"errors": None, "reconnects": None, "rollback_pct": None}
    totals = totals_with(record.totals, errors=None, clients=[client])
    text = result_text(replace(record, totals=totals))
    assert text.endswith("errors are not known")
    row = next(line for line in text.splitlines() if line.startswith("ds2"))
    assert re.split(" {2,}", row)[-2:] == ["–", "–"]


def test_a_run_without_totals_has_a_head_only() -> None:
    text = result_text(a_run(totals=None, state=RunState.INTERRUPTED))
    assert "interrupted" in text
    assert "OPM" not in text


def test_name_markup_is_not_interpreted() -> None:
    assert "load [/b] [bold]" in result_text(a_run(name="load\n[/b] [bold]"))


def test_details_include_plan_server_note_and_events() -> None:
    record = a_run(note="after\nthe patch", tags=("nightly", "db1"))
    text = details_text(record, EVENTS)
    for line in (
        "note       after the patch",
        "tags       nightly, db1",
        "   0:01.5  connection lost: ds2 #1: connection lost ([gone])",
    ):
        assert line in text.splitlines()
    assert "2 clients × 8 users" in text
    assert "measuring 6 s, 20 % new customers" in text
    assert "PostgreSQL 18.6" in text


def test_the_order_and_its_steps_have_a_table_of_their_own() -> None:
    lines = result_text(a_run()).splitlines()
    rows = [re.split(" {2,}", line) for line in lines]
    assert ["response time, ms", "count", "mean", "p50", "p95", "p99", "max"] in rows
    assert ["order", "162", "4.0", "4.0", "4.0", "4.0", "9.0"] in rows
    assert ["search", "486", "1.0", "–", "–", "–", "–"] in rows


def test_service_and_intended_times_are_explained_with_a_schedule() -> None:
    record = a_run()
    intended = {"mean": 90.0, "p50": 4.0, "p95": 4.0, "p99": 2_000.0, "max": 3_000.0}
    text = result_text(replace(record, totals=totals_with(record.totals, overdue=38, rt_intended_ms=intended)))
    rows = [re.split(" {2,}", line) for line in text.splitlines()]
    assert ["order, service time", "162", "4.0", "4.0", "4.0", "4.0", "9.0"] in rows
    assert ["order, as intended", "200", "90.0", "4.0", "4.0", "2\u202f000.0", "3\u202f000.0"] in rows
    assert "Closed-loop users, 20 ms think time" in text


def test_each_client_process_has_a_line_with_cpu_and_lateness() -> None:
    record = a_run()
    expected = {
        "client": 2,
        "cpu_user_seconds": 3.2,
        "cpu_system_seconds": 1.1,
        "heartbeat_mean_ms": 0.21,
        "heartbeat_p99_ms": 84.3,
        "heartbeat_max_ms": 120.0,
        "longest_gc_pause_ms": 7.0,
        "order_waited_ms": 1.52,
        "late_ticks": 1200,
    }
    unknown = {"client": 1, "cpu_user_seconds": 0.0, "cpu_system_seconds": 0.0}
    lines = details_text(
        replace(record, totals=totals_with(record.totals, driver=[unknown, expected])), ()
    ).splitlines()
    assert (
        "client     ds2 #2: 4.3 s CPU, delay ms: mean 0.21, p99 84.3, max 120, answers waited 1.52 ms an order,"
        " longest collector pause 7.00 ms, late samples 1\u202f200"
    ) in lines
    assert (
        "client     ds2 #1: 0.0 s CPU, delay ms: mean –, p99 –, max –, answers waited – ms an order,"
        " longest collector pause – ms, late samples –"
    ) in lines
