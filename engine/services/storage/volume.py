"""Measures the volume of a file for some seconds, before and after a run."""

from dataclasses import dataclass, replace

from engine.databases.progress import IsCancelled, Progress, ReportProgress
from engine.errors import UserError
from engine.histogram import percentile_us, unpack
from engine.machines.storage_probes import LOG, MIXED, RANDOM_READ, RANDOM_WRITE
from engine.services.storage.access import SEQUENTIAL, Access
from engine.services.storage.fio.command import fio_arguments
from engine.services.storage.fio.engines import engine_for
from engine.services.storage.fio.output import DIRECTIONS, NOTHING, Done, Status
from engine.services.storage.fio.until_end import statuses_until_end
from engine.services.storage.place import Place

_US_PER_MS = 1000
_HALF_A_REPORT_MS = 500  # fio reports about every second
_RANDOM = Access(path="", file_mb=1, threads=4, queue_depth=8)
_ACCESSES = {
    LOG: Access(path="", file_mb=1, read_pct=0, pattern=SEQUENTIAL, synced=True),
    RANDOM_WRITE: replace(_RANDOM, read_pct=0),
    RANDOM_READ: replace(_RANDOM, read_pct=100),
    MIXED: replace(_RANDOM, read_pct=70),
}
"""The access pattern of each load, as in the storage workload."""


@dataclass(frozen=True, kw_only=True)
class ProbeSize:
    """The size of the file, and how long it is driven before and during the measurement."""

    file_mb: int = 256
    warmup_seconds: int = 2
    seconds: int = 10


@dataclass(frozen=True, kw_only=True)
class VolumeFigures:
    """The result of a volume: I/Os a second, their mean and 99th percentile latency in milliseconds, and fio's I/O
    engine."""

    iops: float
    mean_ms: float
    p99_ms: float
    engine: str


def measure_volume(
    place: Place, path: str, load: str, size: ProbeSize, *, report_progress: ReportProgress, cancelled: IsCancelled
) -> VolumeFigures:
    """Drive an already written file with one of ``PROBE_LOADS``.

    Raises ``UserError`` or ``Cancelled``.
    """
    access = replace(_ACCESSES[load], path=path, file_mb=size.file_mb)
    runs_seconds = size.warmup_seconds + size.seconds
    engine = engine_for(place, access)
    first, last = Status(at_ms=0, ran_ms=0, done=dict.fromkeys(DIRECTIONS, NOTHING)), None
    words = fio_arguments(access, engine=engine, seconds=runs_seconds)
    for status in statuses_until_end(place, words, f"fio on {place.name} failed", cancelled):
        share = min(1.0, status.ran_ms / 1000 / runs_seconds)
        report_progress(Progress(doing=f"measuring the volume of {path}", share=share))
        is_warming_up = status.ran_ms < 1000 * size.warmup_seconds + _HALF_A_REPORT_MS
        first = status if is_warming_up else first
        last = status
    before, done = _together(first), NOTHING if last is None else _together(last)
    counted = done.since(before)
    if last is None or not counted.n or last.error:
        raise UserError(f"the volume of {path} on {place.name} can't be measured (fio did nothing); see to the disk.")
    p99_us = percentile_us(unpack(counted.histogram or b""), 99.0) or 0.0
    return VolumeFigures(
        iops=round(1000 * counted.n / (last.ran_ms - first.ran_ms), 1),
        mean_ms=round(counted.sum_us / counted.n / _US_PER_MS, 3),
        p99_ms=round(p99_us / _US_PER_MS, 3),
        engine=engine,
    )


def _together(status: Status) -> Done:
    return sum((status.done[each] for each in DIRECTIONS), start=NOTHING)
