"""What a run reported about the machines that drove it: their load, saturation intervals, client processes."""

from collections.abc import Sequence
from dataclasses import asdict, fields
from typing import Any

from sqlalchemy import Connection, Row, Table, insert, select

from engine.library.tables import machine_loads, process_summaries, saturation_intervals, workstation_loads
from engine.telemetry.workstation import (
    HealthTotals,
    MachineLoad,
    ProcessSummary,
    SaturationMeasure,
    SaturationRecord,
    WorkstationLoad,
    WorkstationReport,
)

_HEALTH = tuple(field.name for field in fields(HealthTotals))


def write_reports(connection: Connection, key: int, reports: Sequence[WorkstationReport]) -> None:
    """Write reports; a later one of the same second, interval or process replaces the earlier."""
    rows: dict[Table, dict[object, dict[str, Any]]] = {}
    for report in reports:
        match report:
            case WorkstationLoad():
                rows.setdefault(workstation_loads, {})[report.second] = _load_row(report)
            case MachineLoad(machine=machine, load=load):
                rows.setdefault(machine_loads, {})[machine, load.second] = {"machine": machine, **_load_row(load)}
            case SaturationRecord():
                rows.setdefault(saturation_intervals, {})[report.number] = asdict(report)
            case ProcessSummary():
                rows.setdefault(process_summaries, {})[report.process] = _process_row(report)
    for table, by_number in rows.items():
        values = [{"run_key": key, **row} for row in by_number.values()]
        connection.execute(insert(table).prefix_with("OR REPLACE"), values)


def read_loads(connection: Connection, key: int) -> list[WorkstationLoad]:
    """The load of each second that is known, in the order of time."""
    query = select(workstation_loads).where(workstation_loads.c.run_key == key).order_by(workstation_loads.c.second)
    return [_load_of(row) for row in connection.execute(query)]


def read_machine_loads(connection: Connection, key: int) -> list[MachineLoad]:
    """The load of each load machine in each second that is known, by machine and time."""
    table = machine_loads
    query = select(table).where(table.c.run_key == key).order_by(table.c.machine, table.c.second)
    return [MachineLoad(machine=row.machine, load=_load_of(row)) for row in connection.execute(query)]


def read_saturation(connection: Connection, key: int) -> list[SaturationRecord]:
    """The saturation intervals, in the order of their beginnings."""
    table = saturation_intervals
    query = select(table).where(table.c.run_key == key).order_by(table.c.from_seconds, table.c.number)
    return [
        SaturationRecord(
            number=row.number,
            what=row.what,
            from_seconds=row.from_seconds,
            to_seconds=row.to_seconds,
            measures=tuple(SaturationMeasure(**measure) for measure in row.measures),
        )
        for row in connection.execute(query)
    ]


def read_processes(connection: Connection, key: int) -> list[ProcessSummary]:
    """The newest summary of each client process, by their numbers."""
    table = process_summaries
    query = select(table).where(table.c.run_key == key).order_by(table.c.process)
    return [
        ProcessSummary(
            clients=tuple(row["clients"]),
            cpu_user_seconds=row["cpu_user_seconds"],
            cpu_system_seconds=row["cpu_system_seconds"],
            peak_memory_mb=row["peak_memory_mb"],
            worst_tick_late_ms=row["worst_tick_late_ms"],
            unfinished_users=row["unfinished_users"],
            health=HealthTotals(**{name: row[name] for name in _HEALTH}),
            clock_offset_ms=row["clock_offset_ms"],
        )
        for row in connection.execute(query).mappings()
    ]


def _load_of(row: Row[Any]) -> WorkstationLoad:
    return WorkstationLoad(
        second=row.second,
        machine_pct=row.machine_pct,
        clients_pct=row.clients_pct,
        busiest_process_pct=row.busiest_process_pct,
        is_bottleneck=row.is_bottleneck,
        heartbeat_ms={int(client): late_ms for client, late_ms in row.heartbeat_ms.items()},
    )


def _load_row(load: WorkstationLoad) -> dict[str, Any]:
    row = asdict(load)
    del row["remarks"]
    return row


def _process_row(summary: ProcessSummary) -> dict[str, Any]:
    return {"process": summary.process, **summary.to_dict()}
