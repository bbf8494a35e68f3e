"""What a load machine reports to the run, beside the messages of the client processes there."""

from dataclasses import dataclass

from engine.telemetry.event import RunEvent
from engine.telemetry.workstation import WorkstationReport


@dataclass(frozen=True, kw_only=True)
class MachineEvent:
    """Something that happened to a load machine, or that its meters found.

    ``moment`` is when, on this machine's monotonic clock; ``None`` if the event has its second already. ``number`` is
    the machine's own number of an event that may be sent again when it has changed, else 0.
    """

    machine: str
    event: RunEvent
    moment: float | None = None
    number: int = 0


@dataclass(frozen=True, kw_only=True)
class MachineReport:
    """A report of a load machine's meters; the number of a saturation interval is that of its ``MachineEvent``."""

    machine: str
    report: WorkstationReport


MachineMessage = MachineEvent | MachineReport
