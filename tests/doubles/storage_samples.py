"""Samples of storage: so many reads a second, or a second in which the program does not run."""

from engine.analysis.run_data import RunData
from engine.histogram import bucket_of, pack
from engine.plan.plan import RunPlan
from engine.record.record import Phases, RunState
from engine.target.target import Target
from engine.telemetry.sample import Count, Sample

THREADS = 4


def storage_sample(client: int, second: int, reads: int, *, times_us: int = 400) -> Sample:
    """A second of a client, whose threads are down where it did nothing."""
    if not reads:
        return Sample(client=client, second=second, down=THREADS, errors={"other": 1})
    histogram = pack({bucket_of(times_us): reads})
    count = Count(reads, times_us * reads, times_us, histogram)
    return Sample(
        client=client,
        second=second,
        working=THREADS,
        transactions={"io": count, "read": count, "write": Count(0, 0, 0, b"")},
        bytes_received=8_192 * reads,
    )


def a_storage_plan(name: str = "alone", *, queue_depth: int = 8) -> RunPlan:
    return RunPlan(
        name=name,
        workload="storage",
        targets=(Target.parse("storage:///data/f")[0],),
        threads=THREADS,
        minutes=0.1,
        parameters={"file_size": "64MB", "queue_depth": queue_depth},
    )


def an_outage() -> RunData:
    """A run over: 100 reads a second, and four seconds from 60 on in which the program did not run."""
    run = RunData(a_storage_plan())
    for second in range(124):
        run.add(storage_sample(1, second, 0 if 60 <= second < 64 else 100))
    run.set_state(RunState.COMPLETED, Phases(warming_up_from=0, measuring_from=0, measuring_to=124))
    return run
