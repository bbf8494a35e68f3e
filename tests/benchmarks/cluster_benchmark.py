"""What driving clients through agents costs: orders, delay of samples, and what the controller receives.

24 clients of 32 users place orders at an even rate, driven by this process's own client processes, and then through
two and four agents, which are processes of this machine as well: so the same processors do the same work, and a
difference is that of the agents. The clients make their samples one after the other within the first 200 ms after each
second, so a sample's delay is how much later after the end of its second the run has it than the earliest of the same
client. Frames and bytes are those of the stream before encryption, a second and a load machine.

Beside it: messages of a sample's size from one process through the stream of an agent, and through dask's ``log_event``
with TLS, as fast as they go, and the delay of such that are sent at ease.
"""

import statistics
import tempfile
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from engine.cluster.agent_connection import AgentConnection
from engine.cluster.controller import Controller
from engine.cluster.load_machines import LoadMachines
from engine.cluster.mailbox import Mailbox
from engine.cluster.messages import MachineReady, MeterEvent
from engine.cluster.starter import AgentStart
from engine.databases.database import Timeouts
from engine.driver.machine_messages import MachineEvent
from engine.driver.messages import ClientStart
from engine.driver.run import Run
from engine.driver.sinks import Sink
from engine.record.record import RunState
from engine.telemetry.event import EventKind, RunEvent
from engine.telemetry.sample import Sample
from engine.workload.registry import DVD_STORE, find_workload
from engine.workloads.dvdstore.sizing import DbSize
from tests.benchmarks.figures import Figure, Goal, against_goal, figure
from tests.benchmarks.section import Choices, Section
from tests.engine.cluster.local_agents import LocalAgents
from tests.engine.conftest import BuiltStore
from tests.labs import running_lab

CLIENTS, USERS = 24, 32
_AGENTS = (0, 2, 4)
_SIZE = DbSize(10, "MB")
# 768 users of whom each waits so long place some 380 orders a second, which two processors can do.
_THINK_TIME_MS = 2_000
_MESSAGES, _PACED = 20_000, 300
_PACE_SECONDS = 0.01
_TEXT = "x" * 600
_SAME_ORDERS, _LATEST_SAMPLES = Goal(limit=3, either_way=True), Goal(limit=100)


@dataclass
class _Arrivals(Sink):
    """Counts orders of the measured seconds, and how long after its second each client's samples come."""

    orders: int = 0
    ages: dict[int, list[float]] = field(default_factory=lambda: defaultdict(list))
    run: Run | None = None

    def write_sample(self, sample: Sample) -> None:
        run = self.run
        if run is None or run.state is not RunState.MEASURING or sample.second < (run.phases.measuring_from or 0):
            return
        self.orders += sample.of("order").n
        self.ages[sample.client].append(time.monotonic() - run.timebase.moment(sample.second + 1))

    @property
    def delays(self) -> list[float]:
        return [age - min(ages) for ages in self.ages.values() for age in ages]


@dataclass(frozen=True, kw_only=True)
class _Measured:
    orders_per_second: float
    delay_p99_ms: float
    frames: float = 0.0
    bytes: float = 0.0


def _measure(store: BuiltStore, agents: int, seconds: int) -> _Measured:
    labels = {number: f"ds2 #{number}" for number in range(1, CLIENTS + 1)}
    names = [f"lg{number}" for number in range(1, agents + 1)]
    placed = {name: [client for client in labels if (client - 1) % agents == at] for at, name in enumerate(names)}
    parameters = find_workload(DVD_STORE).values({"db_size": _SIZE})
    starts = [
        ClientStart(
            client=client,
            target=store.target,
            secret=store.secret,
            workload=DVD_STORE,
            parameters=parameters,
            think_time_ms=_THINK_TIME_MS,
            threads=USERS,
            first_user=USERS * (client - 1),
            ramp_rate=20.0,
            seed=5,
            timeouts=Timeouts(),
        )
        for client in labels
    ]
    with tempfile.TemporaryDirectory(prefix="spindle-bench-") as folder:
        machines = LoadMachines(LocalAgents(Path(folder), names), "bench", placed, labels, print) if names else None
        try:
            if machines is not None:
                machines.connect()
            arrivals = _Arrivals()
            run = arrivals.run = Run(
                starts=starts,
                labels=labels,
                warmup_seconds=15,
                measured_seconds=seconds,
                sinks=[arrivals],
                placement=machines.launchers() if machines is not None else {},
            )
            run.start()
            while run.state in (RunState.PREPARING, RunState.RAMPING, RunState.WARMING_UP):
                time.sleep(0.1)
            before = [(agent.stream.traffic.frames_in, agent.stream.traffic.bytes_in) for agent in _of(machines)]
            began = time.monotonic()
            while run.state is RunState.MEASURING:
                time.sleep(0.05)
            lasted = time.monotonic() - began
            after = [(agent.stream.traffic.frames_in, agent.stream.traffic.bytes_in) for agent in _of(machines)]
            run.wait()
        finally:
            if machines is not None:
                machines.close()
    share = max(1, agents) * lasted
    return _Measured(
        orders_per_second=arrivals.orders / seconds,
        delay_p99_ms=1000 * _p99(arrivals.delays),
        frames=sum(late[0] - early[0] for early, late in zip(before, after, strict=True)) / share,
        bytes=sum(late[1] - early[1] for early, late in zip(before, after, strict=True)) / share,
    )


def _of(machines: LoadMachines | None) -> Sequence[Any]:
    return () if machines is None else tuple(machines.agents.values())


def _p99(values: Sequence[float]) -> float:
    return statistics.quantiles(values, n=100)[98]


@dataclass(frozen=True)
class _Transport:
    per_second: float
    delay_p99_ms: float


def _own_stream(folder: Path) -> _Transport:
    agents = LocalAgents(folder, ["lg1"])
    controller = Controller("bench", {"lg1": [1]}, {1: "ds2"}, agents.certificates, print)
    agent = controller.agents["lg1"]
    start = AgentStart(
        run_id="bench",
        machine="lg1",
        controller_addresses=("127.0.0.1",),
        port=controller.port,
        certificates=agents.members.files("lg1"),
    )
    sender = get_context("spawn").Process(target=_send, args=(start,))
    sender.start()
    moments: list[tuple[float, float]] = []
    while len(moments) < _MESSAGES + _PACED:
        now_messages = agent.news.receive()
        now = time.monotonic()
        moments += [(each.event.at_seconds, now) for each in now_messages if isinstance(each, MachineEvent)]
    controller.close()
    sender.join()
    return _transport(moments)


def _send(start: AgentStart) -> None:
    connection = AgentConnection(start, Mailbox())
    connection.start()
    connection.send(MachineReady(described={}, processors=1, ledgers=""))
    time.sleep(1.0)
    for number in range(_MESSAGES + _PACED):
        event = RunEvent(at_seconds=time.monotonic(), kind=EventKind.MARK, label=_TEXT, number=number)
        connection.send(MeterEvent(event))
        if number >= _MESSAGES:
            time.sleep(_PACE_SECONDS)
        elif number == _MESSAGES - 1:
            time.sleep(5.0)
    connection.stop()


def _log_event() -> _Transport:
    from distributed import Client, LocalCluster
    from distributed.security import Security

    moments: list[tuple[float, float]] = []
    with (
        LocalCluster(
            n_workers=1, threads_per_worker=1, security=Security.temporary(), protocol="tls", dashboard_address=None
        ) as cluster,
        Client(cluster) as client,
    ):
        client.subscribe_topic("samples", lambda event: moments.append((event[1][0], time.monotonic())))
        time.sleep(1.0)
        client.submit(_log).result()
        deadline = time.monotonic() + 60
        while len(moments) < _MESSAGES + _PACED and time.monotonic() < deadline:
            time.sleep(0.1)
    return _transport(moments)


def _log() -> None:
    from distributed import get_worker

    worker = get_worker()
    for number in range(_MESSAGES + _PACED):
        worker.log_event("samples", [time.monotonic(), _TEXT])
        if number >= _MESSAGES:
            time.sleep(_PACE_SECONDS)
        elif number == _MESSAGES - 1:
            time.sleep(5.0)


def _transport(moments: Sequence[tuple[float, float]]) -> _Transport:
    fast, paced = moments[:_MESSAGES], moments[_MESSAGES:]
    return _Transport(
        per_second=len(fast) / (fast[-1][1] - fast[0][0]),
        delay_p99_ms=1000 * _p99([arrived - sent for sent, arrived in paced]),
    )


def run(chosen: Choices) -> list[Figure]:
    """Measure all, in turn in each round, and print it."""
    rounds: dict[int, list[_Measured]] = {agents: [] for agents in _AGENTS}
    with running_lab() as server:
        store = BuiltStore(server.target("bench"), server.secret)
        store.store.build(str(_SIZE), 1, replace=True, report_progress=lambda _: None, cancelled=lambda: False)
        for _ in range(chosen.rounds):
            for agents in _AGENTS:
                measured = _measure(store, agents, chosen.seconds)
                rounds[agents].append(measured)
                print(f"{agents} agents: {measured}", flush=True)
    local = rounds[0]
    figures: list[Figure] = []
    for agents in _AGENTS[1:]:
        of, each = f"{agents} agents", rounds[agents]
        more = [
            100 * (one.orders_per_second / other.orders_per_second - 1) for one, other in zip(each, local, strict=True)
        ]
        delays = [one.delay_p99_ms for one in each]
        figures += [
            against_goal(f"{of}: orders, to local clients", more, _SAME_ORDERS, "%"),
            against_goal(f"{of}: delay of samples (p99)", delays, _LATEST_SAMPLES, "ms"),
            _told(f"{of}: frames of a machine", [one.frames for one in each], "/s"),
            _told(f"{of}: bytes of a machine", [one.bytes for one in each], "B/s"),
        ]
    with tempfile.TemporaryDirectory(prefix="spindle-bench-") as folder:
        transports = {"own stream": _own_stream(Path(folder)), "log_event": _log_event()}
    for name, transport in transports.items():
        figures.append(_told(f"{name}: messages", [transport.per_second], "/s"))
        figures.append(_told(f"{name}: delay (p99)", [transport.delay_p99_ms], "ms"))
    return figures


def _told(what: str, values: Sequence[float], unit: str) -> Figure:
    print(f"{what:<50} {statistics.median(values):>22,.1f} {unit}")
    return figure(what, unit, values)


SECTION = Section("cluster", "Load machines", run)
