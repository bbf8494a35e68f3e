"""Runs whose clients are driven by agents, processes of their own here: with their own clocks, and ledgers to fetch."""

import re
import shutil
import signal
import time
from functools import partial
from pathlib import Path

import psutil
import pytest

from engine.audit.report import OrderCounts, Verdict
from engine.errors import UserError
from engine.plan.load_machines import LoadMachine
from engine.record.record import RunState
from engine.telemetry.event import EventCode, EventKind, RunEvent
from engine.telemetry.workstation import MachineLoad
from tests.engine.cluster.time_namespace import in_time_namespace, needs_time_namespaces
from tests.engine.conduct.conftest import SECOND, Stage
from tests.engine.conftest import SIZE
from tests.engine.driver.runs import OVER_SECONDS, Gathering, wait_for_orders
from tests.lateness import measured_lateness
from tests.waiting import wait_until

AHEAD_SECONDS = 90.0
PLACED = (LoadMachine("lg1", 1), LoadMachine("lg2", 1))


@needs_time_namespaces
def test_a_run_on_two_load_machines_and_here_is_as_one_of_local_clients(stage: Stage) -> None:
    """All clocks of lg2 are 90 s ahead."""
    agents = stage.use_load_machines(
        "lg1", "lg2", prefixes={"lg2": in_time_namespace(AHEAD_SECONDS)}, utc_ahead={"lg2": AHEAD_SECONDS}
    )
    sink = Gathering()
    conductor = stage.start(sinks=[sink], clients=3, load_machines=PLACED, minutes=3 * SECOND)
    assert conductor.run.wait(OVER_SECONDS)
    record = conductor.finish()

    assert record.state is RunState.COMPLETED
    for client in (1, 2, 3):
        assert [sample.second for sample in sink.of(client)] == list(range(len(sink.of(client))))
        assert sum(sample.of("order").n for sample in sink.of(client)) > 0
    placed = stage.store.count("orders") - SIZE.orders
    assert placed == sink.total("purchases") - sink.total("rollbacks")
    assert {each.machine for each in sink.workstation if isinstance(each, MachineLoad)} == {"lg1", "lg2"}
    assert {summary.process: summary.unfinished_users for summary in sink.last_summaries()} == {1: 0, 2: 0, 3: 0}

    assert {each.machine for each in stage.library.machine_loads(record.run_id)} == {"lg1", "lg2"}
    lg1, lg2 = record.environment["load_machines"]
    assert [(each["machine"], each["clients"]) for each in (lg1, lg2)] == [("lg1", [1]), ("lg2", [2])]
    # Both clocks are those of this machine, so that the true offsets are known.
    assert lg1["clock_ahead_seconds"] == pytest.approx(0.0, abs=lg1["clock_error_ms"] / 1000 + 0.002)
    assert lg2["clock_ahead_seconds"] == pytest.approx(AHEAD_SECONDS, abs=lg2["clock_error_ms"] / 1000 + 0.002)
    (started,) = [event for event in sink.events if event.code is EventCode.LOAD_MACHINES_STARTED]
    assert set(started.data["started"]) == {"", "lg1", "lg2"}
    assert 0 <= started.data["skew_ms"] < 1000 * AHEAD_SECONDS / 2
    assert 0 < started.data["error_ms"] < 1000 * AHEAD_SECONDS / 2

    audit = stage.audit(record)
    assert audit.verdict is Verdict.CLEAN
    assert audit.counts == OrderCounts(present=placed)
    assert [agent.process.returncode for agent in agents.agents.values()] == [0, 0]
    assert not list((stage.home / "machines").rglob("*.ledger"))


def test_without_a_cluster_a_run_on_load_machines_does_not_start(stage: Stage) -> None:
    stage.use_load_machines("lg1")
    stage.agents = None
    with pytest.raises(UserError, match="the cluster is not running; start it first"):
        stage.start(clients=1, load_machines=(LoadMachine("lg1", 1),))
    assert stage.library.runs() == []


def test_a_run_goes_on_without_a_killed_machine_and_takes_late_samples_of_one_that_stood_still(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.cluster.load_machines._COME_BACK_SECONDS", 0.5)
    agents = stage.use_load_machines("lg1", "lg2")
    sink = Gathering()
    conductor = stage.start(sinks=[sink], clients=3, load_machines=PLACED, minutes=0)

    def events_of(code: EventCode, machine: str = "") -> list[RunEvent]:
        return [each for each in sink.events if each.code is code and machine in ("", each.data.get("machine"))]

    wait_for_orders(sink, lambda sink: all(sink.of(client)[3:] for client in (1, 2, 3)))
    killed, stopped = agents.agents["lg1"].tree, agents.agents["lg2"].process
    with measured_lateness() as lateness:
        at_seconds = conductor.run.timebase.at(time.monotonic())
        agents.agents["lg1"].machine_is_gone = True
        killed[0].kill()
        killed_by = conductor.run.timebase.at(time.monotonic())
        stopped.send_signal(signal.SIGSTOP)
        try:
            for machine in ("lg1", "lg2"):
                wait_until(partial(events_of, EventCode.LOAD_MACHINE_LOST, machine), f"{machine} is lost")
        finally:
            stopped.send_signal(signal.SIGCONT)
    wait_until(lambda: events_of(EventCode.LOAD_MACHINE_BACK, "lg2"), "lg2 is back")
    wait_until(lambda: sink.events_of(EventKind.CLIENT_LOST), "the client of lg1 is lost")
    # Of lg1's client it knows no more; what the others ordered since is counted.
    wait_for_orders(sink, lambda sink: sink.of(2)[-1].second > at_seconds + 9)
    conductor.run.stop()
    assert conductor.run.wait(OVER_SECONDS)
    record = conductor.finish()

    told_within = 3.0 + 2 * lateness.worst_seconds
    assert all(each.at_seconds - at_seconds <= told_within for each in events_of(EventCode.LOAD_MACHINE_LOST))
    (lost,) = sink.events_of(EventKind.CLIENT_LOST)
    assert lost.client == 1
    assert re.search(r"lg1 was silent for \d+ s", lost.detail)
    assert record.state is RunState.STOPPED
    for client in (2, 3):
        assert [sample.second for sample in sink.of(client)] == list(range(len(sink.of(client))))
    assert sink.of(1)[-1].second <= killed_by
    wait_until(
        lambda: not any(each.is_running() and each.status() != psutil.STATUS_ZOMBIE for each in killed),
        "all have ended",
    )

    audit = stage.audit(record)
    assert audit.verdict is Verdict.INCOMPLETE
    assert audit.counts.gone == 0
    assert re.search(r"missing \(load machine lg1 was silent for \d+ s", audit.stores[0].notes[0])
    (warning,) = events_of(EventCode.LEDGER_NOT_FETCHED)
    assert (warning.client, warning.data["machine"]) == (1, "lg1")
    # The ledger is still on the machine; its user may bring it.
    assert f"client-1.ledger is there in {warning.data['folder']}: copy it to ledgers/{record.run_id}" in warning.detail
    assert warning.detail in audit.stores[0].notes[0]
    shutil.copy(Path(warning.data["folder"]) / "client-1.ledger", stage.ledger(record))
    audit = stage.audit(record)
    assert audit.verdict is not Verdict.INCOMPLETE
    assert audit.counts.gone == 0


def test_a_ledger_that_has_no_room_here_stays_on_its_machine(stage: Stage) -> None:
    agents = stage.use_load_machines("lg1")
    conductor = stage.start(clients=1, load_machines=(LoadMachine("lg1", 1),))
    assert conductor.run.wait(OVER_SECONDS)
    (stage.home / "ledgers").write_text("in the way")
    record = conductor.finish()
    assert agents.agents["lg1"].process.returncode == 0
    (warning,) = [each for each in stage.library.events(record.run_id) if each.code is EventCode.LEDGER_NOT_FETCHED]
    assert (warning.client, warning.data["reason"]) == (1, "Not a directory")
    assert [path.name for path in (stage.home / "machines").rglob("*.ledger")] == ["client-1.ledger"]
