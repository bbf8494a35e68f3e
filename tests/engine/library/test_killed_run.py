"""A run whose process was killed has the same document as one that ended after the same seconds."""

import subprocess
import sys
from datetime import timedelta
from itertools import starmap
from pathlib import Path

import pytest

from engine.analysis.workstation_use import measured_use
from engine.conduct.interrupted import settle_interrupted
from engine.library.library import Library
from engine.library.totals import totals_of
from engine.library.whole_run import open_run
from engine.record.record import Phases, RunRecord, RunState
from engine.telemetry.sample import Sample
from engine.telemetry.workstation import WorkstationLoad
from tests.engine.library.examples import STARTED_AT, a_record
from tests.engine.library.reporting_process import MEASURING_FROM, MISSED, SECONDS, reports_of, write_second
from tests.engine.library.same_series import same_series


def ended_run(library: Library) -> RunRecord:
    """A run with the same items that ended."""
    record = a_record(after_seconds=1)
    writer = library.start_run(record, notify=pytest.fail)
    for second in range(SECONDS):
        write_second(writer, second)
    assert writer.flush(60)
    phases = Phases(warming_up_from=0, measuring_from=MEASURING_FROM, measuring_to=SECONDS)
    totals = totals_of(library, record.run_id, record.plan.client_plans(), phases)
    ended_at = STARTED_AT + timedelta(seconds=SECONDS)
    writer.finish(RunState.COMPLETED, ended_at=ended_at, totals=totals, phases=phases)
    assert writer.close(60)
    return library.run(record.run_id)


def test_a_killed_run_has_all_that_an_ended_one_has(path: Path, library: Library) -> None:
    command = [sys.executable, "-m", "tests.engine.library.reporting_process", str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        killed_id = process.stdout.readline().strip()
        for second in range(SECONDS):
            assert process.stdout.readline() == f"{second}\n"
        process.kill()

    library.mark_interrupted()
    (unpacked,) = library.host.of_run(killed_id)
    (killed,) = settle_interrupted(library)
    ended = ended_run(library)

    assert (killed.run_id, killed.state, killed.phases) == (killed_id, RunState.INTERRUPTED, ended.phases)
    assert killed.totals == ended.totals
    assert killed.totals is not None
    assert killed.totals.of("browse").times.p99 is not None
    processes, saturation = killed.totals.processes or (), killed.totals.saturation or ()
    assert [(each.clients, each.health.late_ticks) for each in processes] == [((1,), 7), ((2, 3), 7)]
    assert [(each.what, each.to_seconds) for each in saturation] == [("bottleneck", 7.0)]
    for run_id in (killed.run_id, ended.run_id):
        reported = [each for second in range(SECONDS) for each in reports_of(second)]
        assert library.workstation_loads(run_id) == [each for each in reported if isinstance(each, WorkstationLoad)]
        _, run = open_run(library, run_id, on_progress=lambda *_: None, cancelled=lambda: False)
        loads = library.workstation_loads(run_id)
        assert run.workstation_use == measured_use(loads, killed.phases)
        assert run.workstation_use is not None
        samples = sorted(library.samples(run_id), key=lambda sample: (sample.second, sample.client))
        assert samples == [each for each in reported if isinstance(each, Sample)]
        (measurement,) = library.host.of_run(run_id)
        assert (measurement.number, measurement.kind, measurement.file_name) == (1, "live", "db1")
        assert all(starmap(same_series, zip(measurement.series, unpacked.series, strict=True)))
        assert library.host.collectors(run_id) == [reported[-2]]
    assert library.host.of_run(killed_id)[0].note == unpacked.note == "Linux over SSH, each second."
    cpu, disk = unpacked.series
    seconds = [second for second in range(SECONDS) if second != MISSED]
    assert (cpu.source, cpu.label, disk.label) == ("db1", "CPU", "Disk reads sdb")
    assert list(cpu.utc_seconds - STARTED_AT.timestamp()) == [second + 0.25 for second in seconds]
    assert list(cpu.values) == [10.0 + second for second in seconds]
    assert [second for second, value in zip(seconds, disk.values, strict=True) if value == 7.0] == [6, 7]
    assert list(cpu.after_gap) == [True, False, False, False, True, False, False]
