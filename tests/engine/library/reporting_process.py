"""A process that keeps a run with all that a run reports, until it is killed: prints the run's id, and each second that
is durable, up to ``SECONDS``."""

import sys
import time
from collections.abc import Iterator
from pathlib import Path

from engine.library.library import Library
from engine.library.run_writer import RunWriter
from engine.record.record import Phases, RunState
from engine.telemetry.host import CollectorState, CollectorStatus, HostReading, HostValue
from engine.telemetry.sample import Sample
from engine.telemetry.workstation import (
    HealthTotals,
    ProcessSummary,
    SaturationMeasure,
    SaturationRecord,
    WorkstationLoad,
    WorkstationReport,
)
from tests.engine.library.examples import STARTED_AT, a_record, some_samples

SECONDS = 8
MEASURING_FROM = 2
MISSED = 4
"""The second of which there is no reading of the machine."""
SECOND_DISK_FROM = 6


def reports_of(second: int) -> Iterator[Sample | WorkstationReport | HostReading | CollectorStatus]:
    """What is reported when a second is over."""
    yield from some_samples(seconds=1, first=second)
    yield WorkstationLoad(
        second=second,
        machine_pct=40.0 + second,
        clients_pct=20.0,
        busiest_process_pct=9.5,
        is_bottleneck=second > 4,
        heartbeat_ms={1: 0.1 * second, 2: 0.2, 3: 0.2},
    )
    if second > 3:
        worst = SaturationMeasure(measure="clients_pct", worst=80.0 + second, limit=80.0)
        yield SaturationRecord(
            number=1, what="bottleneck", from_seconds=3.5, to_seconds=float(second), measures=(worst,)
        )
    for clients in ((1,), (2, 3)):
        yield ProcessSummary(
            clients=clients,
            cpu_user_seconds=0.5 * second,
            cpu_system_seconds=0.25,
            peak_memory_mb=None,
            worst_tick_late_ms=1.5,
            unfinished_users=None,
            health=HealthTotals(
                heartbeat_mean_ms=0.1,
                heartbeat_p99_ms=0.1 * second,
                heartbeat_max_ms=2.0,
                longest_gc_pause_ms=0.0,
                run_queue_ms=None,
                order_waited_ms=0.02,
                late_ticks=second,
            ),
            clock_offset_ms=0.25,
        )
    yield CollectorStatus(
        number=1, machine="db1", source="Linux over SSH", state=CollectorState.READING, readings=second
    )
    if second != MISSED:
        disk = [HostValue("sdb", "Disk reads", "ops/s", 7.0)] if second >= SECOND_DISK_FROM else []
        values = (HostValue("", "CPU", "%", 10.0 + second), *disk)
        yield HostReading(collector=1, utc_seconds=STARTED_AT.timestamp() + second + 0.25, values=values)


def write_second(writer: RunWriter, second: int) -> None:
    for report in reports_of(second):
        match report:
            case Sample():
                writer.write_sample(report)
            case HostReading():
                writer.write_host(report)
            case CollectorStatus():
                writer.write_collector(report)
            case _:
                writer.write_workstation(report)


def main(path: Path) -> None:
    record = a_record()
    with Library.open(path, notify=print) as library:
        writer = library.start_run(record, notify=print)
        print(record.run_id, flush=True)
        writer.set_state(RunState.MEASURING, Phases(warming_up_from=0, measuring_from=MEASURING_FROM))
        for second in range(SECONDS):
            write_second(writer, second)
            assert writer.flush(60)
            print(second, flush=True)
        time.sleep(600)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
