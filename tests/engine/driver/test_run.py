"""Whole short runs with real client processes against the session's embedded server."""

import gc
import re
import sys
import time
from dataclasses import dataclass

import pytest

from engine.driver import saturation, workstation_monitor
from engine.driver.run import Run
from engine.driver.saturation import CLIENTS, LIMITS, Cause
from engine.driver.saturation_intervals import Limit
from engine.errors import BadInput, UserError
from engine.faults.planned import PlannedFault
from engine.histogram import unpack
from engine.record.record import Phases, RunState
from engine.telemetry.event import EventKind, RunEvent
from tests.engine.conftest import BuiltStore
from tests.engine.driver.runs import (
    OVER_SECONDS,
    THREADS,
    WHOLE_LIFE,
    Gathering,
    run_of,
    start_of,
    two_clients,
    wait_for_state,
)
from tests.waiting import wait_until


def test_garbage_collector_handles_only_young_objects_during_a_run(
    built_store: BuiltStore, sink: Gathering, ended: list[Run]
) -> None:
    usual = gc.get_threshold()
    run = two_clients(built_store, sink, warmup_seconds=0, measured_seconds=0)
    ended.append(run)
    run.start()
    wait_for_state(sink, RunState.MEASURING)
    assert gc.get_threshold()[2] > 1_000 * usual[2]
    run.stop()
    assert run.wait(OVER_SECONDS)
    assert gc.get_threshold() == usual


@dataclass(frozen=True)
class WholeRun:
    """A run that went its length, and by how much it made the store's tables grow."""

    run: Run
    sink: Gathering
    orders: int
    customers: int


@pytest.fixture(scope="module")
def whole(built_store: BuiltStore) -> WholeRun:
    sink = Gathering()
    orders, customers = built_store.count("orders"), built_store.count("customers")
    run = two_clients(built_store, sink)
    run.start()
    wait_for_state(sink, RunState.WARMING_UP)
    run.add_mark("cable pulled")
    assert run.wait(OVER_SECONDS)
    return WholeRun(run, sink, built_store.count("orders") - orders, built_store.count("customers") - customers)


def test_run_states_are_in_order(whole: WholeRun) -> None:
    assert whole.sink.states == WHOLE_LIFE
    assert whole.run.state is RunState.COMPLETED
    assert whole.run.failure == ""
    assert len(whole.sink.began) == 1
    assert whole.run.client_pids == {}
    assert {summary.clients: summary.unfinished_users for summary in whole.sink.last_summaries()} == {(1,): 0, (2,): 0}
    assert all(summary.cpu_user_seconds > 0 for summary in whole.sink.last_summaries())
    assert all((summary.health.heartbeat_max_ms or 0) > 0 for summary in whole.sink.last_summaries())
    if sys.platform == "linux":
        # A client holds a driver and some threads, and nothing of what this process has loaded.
        assert all(1 < (summary.peak_memory_mb or 0) < 100 for summary in whole.sink.last_summaries())


def test_clients_use_the_runs_clock(whole: WholeRun) -> None:
    offsets = [summary.clock_offset_ms for summary in whole.sink.last_summaries()]
    assert len(offsets) == 2
    assert all(offset is not None and offset >= 0 for offset in offsets), "no message arrives before it was sent"


def test_run_counts_equal_the_database(whole: WholeRun, built_store: BuiltStore) -> None:
    sink = whole.sink
    assert sink.total("orders") > 0
    assert sink.total("in_doubt") == 0
    assert set(sink.errors()) <= {"deadlock"}
    assert whole.orders == sink.total("purchases") - sink.total("rollbacks")
    assert whole.customers == sink.total("new_customers")
    assert sink.total("orders") == sum(
        sum(unpack(sample.of("order").histogram or b"").values()) for sample in sink.samples
    )
    assert built_store.wrong_checks() == []


def test_every_client_has_a_sample_for_every_second(whole: WholeRun) -> None:
    connected, measuring_to = whole.run.phases.warming_up_from, whole.run.phases.measuring_to
    assert connected is not None
    assert measuring_to is not None
    for client in (1, 2):
        samples = whole.sink.of(client)
        assert [sample.second for sample in samples] == list(range(len(samples)))
        assert len(samples) >= measuring_to
        users = [sample.working + sample.thinking + sample.reconnecting + sample.down for sample in samples]
        assert users == [THREADS] * len(samples)
        assert {sample.down for sample in samples[connected - 1 : measuring_to - 1]} == {0}
        assert samples[-1].down == THREADS


def test_phases_have_whole_seconds_and_planned_lengths(whole: WholeRun) -> None:
    phases = whole.run.phases
    assert whole.sink.phases == phases
    assert phases.warming_up_from is not None
    assert phases.measuring_from == phases.warming_up_from + 1
    assert phases.measuring_to == phases.measuring_from + 2
    assert [(event.label, event.at_seconds) for event in whole.sink.events_of(EventKind.PHASE)] == [
        ("ramping", 0.0),
        ("warming up", float(phases.warming_up_from)),
        ("measuring", float(phases.measuring_from)),
        ("stopping", float(phases.measuring_to)),
    ]


def test_manual_mark_is_recorded(whole: WholeRun) -> None:
    (mark,) = whole.sink.events_of(EventKind.MARK)
    assert (mark.label, mark.by_hand, mark.client) == ("cable pulled", True, None)
    assert mark.at_seconds > 0


def test_every_event_has_its_own_number(whole: WholeRun) -> None:
    numbers = [event.number for event in whole.sink.events]
    assert sorted(numbers) == list(range(1, len(numbers) + 1))


def test_finished_run_refuses_changes(whole: WholeRun) -> None:
    before = list(whole.sink.events)

    with pytest.raises(UserError, match="the run is over; open it in the library"):
        whole.run.add_mark("late")
    with pytest.raises(UserError, match="the run is completed"):
        whole.run.extend(60)
    whole.run.add_event(EventKind.LIBRARY, "too late to be stored")

    assert whole.sink.events == before


def test_mark_time_is_that_of_the_key_press_and_can_be_changed(
    built_store: BuiltStore, sink: Gathering, ended: list[Run]
) -> None:
    run = two_clients(built_store, sink, warmup_seconds=0, measured_seconds=0)
    ended.append(run)
    early = run.add_mark("before there was a run", at_monotonic=time.monotonic())
    run.start()
    wait_for_state(sink, RunState.MEASURING)
    wait_until(lambda: run.timebase.at(time.monotonic()) > 0.5, "the key press is after the epoch")

    first = run.add_mark("Enclosure pulled", at_monotonic=run.timebase.moment(0.25))
    second = run.add_mark("Restored", detail="by remote hands")
    wait_until(lambda: len(sink.events_of(EventKind.MARK)) == 3, "the marks are stored")
    run.change_mark(first, label="Enclosure A pulled", at_seconds=0.5)
    run.remove_mark(second)
    wait_until(lambda: len(sink.events_of(EventKind.MARK)) == 2, "the changes are stored")
    with pytest.raises(UserError, match=f"event {second} is not a mark of this run"):
        run.remove_mark(second)
    with pytest.raises(BadInput, match="a mark's time is -1 s"):
        run.change_mark(first, at_seconds=-1)
    phase = sink.events_of(EventKind.PHASE)[0].number
    with pytest.raises(UserError, match=f"event {phase} is not a mark of this run"):
        run.change_mark(phase, label="mine")
    run.stop()
    assert run.wait(OVER_SECONDS)

    marks = {mark.number: mark for mark in sink.events_of(EventKind.MARK)}
    assert marks.keys() == {early, first}
    assert (marks[early].at_seconds, marks[early].by_hand) == (0.0, True)
    assert (marks[first].at_seconds, marks[first].label) == (0.5, "Enclosure A pulled")


def test_planned_marks_are_set_at_their_times(built_store: BuiltStore, sink: Gathering, ended: list[Run]) -> None:
    faults = [PlannedFault(at_seconds=at_seconds, label=f"at {at_seconds}") for at_seconds in (1.9, 0.0, 0.75)]
    start = start_of(built_store.target, built_store.secret)
    run = run_of(start, sink=sink, warmup_seconds=1, measured_seconds=2, faults=faults)
    ended.append(run)

    run.start()
    assert run.wait(OVER_SECONDS)

    measuring_from = run.phases.measuring_from
    assert measuring_from is not None
    assert [(mark.label, mark.at_seconds, mark.by_hand) for mark in sink.events_of(EventKind.MARK)] == [
        ("at 0.0", measuring_from + 0.0, False),
        ("at 0.75", measuring_from + 0.75, False),
        ("at 1.9", measuring_from + 1.9, False),
    ]


def test_an_extended_run_measures_that_much_longer(built_store: BuiltStore, sink: Gathering, ended: list[Run]) -> None:
    run = two_clients(built_store, sink, warmup_seconds=1, measured_seconds=3)
    ended.append(run)
    with pytest.raises(
        UserError, match="the run is preparing; only while it ramps, warms up or measures it can be extended"
    ):
        run.extend(60)
    run.start()
    wait_for_state(sink, RunState.WARMING_UP)
    for seconds in (0, -60):
        with pytest.raises(BadInput, match=f"extend by {seconds} s is too short"):
            run.extend(seconds)

    run.extend(1)
    wait_until(lambda: sink.phases == run.phases != Phases(), "the new end is stored")
    measuring_from, planned_end = sink.phases.measuring_from, sink.phases.measuring_to
    assert run.wait(OVER_SECONDS)

    assert measuring_from is not None
    assert planned_end == measuring_from + 4
    assert run.phases == Phases(
        warming_up_from=measuring_from - 1, measuring_from=measuring_from, measuring_to=planned_end
    )
    assert list(dict.fromkeys(sink.states)) == WHOLE_LIFE
    (extended,) = [event for event in sink.events_of(EventKind.PHASE) if "extended" in event.label]
    assert (extended.label, extended.by_hand) == ("extended by 1 s", True)
    for client in (1, 2):
        assert {sample.second for sample in sink.of(client)} >= set(range(planned_end))


def test_workstation_bottleneck_is_reported_once(
    built_store: BuiltStore, sink: Gathering, ended: list[Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    always = {CLIENTS: Limit(begins=0.0, ends=0.0)}
    for module in (workstation_monitor, saturation):
        monkeypatch.setattr(module, "LIMITS", LIMITS | {Cause.BOTTLENECK: always})
    monkeypatch.setattr(workstation_monitor, "WINDOW_SECONDS", 1.0)
    run = two_clients(built_store, sink, warmup_seconds=0, measured_seconds=0)
    ended.append(run)
    run.start()

    def reported() -> list[RunEvent]:
        return [event for event in sink.events_of(EventKind.WARNING) if "bottleneck" in event.label]

    wait_until(lambda: (load := sink.load()) and load.is_bottleneck, "the clients use more than nothing")
    wait_until(reported, "it is reported")
    run.stop()
    assert run.wait(OVER_SECONDS)

    (warning,) = reported()
    assert re.match(r"the workstation was the bottleneck for \d+ s: the clients used up to", warning.label)
    assert (warning.client, warning.by_hand) == (None, False)


def test_run_until_stopped_can_not_be_extended(built_store: BuiltStore, sink: Gathering, ended: list[Run]) -> None:
    run = two_clients(built_store, sink, warmup_seconds=0, measured_seconds=0)
    ended.append(run)
    run.start()
    wait_for_state(sink, RunState.MEASURING)

    run.extend(60)
    wait_until(lambda: (load := sink.load()) and load.busiest_process_pct > 0, "what the clients use is known")

    assert run.phases.measuring_to is None
    run.stop()
    assert run.wait(OVER_SECONDS)
    assert not [event for event in sink.events if "extended" in event.label]
