"""What a run emits about the machines that it watches: readings of counters and meters, and each collector's state.

Both travel from the collector process to the run's sinks, as samples do. A reading of a second that is missing is
unknown, which is not the same as zero.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple, Self

from engine.telemetry.host_figure import HostFigure


class HostValue(NamedTuple):
    """One counter's value. ``device`` is a volume, an interface or a meter's channel, or empty for the whole machine.

    ``name`` and ``unit`` are those of ``engine.telemetry.host_figure.HostFigure`` where it has the counter, else the
    source's own. A rate or a use in per cent is of the time since the reading before.
    """

    device: str
    name: str
    unit: str
    value: float

    @classmethod
    def of(cls, figure: HostFigure, value: float, device: str = "") -> Self:
        return cls(device, figure.value, figure.unit, value)


@dataclass(frozen=True, kw_only=True, slots=True)
class HostReading:
    """The values that one collector read at one moment.

    ``collector`` is its number in the run, from 1. ``utc_seconds`` (since 1970) is the moment of the reading on this
    workstation's clock: the source's own time, less the offset of its clock.
    """

    collector: int
    utc_seconds: float
    values: tuple[HostValue, ...]


class CollectorState(StrEnum):
    """``WAITING`` is before the first reading, ``FAILING`` while it is tried again, ``ENDED`` after the run."""

    WAITING = "waiting"
    READING = "reading"
    FAILING = "failing"
    ENDED = "ended"


@dataclass(frozen=True, kw_only=True, slots=True)
class CollectorStatus:
    """A collector as it is now; a later one of the same number replaces the earlier.

    ``machine`` is the machine's name in the inventory, ``source`` the way it is read, such as ``Linux over SSH``.
    ``message`` is one sentence of what fails, or failed at the end; empty while it reads. ``interval_seconds`` is the
    time between two readings that is asked for; ``is_average`` marks a source whose values are slow averages, as those
    of management controllers are. ``offset_seconds`` is how far the source's clock is ahead of this workstation's,
    known within ``offset_error_seconds``; both are ``None`` for a source without a clock of its own. ``drift_ppm`` is
    how fast that clock gains on this one, in millionths; ``None`` while that is less than it can be known by.
    ``cpu_seconds`` is the processor time that the collector has taken on this workstation.
    """

    number: int
    machine: str
    source: str
    state: CollectorState
    message: str = ""
    interval_seconds: float = 1.0
    is_average: bool = False
    offset_seconds: float | None = None
    offset_error_seconds: float | None = None
    drift_ppm: float | None = None
    readings: int = 0
    cpu_seconds: float = 0.0
