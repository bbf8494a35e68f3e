"""Whole runs whose clients share processes, as they do when their servers are on other machines.

There is no other machine here: this one is taken for it.
"""

import os
import signal
from collections.abc import Iterator

import pytest

from engine.driver import local_launcher, sharing
from engine.driver.run import Run
from engine.record.record import RunState
from engine.telemetry.event import EventKind
from tests.engine.conftest import BuiltStore
from tests.engine.driver.runs import OVER_SECONDS, Gathering, run_of, start_of, wait_for_orders
from tests.waiting import wait_until

CLIENTS = (1, 2, 3)
THREADS = 2


@pytest.fixture
def run(built_store: BuiltStore, sink: Gathering, monkeypatch: pytest.MonkeyPatch) -> Iterator[Run]:
    """The first client has a process to itself, the others share one."""
    monkeypatch.setattr(sharing, "is_this_machine", lambda name: False)
    monkeypatch.setattr(local_launcher, "usable_processors", lambda: 2)
    starts = [start_of(built_store.target, built_store.secret, client=client, threads=THREADS) for client in CLIENTS]
    run = run_of(*starts, sink=sink, warmup_seconds=0, measured_seconds=0)
    yield run
    run.stop_now()
    assert run.wait(OVER_SECONDS)


def every_client_has_ordered(sink: Gathering) -> bool:
    return all(sum(sample.of("order").n for sample in sink.of(client)) for client in CLIENTS)


def test_each_client_has_its_own_samples_and_each_process_its_own_cost(
    built_store: BuiltStore, run: Run, sink: Gathering
) -> None:
    before = built_store.count("orders")
    run.start()
    wait_until(lambda: (load := sink.load()) and load.heartbeat_ms.keys() == set(CLIENTS), "every heart is heard")
    pids = run.client_pids
    assert pids[2] == pids[3] != pids[1]
    wait_for_orders(sink, every_client_has_ordered)
    run.stop()
    assert run.wait(OVER_SECONDS)

    assert run.state is RunState.STOPPED
    assert sink.total("orders") > 0
    assert built_store.count("orders") - before == sink.total("purchases") - sink.total("rollbacks")
    for client in CLIENTS:
        assert [sample.second for sample in sink.of(client)] == list(range(len(sink.of(client))))
        assert sum(sample.of("order").n for sample in sink.of(client)) > 0
    summaries = sink.last_summaries()
    assert [(each.clients, each.unfinished_users) for each in summaries] == [((1,), 0), ((2, 3), 0)]
    assert all((each.clock_offset_ms or 0) >= 0 and each.cpu_user_seconds > 0 for each in summaries)


@pytest.mark.skipif(os.name == "nt", reason="there is no kill -9 here")
def test_ended_process_loses_all_its_clients_with_an_event_each(run: Run, sink: Gathering) -> None:
    run.start()
    wait_for_orders(sink, every_client_has_ordered)

    os.kill(run.client_pids[3], signal.SIGKILL)
    wait_until(lambda: len(sink.events_of(EventKind.CLIENT_LOST)) == 2, "both losses are told")
    assert set(run.client_pids) == {1}
    run.stop()
    assert run.wait(OVER_SECONDS)

    lost = sink.events_of(EventKind.CLIENT_LOST)
    assert {(event.client, event.detail) for event in lost} == {(2, "ended by signal 9"), (3, "ended by signal 9")}
    assert run.state is RunState.STOPPED
    measuring_to = run.phases.measuring_to
    assert measuring_to is not None
    assert {sample.second for sample in sink.of(1)} >= set(range(measuring_to))
    assert [summary.clients for summary in sink.last_summaries()] == [(1,)]
