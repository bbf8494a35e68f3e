"""The data of a run in progress with one or several loads: each load as a run of its own."""

from collections.abc import Callable
from datetime import datetime

from engine.analysis.run_data import RunData
from engine.plan.plan import RunPlan
from engine.record.projection import projections_of
from engine.record.record import Phases, RunState
from engine.record.totals import Totals
from engine.telemetry.event import RunEvent
from engine.telemetry.host import CollectorStatus, HostReading
from engine.telemetry.sample import ProbeSample, Sample
from engine.telemetry.workstation import MachineLoad, WorkstationLoad


class LoadsData:
    """``loads`` has the data of each load, in their order, and ``titles`` what each is called. ``events`` are those of
    the whole run, by their numbers, as ``clients`` are its clients. Not thread-safe."""

    def __init__(self, plan: RunPlan, *, run_id: str = "", name: str = "") -> None:
        self.plan = plan
        self.run_id = run_id
        self.clients = plan.client_plans()
        self.events: dict[int, RunEvent] = {}
        self.loads = tuple(RunData(load, run_id=run_id, name=name or plan.name) for load in plan.loads)
        self.titles = plan.titles
        self._projections = projections_of(plan)

    @property
    def first(self) -> RunData:
        """The data of the first load, which is all of a run that is not mixed."""
        return self.loads[0]

    def begin(self, started_at: datetime) -> None:
        for data in self.loads:
            data.started_at = started_at
            data.hosts.begin(started_at.timestamp())

    def add(self, sample: Sample) -> None:
        for data, projection in zip(self.loads, self._projections, strict=True):
            if (own := projection.sample(sample)) is not None:
                data.add(own)

    def add_probe(self, sample: ProbeSample) -> None:
        for data, projection in zip(self.loads, self._projections, strict=True):
            if (own := projection.probe(sample)) is not None:
                data.add_probe(own)

    def put_event(self, event: RunEvent) -> None:
        """Add an event, or replace the one with the same number."""
        self.events[event.number] = event
        for data, projection in zip(self.loads, self._projections, strict=True):
            if (own := projection.event(event)) is not None:
                data.put_event(own)

    def remove_event(self, number: int) -> None:
        self.events.pop(number, None)
        self.each(lambda data: data.remove_event(number))

    def sorted_events(self) -> list[RunEvent]:
        """The events of the whole run, sorted by time."""
        return sorted(self.events.values(), key=lambda event: (event.at_seconds, event.number))

    def set_load(self, load: WorkstationLoad | MachineLoad) -> None:
        """The present load of the workstation, or of a load machine."""
        for data, projection in zip(self.loads, self._projections, strict=True):
            if isinstance(load, MachineLoad):
                data.machine_loads[load.machine] = projection.workstation_load(load.load)
            else:
                data.workstation = projection.workstation_load(load)

    def take_host(self, news: HostReading | CollectorStatus) -> None:
        self.each(lambda data: data.hosts.take(news))

    def set_state(self, state: RunState, phases: Phases) -> None:
        self.each(lambda data: data.set_state(state, phases))

    def set_totals(self, totals: Totals | None) -> None:
        """The totals of the run's record."""
        for data, of_load in zip(
            self.loads, (None,) * len(self.loads) if totals is None else totals.loads, strict=True
        ):
            data.totals = of_load

    def each(self, change: Callable[[RunData], None]) -> None:
        """Change the data of every load."""
        for data in self.loads:
            change(data)
