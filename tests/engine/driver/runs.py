"""What the tests of whole runs share: clients' starts, and a sink that remembers everything."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from engine.collect.collector_process import CollectorStart
from engine.databases.database import Timeouts
from engine.driver.link import Launcher
from engine.driver.messages import ClientStart, ProbedStore
from engine.driver.run import Run
from engine.faults.injector import InjectionTools
from engine.faults.planned import PlannedFault
from engine.record.record import Phases, RunState
from engine.secrets import Secret
from engine.target.target import POSTGRESQL, Host, Target
from engine.telemetry.event import EventKind, RunEvent
from engine.telemetry.host import CollectorStatus, HostReading
from engine.telemetry.sample import ProbeSample, Sample
from engine.telemetry.workstation import ProcessSummary, WorkstationLoad, WorkstationReport
from engine.workload.registry import DVD_STORE, find_workload
from tests.doubles.samples import number
from tests.engine.conftest import SIZE, BuiltStore
from tests.waiting import wait_until

PARAMETERS = find_workload(DVD_STORE).values({"db_size": SIZE, "n_searches": 2, "n_line_items": 3})
TIMEOUTS = Timeouts(connect_seconds=20.0, statement_seconds=10.0, silence_seconds=5.0)
OVER_SECONDS = 180.0
THREADS = 3
"""Users of each of ``two_clients``."""
WHOLE_LIFE = [
    RunState.PREPARING,
    RunState.RAMPING,
    RunState.WARMING_UP,
    RunState.MEASURING,
    RunState.STOPPING,
    RunState.COMPLETED,
]
WITHOUT_WARM_UP = [state for state in WHOLE_LIFE if state is not RunState.WARMING_UP]
USERS_THERE = "pg_stat_activity WHERE application_name = 'spindle' AND datname = current_database()"
"""What is counted to know how many sessions users have in a store."""
NOWHERE = Target(kind=POSTGRESQL, hosts=(Host("127.0.0.1", 1),), database="ds2", user="nobody", tls="disable")


def start_of(
    target: Target, secret: Secret | None, *, client: int = 1, threads: int = 3, timeouts: Timeouts = TIMEOUTS
) -> ClientStart:
    return ClientStart(
        client=client,
        target=target,
        secret=secret,
        workload=DVD_STORE,
        parameters=PARAMETERS,
        think_time_ms=20,
        threads=threads,
        ramp_rate=20.0,
        seed=5,
        timeouts=timeouts,
    )


@dataclass
class Gathering:
    """A sink that keeps all it is told; ``on_sample`` is called with each sample."""

    began: list[datetime] = field(default_factory=list)
    samples: list[Sample] = field(default_factory=list)
    probes: list[ProbeSample] = field(default_factory=list)
    workstation: list[WorkstationReport] = field(default_factory=list)
    readings: list[HostReading] = field(default_factory=list)
    collectors: list[CollectorStatus] = field(default_factory=list)
    events: list[RunEvent] = field(default_factory=list)
    states: list[RunState] = field(default_factory=list)
    phases: Phases = field(default_factory=Phases)

    def begin(self, started_at: datetime) -> None:
        self.began.append(started_at)

    def write_sample(self, sample: Sample) -> None:
        self.samples.append(sample)

    def write_probe(self, sample: ProbeSample) -> None:
        self.probes.append(sample)

    def write_workstation(self, report: WorkstationReport) -> None:
        self.workstation.append(report)

    def write_host(self, reading: HostReading) -> None:
        self.readings.append(reading)

    def write_collector(self, status: CollectorStatus) -> None:
        self.collectors.append(status)

    def write_event(self, event: RunEvent) -> None:
        self.remove_event(event.number)
        self.events.append(event)

    def remove_event(self, number: int) -> None:
        self.events[:] = [event for event in self.events if event.number != number]

    def set_state(self, state: RunState, phases: Phases) -> None:
        self.states.append(state)
        self.phases = phases

    def load(self) -> WorkstationLoad | None:
        """The newest load of the workstation."""
        return next((each for each in reversed(self.workstation) if isinstance(each, WorkstationLoad)), None)

    def last_summaries(self) -> list[ProcessSummary]:
        """The summaries that the client processes sent at their end, by their numbers."""
        last = [each for each in self.workstation if isinstance(each, ProcessSummary) and each.is_last]
        return sorted(last, key=lambda summary: summary.process)

    def of(self, client: int) -> list[Sample]:
        return [sample for sample in self.samples if sample.client == client]

    def total(self, field_name: str) -> int:
        return sum(number(sample, field_name) for sample in self.samples)

    def errors(self) -> dict[str, int]:
        total: dict[str, int] = {}
        for sample in self.samples:
            for name, count in sample.errors.items():
                total[name] = total.get(name, 0) + count
        return total

    def events_of(self, kind: EventKind) -> list[RunEvent]:
        return [event for event in self.events if event.kind is kind]


def run_of(
    *starts: ClientStart,
    sink: Gathering,
    warmup_seconds: int = 1,
    measured_seconds: int = 2,
    faults: Sequence[PlannedFault] = (),
    tools: InjectionTools | None = None,
    stores: Sequence[ProbedStore] = (),
    collectors: Sequence[CollectorStart] = (),
    placement: Mapping[int, Launcher] | None = None,
) -> Run:
    return Run(
        starts=starts,
        labels={start.client: f"ds2 #{start.client}" for start in starts},
        warmup_seconds=warmup_seconds,
        measured_seconds=measured_seconds,
        sinks=[sink],
        faults=faults,
        tools=tools,
        stores=stores,
        collectors=collectors,
        placement=placement,
    )


def wait_for_state(sink: Gathering, state: RunState) -> None:
    wait_until(lambda: state in sink.states, f"the run is {state}", timeout_seconds=OVER_SECONDS)


def wait_for_orders(sink: Gathering, enough: Callable[[Gathering], bool]) -> None:
    wait_until(lambda: enough(sink), "orders are told", timeout_seconds=OVER_SECONDS)


def two_clients(store: BuiltStore, sink: Gathering, *, warmup_seconds: int = 1, measured_seconds: int = 2) -> Run:
    starts = [start_of(store.target, store.secret, client=client, threads=THREADS) for client in (1, 2)]
    return run_of(*starts, sink=sink, warmup_seconds=warmup_seconds, measured_seconds=measured_seconds)
