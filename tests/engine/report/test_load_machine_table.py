"""What a report says of the machines that drove clients."""

from engine.record.record import Phases
from engine.report.load_machine_table import load_machine_sections, load_machine_sentences
from engine.telemetry.event import EventCode, EventKind, RunEvent
from engine.telemetry.workstation import MachineLoad, WorkstationLoad
from tests.engine.report.reported import a_reported_run, blocks_of, rows_of, table_of, titles

DESCRIBED = {
    "machine": "lg1",
    "clients": [1, 2],
    "clock_ahead_seconds": 90.0,
    "clock_error_ms": 0.25,
    "workstation": {},
}
STARTED = RunEvent(
    at_seconds=2.0,
    kind=EventKind.PHASE,
    label="",
    code=EventCode.LOAD_MACHINES_STARTED,
    data={"skew_ms": 1.5, "error_ms": 0.5, "started": {"lg1": {"late_ms": 1.5, "error_ms": 0.25}}},
)
LIMIT = RunEvent(
    at_seconds=3.0,
    kind=EventKind.WARNING,
    label="",
    code=EventCode.WORKSTATION_BUSY,
    data={"machine": "lg1", "lasted_seconds": 2, "how": "", "busy_pct": 97},
)
PHASES = Phases(warming_up_from=2, measuring_from=2, measuring_to=10)
CAPTION = "The machines that drove clients beside the workstation"


def load(second: int, machine_pct: float) -> MachineLoad:
    load = WorkstationLoad(
        second=second, machine_pct=machine_pct, clients_pct=10.0, busiest_process_pct=20.0, is_bottleneck=False
    )
    return MachineLoad(machine="lg1", load=load)


def test_each_machine_has_its_clock_its_start_and_its_load() -> None:
    record = a_reported_run(environment={"load_machines": [DESCRIBED]}, phases=PHASES).record
    sections = load_machine_sections(record, [load(1, 99.0), load(3, 40.0), load(4, 60.0)], [STARTED, LIMIT])
    assert titles(sections) == ["Load machines"]
    table = table_of(blocks_of(sections), CAPTION)
    machine, clients, *figures = rows_of(table)[0]
    assert (machine, clients) == ("lg1", f"{record.client_labels[0]} and {record.client_labels[1]}")
    assert figures == ["90.0", "0.25", "1.50", "50.0", "60.0", "20.0", "1"]
    assert "began within 2.00 ms of each other: 1.50 ms apart by their own clocks" in table.note


def test_what_a_lost_machine_did_not_report_is_unknown() -> None:
    record = a_reported_run(environment={"load_machines": [DESCRIBED]}, phases=PHASES).record
    rows = rows_of(table_of(blocks_of(load_machine_sections(record, [], [])), CAPTION))
    assert rows[0][4:] == ("–", "–", "–", "–", "0")


def test_a_run_without_load_machines_has_no_such_section() -> None:
    assert load_machine_sections(a_reported_run().record, [], []) == []


def test_a_line_says_whom_a_machine_drives_and_how_its_clock_is() -> None:
    record = a_reported_run(environment={"load_machines": [DESCRIBED]}).record
    first, second, *_ = record.client_labels
    assert load_machine_sentences(record) == [
        f"load machine lg1: {first} and {second}; its clock was 90.0 s ahead (± 0.250 ms)"
    ]
