"""The load machines of a run: their clocks, how late each began, and what the run cost it. Called by ``one_run``."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from engine.analysis.workstation_use import measured_use
from engine.figure_text import decimal, listed, milliseconds, significant
from engine.record.record import RunRecord
from engine.report.document import Column, DataTable, Section
from engine.report.result_tables import number_columns
from engine.telemetry.event import EventCode, RunEvent
from engine.telemetry.workstation import MachineLoad
from engine.telemetry.workstation_text import WORKSTATION_LIMITS

_NOTE = (
    "Ahead is how far the machine's time of day was from the workstation's when the run began. The run's seconds are"
    " those of the workstation; the machine's are wrong by at most its error. Late is how long after the moment at"
    " which users were to begin the machine did, by its own clock. Processor use is that of the measured seconds, of"
    " means over 10 s. Limits are times in which the machine itself limited or distorted the run; the event log has"
    " them."
)


def load_machine_sentences(record: RunRecord) -> list[str]:
    """Each load machine with its clients and its clock, in a line."""
    return [_sentence(record, each) for each in record.environment.get("load_machines") or ()]


def load_machine_sections(record: RunRecord, loads: Sequence[MachineLoad], events: Sequence[RunEvent]) -> list[Section]:
    """The section on load machines; empty for a run without any."""
    described = record.environment.get("load_machines") or ()
    if not described:
        return []
    uses = {
        machine: measured_use([each.load for each in of_machine], record.phases)
        for machine, of_machine in groupby(loads, key=lambda each: each.machine)
    }
    started = next((event.data for event in events if event.code is EventCode.LOAD_MACHINES_STARTED), None)
    rows = []
    for each in described:
        name = each["machine"]
        use = uses.get(name)
        began = started["started"].get(name, {}) if started else {}
        rows.append(
            (
                name,
                listed(_labels(record, each)),
                significant(each["clock_ahead_seconds"]),
                milliseconds(each["clock_error_ms"]),
                milliseconds(began.get("late_ms")),
                decimal(use.machine.mean_pct if use else None),
                decimal(use.machine.highest_pct if use else None),
                decimal(use.busiest_process.highest_pct if use else None),
                str(sum(event.code in WORKSTATION_LIMITS and event.data.get("machine") == name for event in events)),
            )
        )
    skew = (
        f" The machines began within {significant(started['skew_ms'] + started['error_ms'])} ms of each other:"
        f" {significant(started['skew_ms'])} ms apart by their own clocks, which are known within"
        f" {significant(started['error_ms'])} ms."
        if started and started["skew_ms"] is not None
        else ""
    )
    table = DataTable(
        caption="The machines that drove clients beside the workstation",
        columns=(
            Column(title="Machine"),
            Column(title="Clients"),
            *number_columns("Ahead, s", "Error, ms", "Late, ms"),
            *number_columns("All programs, mean %", "Highest, %", "Busiest process, %", "Limits"),
        ),
        rows=tuple(rows),
        note=_NOTE + skew,
    )
    return [Section(title="Load machines", blocks=(table,))]


def _labels(record: RunRecord, described: Mapping[str, Any]) -> list[str]:
    return [record.client_labels[number - 1] for number in described["clients"]]


def _sentence(record: RunRecord, described: Mapping[str, Any]) -> str:
    ahead_seconds, error_ms = described["clock_ahead_seconds"], described["clock_error_ms"]
    way = "ahead" if ahead_seconds >= 0 else "behind"
    return (
        f"load machine {described['machine']}: {listed(_labels(record, described))}; its clock was"
        f" {significant(abs(ahead_seconds))} s {way} (± {significant(error_ms)} ms)"
    )
