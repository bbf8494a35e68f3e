"""The loads of a run: what belongs to each of a mixed run's, and when one of them ends the run."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from engine.driver.messages import ClientStart
from engine.driver.sinks import LoadSink, Sink
from engine.driver.stage_monitor import StageMonitor
from engine.plan.load.profile import LoadProfile
from engine.record.projection import Projection
from engine.telemetry.event import EventKind


@dataclass(frozen=True, kw_only=True)
class RunLoad:
    """A load of a run: the next so many ``clients`` of it, which have a workload in common.

    ``profile`` has its stages, and ``rate`` is that of an open loop without stages. ``title`` names it in events; empty
    where the run has no other load.
    """

    clients: int
    profile: LoadProfile | None = None
    rate: float | None = None
    title: str = ""


class RunLoads:
    """The ``loads`` of the clients that ``starts`` specify; without any, one for all of them. Emits their events."""

    def __init__(self, starts: Sequence[ClientStart], loads: Sequence[RunLoad], emit: Callable[..., None]) -> None:
        loads = loads or [RunLoad(clients=len(starts))]
        self.have_stages = any(load.profile is not None for load in loads)
        self.sinks: list[Sink] = []
        """Each passes on to a load what belongs to it."""
        self._monitors: list[StageMonitor] = []
        self._emit = emit
        before = 0
        for load in loads:
            own = starts[before : before + load.clients]
            users = sum(start.threads for start in own)
            emit_of_load = partial(self._emit_of_load, load.title)
            monitor = StageMonitor(own[0].workload, len(own), users, load.profile, load.rate, emit_of_load)
            self._monitors.append(monitor)
            self.sinks.append(LoadSink(Projection(before, len(own)), monitor))
            before += load.clients

    def ends(self, at: float) -> Iterator[int]:
        """The seconds of the run at which loads are to end, as far as that is known at second ``at``."""
        for monitor in self._monitors:
            if (end := monitor.check(at)) is not None:
                yield end

    def close(self) -> None:
        """All samples of a run that was not stopped have come."""
        for monitor in self._monitors:
            monitor.close()

    def _emit_of_load(self, title: str, kind: EventKind, label: str, **values: Any) -> None:
        """Emit an event of one load; in a mixed run its label names the load."""
        self._emit(kind, f"{title}: {label}" if title else label, **values)
