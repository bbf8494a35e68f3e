"""What a run cost the workstation that drove it: the processor use of its measured seconds in a few figures."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from engine.record.record import Phases
from engine.telemetry.workstation import WorkstationLoad


@dataclass(frozen=True, kw_only=True)
class ProcessorUse:
    """The mean and the highest of some seconds, in per cent."""

    mean_pct: float
    highest_pct: float


@dataclass(frozen=True, kw_only=True)
class WorkstationUse:
    """The processor use of everything on the machine, of all client processes, and of the busiest one.

    ``busiest_process`` is of what that process can use, the others are of all processors.
    """

    machine: ProcessorUse
    clients: ProcessorUse
    busiest_process: ProcessorUse


def measured_use(loads: Sequence[WorkstationLoad], phases: Phases) -> WorkstationUse | None:
    """The use in the measured seconds; ``None`` where none of them is known."""
    first, end = phases.measuring_from, phases.measuring_to
    if first is None:
        return None
    measured = [load for load in loads if first < load.second and (end is None or load.second <= end)]
    if not measured:
        return None
    return WorkstationUse(
        machine=_use([load.machine_pct for load in measured]),
        clients=_use([load.clients_pct for load in measured]),
        busiest_process=_use([load.busiest_process_pct for load in measured]),
    )


def _use(values_pct: Sequence[float]) -> ProcessorUse:
    return ProcessorUse(mean_pct=fmean(values_pct), highest_pct=max(values_pct))
