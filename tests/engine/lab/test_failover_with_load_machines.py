"""A failover of a real pair in the middle of which load machines are lost, each in another way."""

import signal
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from engine.analysis.series.probes import LEAST_OUTAGE_SECONDS, Outage, ProbeSeries
from engine.audit.report import Verdict
from engine.faults.lab_actions import LabAction
from engine.lab.server import EmbeddedServer
from engine.plan.load_machines import LoadMachine
from engine.record.record import RunState
from engine.telemetry.event import EventCode, EventKind, RunEvent
from tests.doubles.proxy import SilentProxy
from tests.engine.cluster.clusters import worker_processes
from tests.engine.cluster.networks import FarMachine, far_machine, needs_networks
from tests.engine.conduct.conftest import Stage
from tests.engine.conftest import SIZE, BuiltStore
from tests.engine.driver.drills import MARGIN_SECONDS, PATIENT, THINK_TIME_MS
from tests.engine.driver.runs import OVER_SECONDS, Gathering, wait_for_orders
from tests.engine.lab.processes import needs_signals
from tests.lateness import measured_lateness
from tests.waiting import wait_until

pytestmark = [needs_signals, needs_networks]
MACHINES = ("lg1", "lg2", "lg3")
KILLED, STOPPED, CUT, HERE = range(1, 5)


@pytest.fixture
def far() -> Iterator[FarMachine]:
    with far_machine() as machine:
        yield machine


@pytest.fixture
def stage(pair: EmbeddedServer, far: FarMachine, tmp_path: Path) -> Iterator[Stage]:
    """A store on a pair, both nodes of which are reached from everywhere; lg3 is the far machine."""
    built = BuiltStore(pair.target("drilled"), pair.secret)
    built.store.build(str(SIZE), 1, replace=True, report_progress=lambda _: None, cancelled=lambda: False)
    with ExitStack() as stack:
        proxies = [stack.enter_context(SilentProxy(host, far.here)) for host in built.target.hosts]
        target = replace(built.target, hosts=tuple(proxy.host for proxy in proxies))
        stage = Stage(tmp_path, BuiltStore(target, pair.secret))
        stage.use_load_machines(*MACHINES, prefixes={"lg3": far.prefix}, addresses=(far.here,))
        with stage.library, stage.targets:
            yield stage
            stage.close()


def test_a_failover_is_seen_as_it_was_while_machines_are_killed_frozen_and_cut_off(
    pair: EmbeddedServer, stage: Stage, far: FarMachine
) -> None:
    sink = Gathering()
    placed = tuple(LoadMachine(machine, 1) for machine in MACHINES)
    agents = stage.agents
    assert agents is not None

    def events_of(code: EventCode, machine: str) -> list[RunEvent]:
        return [event for event in sink.events if event.code is code and event.data["machine"] == machine]

    with measured_lateness() as lateness:
        conductor = stage.start(
            sinks=[sink], clients=4, load_machines=placed, minutes=5.0, think_time_ms=THINK_TIME_MS, timeouts=PATIENT
        )
        run = conductor.run
        wait_for_orders(sink, lambda sink: all(sink.of(client)[3:] for client in (KILLED, STOPPED, CUT, HERE)))
        agents.agents["lg1"].tree[0].kill()
        agents.agents["lg2"].process.send_signal(signal.SIGSTOP)
        far.cut()
        lost_at = run.timebase.at(time.monotonic())
        pair.do(LabAction.KILL_PRIMARY)
        killed_until = run.timebase.at(time.monotonic())
        for machine in MACHINES:
            wait_until(partial(events_of, EventCode.LOAD_MACHINE_LOST, machine), f"{machine} is lost")
        agents.agents["lg2"].process.send_signal(signal.SIGCONT)
        far.rejoin()
        promoted_from = run.timebase.at(time.monotonic())
        pair.do(LabAction.FENCE_AND_PROMOTE)
        promoted_until = run.timebase.at(time.monotonic())
        for machine in ("lg2", "lg3"):
            wait_until(partial(events_of, EventCode.LOAD_MACHINE_BACK, machine), f"{machine} is back")
        wait_until(lambda: sink.events_of(EventKind.CLIENT_LOST), "the client of lg1 is lost")
        now = sink.of(HERE)[-1].second
        wait_until(
            lambda: all(_has_users_after(sink, each, now) for each in (STOPPED, CUT, HERE)), "all users are back"
        )
        run.stop()
        assert run.wait(OVER_SECONDS)
    record = conductor.finish()
    audit = stage.audit(record)

    told_by = lost_at + 3.0 + 2 * lateness.worst_seconds
    assert all(each.at_seconds <= told_by for each in sink.events if each.code is EventCode.LOAD_MACHINE_LOST)
    margin = MARGIN_SECONDS + 2 * lateness.worst_seconds
    (outage,) = (
        each
        for each in _outages(sink, LEAST_OUTAGE_SECONDS)
        if each.begin <= promoted_from and (each.end is None or promoted_from <= each.end)
    )
    assert all(each == outage for each in _outages(sink, max(LEAST_OUTAGE_SECONDS, 2 * lateness.worst_seconds)))
    assert outage.end is not None
    assert lost_at - margin <= outage.begin <= killed_until + margin
    assert promoted_from - margin <= outage.end <= promoted_until + margin

    assert record.state is RunState.STOPPED
    for client in (STOPPED, CUT, HERE):
        assert [sample.second for sample in sink.of(client)] == list(range(len(sink.of(client))))
    assert [event.client for event in sink.events_of(EventKind.CLIENT_LOST)] == [KILLED]
    # Another agent on lg1 has sent what was acknowledged to the client of the one that was killed.
    assert audit.verdict is not Verdict.INCOMPLETE
    assert audit.counts.gone == 0
    assert stage.ledger(record, KILLED).stat().st_size > 0
    events = stage.library.events(record.run_id)
    assert [each.client for each in events if each.code is EventCode.LEDGER_NOT_FETCHED] == []
    homes = [agents.home(machine) for machine in MACHINES]
    wait_until(lambda: not any(map(worker_processes, homes)), "nothing is left on the machines")


def _has_users_after(sink: Gathering, client: int, second: int) -> bool:
    last = sink.of(client)[-1]
    return last.second > second and last.reconnecting == 0


def _outages(sink: Gathering, least_seconds: float) -> list[Outage]:
    series = ProbeSeries()
    for sample in sink.probes:
        series.add(sample)
    return series.outages(1, least_seconds=least_seconds)
