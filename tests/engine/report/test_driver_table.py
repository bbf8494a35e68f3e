"""The report's table of the client processes, of totals as a run keeps them."""

from dataclasses import replace
from typing import Any

from engine.record.record import Phases
from engine.report.driver_table import driver_sections
from engine.telemetry.workstation import WorkstationLoad
from tests.engine.report.reported import a_reported_run, blocks_of, rows_of, table_of
from tests.totals import totals_with

TOLD: dict[str, Any] = {
    "client": 2,
    "cpu_user_seconds": 1_203.2,
    "cpu_system_seconds": 1.1,
    "peak_memory_mb": 41.23,
    "heartbeat_mean_ms": 0.21,
    "heartbeat_p99_ms": 84.3,
    "heartbeat_max_ms": 120.0,
    "longest_gc_pause_ms": 7.0,
    "run_queue_ms": 900.0,
    "order_waited_ms": 1.52,
    "late_ticks": 3,
    "clock_offset_ms": 0.4,
}
UNKNOWN = {"client": 1, "cpu_user_seconds": 0.5, "cpu_system_seconds": 0.25, "run_queue_ms": None}


def test_each_client_has_a_row_with_what_it_cost_and_how_it_fared() -> None:
    record = a_reported_run().record
    totals = totals_with(record.totals, driver=[UNKNOWN, TOLD])
    sections = driver_sections(a_reported_run(totals=totals).record)
    assert [section.title for section in sections] == ["Driver"]
    table = table_of(blocks_of(sections), "The client processes")
    unknown, known = rows_of(table)
    by_title = dict(zip([column.title for column in table.columns], known, strict=True))
    assert by_title == {
        "Clients": "ds2 #2",
        "CPU, s": "1 204.3",
        "Memory, MB": "41.2",
        "Delay mean, ms": "0.21",
        "p99": "84.3",
        "Max": "120",
        "Collector, ms": "7.00",
        "Waited, ms an order": "1.52",
        "Late samples": "3",
        "Clock, ms": "0.40",
    }
    assert unknown == ("ds2 #1", "0.8", *["–"] * 8)


def test_load_of_the_workstation_is_of_the_measured_seconds() -> None:
    def load(second: int, machine_pct: float, clients_pct: float, busiest_process_pct: float) -> WorkstationLoad:
        return WorkstationLoad(
            second=second,
            machine_pct=machine_pct,
            clients_pct=clients_pct,
            busiest_process_pct=busiest_process_pct,
            is_bottleneck=False,
        )

    record = a_reported_run().record
    first, end = record.phases.measuring_from, record.phases.measuring_to
    assert first is not None
    assert end is not None
    before, after = load(first, 100, 100, 100), load(end + 1, 99, 99, 99)
    loads = [before, load(first + 1, 40, 20, 30), load(end, 60, 30.6, 45), after]
    rows = rows_of(table_of(blocks_of(driver_sections(record, loads)), "The load of the workstation"))
    assert [row[1:] for row in rows] == [("50.0", "60.0"), ("25.3", "30.6"), ("37.5", "45.0")]
    assert driver_sections(replace(record, phases=Phases()), loads) == []


def test_a_run_that_was_not_driven_here_has_no_such_section() -> None:
    assert driver_sections(a_reported_run(totals=None).record) == []
    assert driver_sections(a_reported_run().record) == []
