"""What the volumes of a run did alone, before and after it, and what their disks did in it."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from engine.analysis.host.figures import UtcSpan, mean_over, measured_span
from engine.analysis.host.measurement import HostMeasurement
from engine.machines.machine import WORKSTATION
from engine.machines.storage_probes import LOG, MIXED, RANDOM_READ, RANDOM_WRITE
from engine.record.record import RunRecord
from engine.telemetry.event import EventCode, RunEvent
from engine.telemetry.host_figure import HostFigure

_FIGURES = {
    LOG: (HostFigure.DISK_WRITES,),
    RANDOM_WRITE: (HostFigure.DISK_WRITES,),
    RANDOM_READ: (HostFigure.DISK_READS,),
    MIXED: (HostFigure.DISK_TRANSFERS,),
}
_PARTS = (HostFigure.DISK_READS, HostFigure.DISK_WRITES)


@dataclass(frozen=True, kw_only=True)
class VolumeMeasured:
    """A volume at one time: the I/Os that it did in a second, and their times in milliseconds."""

    iops: float
    mean_ms: float
    p99_ms: float


@dataclass(frozen=True, kw_only=True)
class Volume:
    """A volume by its folder, the machine that has it (empty: this one) and the load that drove it.

    ``before`` and ``after`` the run; ``None`` where it was not measured. ``in_run`` is how many reads, writes or both a
    second the disk did on average while the run was measured, by its machine's collector; ``None`` without a reading.
    """

    folder: str
    machine: str
    load: str
    disk: str
    before: VolumeMeasured | None
    after: VolumeMeasured | None
    in_run: float | None

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def volumes_of(
    record: RunRecord, events: Iterable[RunEvent], measurements: Sequence[HostMeasurement]
) -> tuple[Volume, ...]:
    """The volumes that were measured before or after a run, in the order of its plan."""
    found: dict[tuple[str, str, str], dict[str, RunEvent]] = {}
    for event in events:
        if event.code is EventCode.VOLUME_MEASURED:
            key = (event.data["folder"], event.data["machine"], event.data["load"])
            found.setdefault(key, {})[event.data["when"]] = event
    span = measured_span(record.started_at, record.phases)
    return tuple(
        _volume(*key, times, _in_run(record, measurements, span, key[1], _disk(times), key[2]))
        for key, times in found.items()
    )


def _volume(folder: str, machine: str, load: str, times: dict[str, RunEvent], in_run: float | None) -> Volume:
    return Volume(
        folder=folder,
        machine=machine,
        load=load,
        disk=_disk(times),
        before=_measured(times.get("before")),
        after=_measured(times.get("after")),
        in_run=in_run,
    )


def _disk(times: dict[str, RunEvent]) -> str:
    return next((str(event.data["disk"]) for event in times.values() if event.data.get("disk")), "")


def _measured(event: RunEvent | None) -> VolumeMeasured | None:
    if event is None or "iops" not in event.data:
        return None
    return VolumeMeasured(**{key: event.data[key] for key in ("iops", "mean_ms", "p99_ms")})


def _in_run(
    record: RunRecord,
    measurements: Sequence[HostMeasurement],
    span: UtcSpan | None,
    machine: str,
    disk: str,
    load: str,
) -> float | None:
    """The mean of the disk's figure by the first source of the machine that has it."""
    if span is None or not disk:
        return None
    machines = {machine} if machine else _local_machines(record)
    for measurement in measurements:
        figures = {
            series.name: mean_over(series, span, measurement.shift_seconds).mean
            for series in measurement.series
            if series.device == disk and measurement.machine_of(series) in machines
        }
        wanted = _PARTS if load == MIXED and HostFigure.DISK_TRANSFERS not in figures else _FIGURES[load]
        known = [mean for each in wanted if (mean := figures.get(each)) is not None]
        if len(known) == len(wanted):
            return round(sum(known), 1)
    return None


def _local_machines(record: RunRecord) -> set[str]:
    """The names under which this machine may have been read."""
    described = record.environment.get("machines") or ()
    local = {each["name"] for each in described if any(source["access"] == "local" for source in each["sources"])}
    return {WORKSTATION, *local}
