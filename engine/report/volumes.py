"""What the volumes of a run did alone and in the run, as sentences: for the terminal, documents, and the run's page."""

from collections.abc import Iterable, Sequence

from engine.analysis.host.measurement import HostMeasurement
from engine.analysis.host.volumes import Volume, VolumeMeasured, volumes_of
from engine.figure_text import capitalised, milliseconds, whole
from engine.machines.storage_probes import LOG, MIXED, PROBE_LOADS, RANDOM_READ, RANDOM_WRITE
from engine.record.record import RunRecord
from engine.telemetry.event import RunEvent

_COUNTED = {LOG: "writes/s", RANDOM_WRITE: "writes/s", RANDOM_READ: "reads/s", MIXED: "I/Os/s"}


def volume_sentences(
    record: RunRecord, events: Iterable[RunEvent], measurements: Sequence[HostMeasurement]
) -> list[str]:
    """A sentence on each volume; empty without any."""
    return [_sentence(volume) for volume in volumes_of(record, events, measurements)]


def _sentence(volume: Volume) -> str:
    unit, disk = _COUNTED[volume.load], f", disk {volume.disk}" if volume.disk else ""
    where = f"the volume of {volume.folder}{f' on {volume.machine}' if volume.machine else ''}{disk}"
    alone = [
        f"{whole(measured.iops)} {unit} {when} ({_times(measured)})"
        for measured, when in ((volume.before, "before the run"), (volume.after, "after it"))
        if measured is not None
    ]
    if volume.in_run is None:
        machine = volume.machine or "workstation"
        in_run = f"what its disk did in the run is not known; --machine {machine} reads it"
    else:
        in_run = f"{whole(volume.in_run)} {unit} in the run"
    if not alone:
        return f"{capitalised(where)}: {in_run}; it was not measured alone."
    how = PROBE_LOADS[volume.load]
    return f"{capitalised(where)}: {in_run}; alone, by {how}, it did {' and '.join(alone)}."


def _times(measured: VolumeMeasured) -> str:
    return f"mean {milliseconds(measured.mean_ms)} ms, p99 {milliseconds(measured.p99_ms)} ms"
