"""Measures the volumes that a plan names by themselves, before its run and after it; the run's events tell of both."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from engine.conduct.made_stores import MadeStores
from engine.conduct.targets import Targets
from engine.databases.database import USUAL_TIMEOUTS, Store
from engine.databases.progress import IsCancelled, ReportProgress, named
from engine.driver.run import Run
from engine.driver.sinks import Sink
from engine.errors import TargetError, UserError
from engine.figure_text import milliseconds, whole
from engine.machines.storage_probes import PROBE_LOADS, StorageProbe
from engine.services.storage.checks import facts_of
from engine.services.storage.system import place_of
from engine.services.storage.volume import ProbeSize, measure_volume
from engine.target.target import STORAGE, StorageOptions, Target
from engine.telemetry.event import EventCode, EventKind, RunEvent
from engine.workload.registry import STORAGE as WORKLOAD

BEFORE, AFTER = "before", "after"
_FILE = "spindle-probe"
_SEED = 1


@dataclass(frozen=True)
class _Found:
    """What was measured of a volume, or why it could not be: an event's label and data."""

    label: str
    data: dict[str, Any]


class VolumeProbes:
    """The probes of one run. ``made`` remembers the file on each volume, which stays until the end of the run.

    ``warn`` gets a sentence for what fails after the run; before it, that keeps the run from starting.
    """

    size = ProbeSize()

    def __init__(
        self, probes: Sequence[StorageProbe], targets: Targets, made: MadeStores, warn: Callable[[str], None]
    ) -> None:
        self._probes = probes
        self._targets = targets
        self._made = made
        self._warn = warn
        self._before: list[_Found] = []

    def measure_before(self, *, report_progress: ReportProgress, cancelled: IsCancelled) -> None:
        """Write the file on each volume and measure it. Raises ``UserError`` or ``Cancelled``."""
        self._before = [self._measured(probe, BEFORE, report_progress, cancelled) for probe in self._probes]

    def begin(self, run: Run) -> None:
        """Add what was measured before to the run."""
        for found in self._before:
            run.add_event(EventKind.VOLUME, found.label, code=EventCode.VOLUME_MEASURED, data=found.data)

    def give_up(self) -> None:
        """Measure nothing after the run, which ends after an error."""
        self._probes = ()

    def write_after(self, sink: Sink, *, at_seconds: float, number: int) -> None:
        """Measure each volume again, and add the events to the run that is over, from this number on."""
        for each, probe in enumerate(self._probes, start=number):
            try:
                found = self._measured(probe, AFTER, lambda _: None, lambda: False)
            except (UserError, TargetError) as error:
                self._warn(error.cause)
                data = {**_described(probe, AFTER), "error": error.cause}
                found = _Found(f"the volume of {_title(probe)} was not measured after the run: {error.cause}", data)
            sink.write_event(
                RunEvent(
                    at_seconds=at_seconds,
                    kind=EventKind.VOLUME,
                    label=found.label,
                    code=EventCode.VOLUME_MEASURED,
                    data=found.data,
                    number=each,
                )
            )

    def _measured(
        self, probe: StorageProbe, when: str, report_progress: ReportProgress, cancelled: IsCancelled
    ) -> _Found:
        planned = Target(
            kind=STORAGE, database=f"{probe.folder}/{_FILE}", storage=StorageOptions(machine=probe.machine)
        )
        endpoint = self._targets.resolve(planned)
        place, store = place_of(endpoint.target), endpoint.store(USUAL_TIMEOUTS, WORKLOAD)
        self._write_file(planned, store, report_progress, cancelled)
        facts = facts_of(place, planned.database)
        measured = measure_volume(
            place, planned.database, probe.load, self.size, report_progress=report_progress, cancelled=cancelled
        )
        figures = asdict(measured)
        data = {
            **_described(probe, when),
            "disk": facts.device,
            "filesystem": facts.filesystem,
            "file_mb": self.size.file_mb,
            "seconds": self.size.seconds,
            **figures,
        }
        label = (
            f"the volume of {_title(probe)}, alone {when} the run: {whole(measured.iops)} I/Os/s of"
            f" {PROBE_LOADS[probe.load]}, mean {milliseconds(measured.mean_ms)} ms"
        )
        return _Found(label, data)

    def _write_file(
        self, planned: Target, store: Store, report_progress: ReportProgress, cancelled: IsCancelled
    ) -> None:
        state, scale = store.state(), f"{self.size.file_mb}MB"
        if state is not None and state.complete and state.scale == scale:
            store.server()  # the folder may be that of a database by now
            return
        self._made.begin(planned, WORKLOAD, scale, store)
        writing = named(report_progress, f"writing {planned.database}")
        store.build(scale, _SEED, replace=True, report_progress=writing, cancelled=cancelled)
        if (built := store.state()) is not None:
            self._made.complete(planned, built)


def _described(probe: StorageProbe, when: str) -> dict[str, Any]:
    return {"when": when, "folder": probe.folder, "machine": probe.machine, "load": probe.load}


def _title(probe: StorageProbe) -> str:
    return f"{probe.folder} on {probe.machine}" if probe.machine else probe.folder
