"""How whole short runs end: stopped, at once or in order, failed, or without some of their clients."""

import os
import signal
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

import psutil
import pytest

from engine.audit.ledger_reading import read_ledger
from engine.driver.phase_clock import PhaseClock
from engine.driver.run import Run
from engine.faults.injector import Injector
from engine.record.record import Phases, RunState
from engine.telemetry.event import EventCode, EventKind
from tests.engine.conftest import BuiltStore
from tests.engine.driver.runs import (
    NOWHERE,
    OVER_SECONDS,
    THREADS,
    USERS_THERE,
    WITHOUT_WARM_UP,
    Gathering,
    run_of,
    start_of,
    two_clients,
    wait_for_orders,
    wait_for_state,
)
from tests.waiting import wait_until


def test_orderly_stop_keeps_all_samples(built_store: BuiltStore, sink: Gathering, ended: list[Run]) -> None:
    before = built_store.count("orders")
    run = two_clients(built_store, sink, warmup_seconds=0, measured_seconds=0)
    ended.append(run)
    run.start()
    wait_for_state(sink, RunState.MEASURING)
    measuring_from = run.phases.measuring_from
    assert measuring_from is not None
    wait_for_orders(sink, lambda sink: any(s.second > measuring_from and s.of("order").n for s in sink.samples))

    run.stop()
    assert run.wait(OVER_SECONDS)

    assert run.state is RunState.STOPPED
    assert sink.states == [*WITHOUT_WARM_UP[:-1], RunState.STOPPED]
    assert sink.events_of(EventKind.CLIENT_LOST) == []
    assert built_store.count("orders") - before == sink.total("purchases") - sink.total("rollbacks")
    assert run.phases.measuring_from == measuring_from
    assert run.phases.measuring_to is not None
    assert measuring_from < run.phases.measuring_to <= max(sample.second for sample in sink.samples)
    stopping = sink.events_of(EventKind.PHASE)[-1]
    assert (stopping.label, stopping.at_seconds) == ("stopping", float(run.phases.measuring_to))


def test_immediate_stop_leaves_no_process(built_store: BuiltStore, sink: Gathering, ended: list[Run]) -> None:
    run = two_clients(built_store, sink, warmup_seconds=0, measured_seconds=0)
    ended.append(run)
    run.start()
    wait_for_orders(sink, lambda sink: sink.total("orders") > 0)
    pids = run.client_pids

    run.stop_now()
    assert run.wait(OVER_SECONDS)

    assert run.state is RunState.STOPPED
    assert len(pids) == 2
    assert not any(psutil.pid_exists(pid) for pid in pids.values())
    assert sink.events_of(EventKind.CLIENT_LOST) == []
    assert sink.total("orders") > 0


def test_immediate_stop_keeps_complete_ledgers(
    built_store: BuiltStore, sink: Gathering, ended: list[Run], tmp_path: Path
) -> None:
    paths = [tmp_path / "a-run" / f"client-{client}.ledger" for client in (1, 2)]
    starts = [
        replace(start_of(built_store.target, built_store.secret, client=client, threads=THREADS), ledger=str(path))
        for client, path in enumerate(paths, start=1)
    ]
    before = built_store.count("orders")
    run = run_of(*starts, sink=sink, warmup_seconds=0, measured_seconds=0)
    ended.append(run)
    run.start()
    wait_for_orders(sink, lambda sink: sink.total("orders") > 0)
    counted = built_store.count("orders")
    wait_until(lambda: built_store.count("orders") > counted + 50, "there are orders that are in no sample")
    at_the_stop = built_store.count("orders")
    run.stop_now()
    assert run.wait(OVER_SECONDS)
    wait_until(lambda: built_store.count(USERS_THERE) == 0, "no user is left")

    in_ledgers = sum(len(read_ledger(path, "a-run", client).acknowledged) for client, path in enumerate(paths, start=1))
    # Of the orders that there were, each user may have had one whose answer had not come; later ones may be in none.
    assert at_the_stop - 2 * THREADS <= before + in_ledgers <= built_store.count("orders")


def test_error_at_the_end_does_not_block_the_end_of_the_run(
    built_store: BuiltStore, sink: Gathering, ended: list[Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    def faulty(*_: object) -> NoReturn:
        raise ValueError("a fault of our own")

    run = two_clients(built_store, sink, warmup_seconds=0, measured_seconds=0)
    ended.append(run)
    run.start()
    wait_for_orders(sink, lambda sink: sink.total("orders") > 0)
    pids = run.client_pids
    monkeypatch.setattr(Injector, "join", faulty)

    run.stop()
    assert run.wait(OVER_SECONDS)
    assert run.state is RunState.STOPPED
    assert len(pids) == 2
    assert not any(psutil.pid_exists(pid) for pid in pids.values())


def test_a_run_that_is_stopped_before_it_began_ends_quietly(
    built_store: BuiltStore, sink: Gathering, ended: list[Run], capfd: pytest.CaptureFixture[str]
) -> None:
    run = two_clients(built_store, sink)
    ended.append(run)

    run.stop()
    run.start()
    assert run.wait(OVER_SECONDS)

    assert run.state is RunState.STOPPED
    assert run.phases == Phases()
    assert sink.samples == []
    assert capfd.readouterr().err == ""


def test_a_stop_in_the_ramp_has_nothing_measured(sink: Gathering, ended: list[Run]) -> None:
    run = run_of(start_of(NOWHERE, None), sink=sink)
    ended.append(run)
    run.start()
    wait_until(lambda: sink.errors(), "refusals are reported", timeout_seconds=OVER_SECONDS)

    run.stop()
    assert run.wait(OVER_SECONDS)

    assert run.state is RunState.STOPPED
    assert run.phases == Phases()
    assert sink.states == [RunState.PREPARING, RunState.RAMPING, RunState.STOPPING, RunState.STOPPED]
    assert sink.errors().keys() == {"connection_lost"}
    assert sink.total("orders") == 0
    assert any(sample.reconnecting for sample in sink.samples)
    (refusal,) = sink.events_of(EventKind.TARGET_ERROR)
    assert refusal.label.startswith("connection_lost: Host 127.0.0.1 refused the connection on port 1.")


def test_refusing_target_does_not_block_others(
    built_store: BuiltStore, sink: Gathering, ended: list[Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    def well_is_connected(*_: object) -> bool:
        """It is told before the second of these samples."""
        return sum(sample.thinking == THREADS for sample in sink.of(1)) >= 2

    monkeypatch.setattr(PhaseClock, "ramp_is_overdue", well_is_connected)
    well, refused = start_of(built_store.target, built_store.secret, client=1), start_of(NOWHERE, None, client=2)
    run = run_of(well, refused, sink=sink, warmup_seconds=0, measured_seconds=1)
    ended.append(run)

    run.start()
    assert run.wait(OVER_SECONDS)

    assert sink.states == WITHOUT_WARM_UP
    (warning,) = [event for event in sink.events if event.code is EventCode.STARTED_INCOMPLETE]
    assert "without all users of ds2 #2" in warning.label
    assert sum(sample.of("order").n for sample in sink.of(1)) > 0
    assert sum(sample.of("order").n for sample in sink.of(2)) == 0
    assert [sample.second for sample in sink.of(2)] == list(range(len(sink.of(2))))


@pytest.mark.skipif(os.name == "nt", reason="there is no kill -9 here")
def test_the_seconds_of_a_killed_client_are_missing_and_the_others_go_on(
    built_store: BuiltStore, sink: Gathering, ended: list[Run]
) -> None:
    run = two_clients(built_store, sink, warmup_seconds=0, measured_seconds=0)
    ended.append(run)
    run.start()
    wait_for_state(sink, RunState.MEASURING)
    wait_for_orders(sink, lambda sink: sum(sample.of("order").n for sample in sink.of(2)) > 0)

    os.kill(run.client_pids[2], signal.SIGKILL)
    wait_until(lambda: sink.events_of(EventKind.CLIENT_LOST), "the loss is reported")
    assert set(run.client_pids) == {1}
    (lost,) = sink.events_of(EventKind.CLIENT_LOST)
    wait_for_orders(sink, lambda sink: any(s.second > lost.at_seconds + 1 and s.of("order").n for s in sink.of(1)))
    run.stop()
    assert run.wait(OVER_SECONDS)

    assert sink.states == [*WITHOUT_WARM_UP[:-1], RunState.STOPPED]
    assert sink.events_of(EventKind.CLIENT_LOST) == [lost]
    assert (lost.client, lost.label, lost.detail) == (2, "client ds2 #2 lost", "ended by signal 9")
    measuring_to = run.phases.measuring_to
    assert measuring_to is not None
    seconds = [sample.second for sample in sink.of(2)]
    assert seconds == list(range(len(seconds)))
    assert seconds[-1] <= lost.at_seconds
    assert seconds[-1] < measuring_to - 1
    assert {sample.second for sample in sink.of(1)} >= set(range(measuring_to))
    assert [summary.clients for summary in sink.last_summaries()] == [(1,)]


@pytest.mark.skipif(os.name == "nt", reason="there is no kill -9 here")
def test_a_run_that_lost_all_its_clients_failed_and_keeps_what_was_measured(
    built_store: BuiltStore, sink: Gathering, ended: list[Run]
) -> None:
    run = two_clients(built_store, sink, warmup_seconds=0, measured_seconds=60)
    ended.append(run)
    run.start()
    wait_for_state(sink, RunState.MEASURING)
    measuring_from = run.phases.measuring_from
    assert measuring_from is not None
    wait_for_orders(sink, lambda sink: any(s.second > measuring_from and s.of("order").n for s in sink.samples))

    for pid in run.client_pids.values():
        os.kill(pid, signal.SIGKILL)
    assert run.wait(OVER_SECONDS)

    assert run.state is RunState.FAILED
    assert run.failure == "No client was left."
    assert sink.states == [*WITHOUT_WARM_UP[:-1], RunState.FAILED]
    assert {event.client for event in sink.events_of(EventKind.CLIENT_LOST)} == {1, 2}
    assert run.phases.measuring_from == measuring_from
    assert run.phases.measuring_to is not None
    assert any(measuring_from <= s.second < run.phases.measuring_to and s.of("order").n for s in sink.samples)


@pytest.mark.skipif(os.name == "nt", reason="there is no kill -9 here")
def test_a_run_that_lost_its_client_in_the_ramp_failed_without_phases(sink: Gathering, ended: list[Run]) -> None:
    run = run_of(start_of(NOWHERE, None), sink=sink)
    ended.append(run)
    run.start()
    wait_for_state(sink, RunState.RAMPING)

    os.kill(run.client_pids[1], signal.SIGKILL)
    assert run.wait(OVER_SECONDS)

    assert run.state is RunState.FAILED
    assert run.phases == Phases()
