"""What of a mixed run belongs to one of its loads, seen as if that load were a run of its own.

The clients and stores of a load then count from 1, as its plan by itself (``RunPlan.loads``) counts them. Events and
reports on the workstation that belong to no single client are common to all loads.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Self

from engine.plan.plan import RunPlan
from engine.telemetry.event import RunEvent
from engine.telemetry.sample import ProbeSample, Sample
from engine.telemetry.workstation import MachineLoad, ProcessSummary, WorkstationLoad, WorkstationReport


@dataclass(frozen=True)
class Projection:
    """The load of the run that comes after so many clients ``before`` it and has so many ``clients`` itself.

    ``stores`` has the numbers of its stores by those that they have in the run.
    """

    before: int
    clients: int
    stores: Mapping[int, int] = field(default_factory=dict)

    @classmethod
    def of(cls, plan: RunPlan, load: int) -> Self:
        """The load with this index in a plan."""
        before = sum(len(each.client_plans()) for each in plan.loads[:load])
        numbers = {store.with_label(""): number for number, store in enumerate(plan.stores(), start=1)}
        stores = {
            numbers[store.with_label("")]: number for number, store in enumerate(plan.loads[load].stores(), start=1)
        }
        return cls(before, len(plan.loads[load].client_plans()), stores)

    def client(self, number: int) -> int | None:
        """The number in the load of a client of the run; ``None`` for a client of another load."""
        own = number - self.before
        return own if 1 <= own <= self.clients else None

    def sample(self, sample: Sample) -> Sample | None:
        client = self.client(sample.client)
        return None if client is None else replace(sample, client=client)

    def probe(self, sample: ProbeSample) -> ProbeSample | None:
        store = self.stores.get(sample.store)
        return None if store is None else replace(sample, store=store)

    def event(self, event: RunEvent) -> RunEvent | None:
        """The event of a client of the load, or one that is common; the numbers of events stay."""
        if event.client is None:
            return event
        client = self.client(event.client)
        return None if client is None else replace(event, client=client)

    def workstation(self, report: WorkstationReport) -> WorkstationReport | None:
        """A report with the load's clients alone; ``None`` of a process that drives none of them."""
        match report:
            case WorkstationLoad():
                return self.workstation_load(report)
            case MachineLoad():
                return self.machine_load(report)
            case ProcessSummary():
                return self.process(report)
            case _:
                return report

    def workstation_load(self, load: WorkstationLoad) -> WorkstationLoad:
        numbers = ((self.client(number), late_ms) for number, late_ms in load.heartbeat_ms.items())
        return replace(load, heartbeat_ms={number: late_ms for number, late_ms in numbers if number is not None})

    def machine_load(self, report: MachineLoad) -> MachineLoad:
        return replace(report, load=self.workstation_load(report.load))

    def process(self, summary: ProcessSummary) -> ProcessSummary | None:
        """The summary of a process, which may drive clients of other loads too: what it used is then of all of them."""
        clients = tuple(number for each in summary.clients if (number := self.client(each)) is not None)
        return replace(summary, clients=clients) if clients else None


def projections_of(plan: RunPlan) -> tuple[Projection, ...]:
    """One for each load of a plan, in their order."""
    return tuple(Projection.of(plan, load) for load in range(len(plan.loads)))
