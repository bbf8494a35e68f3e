"""What a run emits about the workstation that drives it: its load, saturation intervals, and its client processes.

Each is emitted every second while it changes; a later one of the same second, number or process replaces the earlier.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Self


@dataclass(frozen=True, kw_only=True)
class WorkstationLoad:
    """What the run costs the workstation that drives it, and the workstation the run, over the last ten seconds.

    ``second`` is the second of the run at whose end it was read. Processor use in per cent: ``machine_pct`` is
    everything on this machine, ``clients_pct`` the client processes together, both of all processors;
    ``busiest_process_pct`` is of what that process can use, a processor for each of its user loops. An embedded server
    is no client. ``heartbeat_ms`` is how late a heartbeat of each client's process comes (p99), by the clients'
    numbers. ``remarks`` say what limits or distorts the run at the moment, a sentence each; they are not stored, since
    the saturation intervals say the same.
    """

    second: int
    machine_pct: float
    clients_pct: float
    busiest_process_pct: float
    is_bottleneck: bool
    heartbeat_ms: Mapping[int, float] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class SaturationMeasure:
    """The worst value of a measure in a saturation interval, and the limit above which the interval began.

    ``process`` is the number of the client process that it was measured of, ``interface`` a network interface; both are
    ``None`` where it is of the whole workstation.
    """

    measure: str
    worst: float
    limit: float
    process: int | None = None
    interface: str | None = None


@dataclass(frozen=True, kw_only=True)
class SaturationRecord:
    """A saturation interval as far as it is known: ``what`` the workstation did, and when, in seconds of the run.

    ``what`` is ``bottleneck``, ``distortion``, ``network`` or ``busy``. ``number`` is that of its event.
    """

    number: int
    what: str
    from_seconds: float
    to_seconds: float
    measures: tuple[SaturationMeasure, ...]

    def to_dict(self) -> dict[str, Any]:
        """The interval in the run's JSON, under ``spells``."""
        plain = asdict(self)
        del plain["number"]
        return plain | {"measures": list(plain["measures"])}

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Self:
        """The interval that ``to_dict`` was called of, but for its number, which is 0."""
        measures = tuple(SaturationMeasure(**measure) for measure in plain["measures"])
        return cls(number=0, **{**plain, "measures": measures})


@dataclass(frozen=True, kw_only=True)
class HealthTotals:
    """Totals from the start of the clock to the stop; ``late_ticks`` counts samples more than 100 ms late.

    The lateness of heartbeats is ``None`` if there was no heartbeat. ``order_waited_ms`` is the mean time that an
    order's answers waited for the workstation after they had arrived. Earlier versions did not store all of them.
    """

    heartbeat_mean_ms: float | None
    heartbeat_p99_ms: float | None
    heartbeat_max_ms: float | None
    longest_gc_pause_ms: float | None
    run_queue_ms: float | None
    order_waited_ms: float | None
    late_ticks: int | None


@dataclass(frozen=True, kw_only=True)
class ProcessSummary:
    """A client process's use of the workstation until now, and the lateness of its latest sample.

    It is sent every second; the last one says how many users hung in a call at the end, of which ``unfinished_users``
    is ``None`` before. ``clock_offset_ms`` is how far the process's clock is from the run's, ``None`` if unknown.
    """

    clients: tuple[int, ...]
    cpu_user_seconds: float
    cpu_system_seconds: float
    peak_memory_mb: float | None
    worst_tick_late_ms: float
    unfinished_users: int | None
    health: HealthTotals
    clock_offset_ms: float | None = None

    @property
    def process(self) -> int:
        """The process's number, which is that of its first client."""
        return self.clients[0]

    @property
    def is_last(self) -> bool:
        return self.unfinished_users is not None

    def to_dict(self) -> dict[str, Any]:
        """The summary in the run's JSON, under ``driver``."""
        plain = asdict(self)
        health, offset_ms = plain.pop("health"), plain.pop("clock_offset_ms")
        return {**plain, **health, "clients": list(self.clients), "clock_offset_ms": offset_ms}

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Self:
        """The summary that ``to_dict`` was called of; earlier versions had a process for each client."""
        own: dict[str, Any] = {
            field.name: plain.get(field.name) for field in fields(cls) if field.name not in ("clients", "health")
        }
        health = HealthTotals(**{field.name: plain.get(field.name) for field in fields(HealthTotals)})
        return cls(**own, clients=tuple(plain.get("clients") or (plain["client"],)), health=health)


@dataclass(frozen=True, kw_only=True)
class MachineLoad:
    """What the run costs a load machine: the same as ``WorkstationLoad``, of the machine of this name."""

    machine: str
    load: WorkstationLoad


WorkstationReport = WorkstationLoad | MachineLoad | SaturationRecord | ProcessSummary
