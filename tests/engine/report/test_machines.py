"""The figures of the machines that a run has read: in sentences, and for JSON."""

from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest

from engine.analysis.host.measurement import HostMeasurement
from engine.analysis.host.series import HostSeries
from engine.record.record import Phases, RunRecord
from engine.report.machines import collector_figures, cost_sentence, machine_sentences, machines_document
from engine.telemetry.host import CollectorState, CollectorStatus
from tests.engine.library.examples import STARTED_AT, a_finished_record

SECONDS = 60
RECORD = replace(
    a_finished_record(),
    started_at=STARTED_AT,
    ended_at=STARTED_AT + timedelta(seconds=SECONDS + 40),
    phases=Phases(warming_up_from=0, measuring_from=10, measuring_to=10 + SECONDS),
)
SSH = CollectorStatus(
    number=1,
    machine="db1",
    source="Linux over SSH",
    state=CollectorState.ENDED,
    readings=70,
    offset_seconds=-0.0123,
    offset_error_seconds=0.00042,
    cpu_seconds=1.5,
)
BMC = CollectorStatus(
    number=2, machine="db1", source="Redfish", state=CollectorState.ENDED, readings=7, is_average=True, cpu_seconds=0.5
)
GONE = CollectorStatus(
    number=3, machine="db9", source="Linux over SSH", state=CollectorState.ENDED, message="db9 refused the connection."
)


def measured(collector: int, name: str, unit: str, seconds: list[float], values: list[float]) -> HostMeasurement:
    series = HostSeries(
        source="db1",
        device="",
        name=name,
        unit=unit,
        utc_seconds=STARTED_AT.timestamp() + np.array(seconds),
        values=np.array(values),
    )
    return HostMeasurement(number=10 + collector, kind="live", file_name="db1", series=(series,), collector=collector)


def sentences(record: RunRecord, *measurements: HostMeasurement) -> list[str]:
    return machine_sentences(collector_figures(record, [SSH, BMC, GONE], measurements))


def test_a_line_for_each_machine() -> None:
    seconds = [float(second) for second in range(76)]
    cpu = measured(1, "CPU", "%", seconds, [40.0 + second % 10 for second in range(76)])
    watts = measured(2, "Power", "W", [0.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0], [180.0] * 8)
    assert sentences(RECORD, cpu, watts) == [
        "db1: CPU 44.5 %, highest 49.0 %; 180 W; Linux over SSH: 70 readings, no gap, clock 0.0123 s behind"
        " (± 0.00042 s); Redfish: 7 readings, no gap, slow averages",
        "db9: Linux over SSH: no reading (db9 refused the connection)",
    ]


def test_watts_of_a_meter_and_of_a_controller_are_not_added_up() -> None:
    seconds = [float(second) for second in range(76)]
    meters = [replace(SSH, number=number, source="SNMP", offset_seconds=None) for number in (1, 3)]
    read = [
        measured(number, "Power", "W", seconds, [watts] * 76) for number, watts in ((1, 90.0), (2, 185.0), (3, 92.0))
    ]
    (db1,) = machine_sentences(collector_figures(RECORD, [meters[0], BMC, meters[1]], read))
    assert db1.startswith("db1: 90.0 W + 92.0 W; SNMP: ")


def test_gaps_of_the_measuring_phase_are_counted() -> None:
    seconds = [*range(5), *range(9, 30), *range(42, 75)]
    cpu = measured(1, "CPU", "%", [float(second) for second in seconds], [50.0] * len(seconds))
    (db1, _) = sentences(RECORD, cpu)
    assert "70 readings, 1 gap of 12.0 s in all, known for 80 % of the time," in db1


def test_a_run_that_measured_nothing_has_readings_and_no_means() -> None:
    record = replace(RECORD, phases=Phases())
    cpu = measured(1, "CPU", "%", [1.0, 2.0], [50.0, 51.0])
    assert sentences(record, cpu)[0].startswith("db1: Linux over SSH: 70 readings, no gap,")


def test_the_cost_is_in_processor_time_and_per_cent_of_a_processor() -> None:
    figures = collector_figures(RECORD, [SSH, BMC, GONE], [])
    assert cost_sentence(RECORD, figures) == "reading them took 2.0 s of processor time, 2.0 % of one processor"
    assert cost_sentence(RECORD, []) == ""


def test_json_has_each_collector_with_the_means_of_its_counters() -> None:
    cpu = measured(1, "CPU", "%", [float(second) for second in range(76)], [50.0] * 76)
    first, second, third = machines_document(collector_figures(RECORD, [SSH, BMC, GONE], [cpu]))
    assert (first["collector"], first["machine"], first["state"]) == (1, "db1", "ended")
    assert (first["measurement"], second["measurement"]) == (11, None)
    assert (first["gaps"], first["gap_seconds"], first["cpu_seconds"]) == (0, 0.0, 1.5)
    (series,) = first["series"]
    assert (series["name"], series["mean"], series["covered_pct"]) == ("CPU", 50.0, pytest.approx(100))
    assert (third["series"], third["message"]) == ([], "db9 refused the connection.")
