"""Whole runs whose real server stands still when measuring ends: what the orders due meanwhile are charged to."""

import time
from dataclasses import replace

from engine.analysis.totals import RunTotals
from engine.driver.run import Run
from engine.plan.clients import ClientPlan
from engine.record.record import RunState
from engine.telemetry.event import EventKind
from tests.doubles.frozen import frozen
from tests.engine.conftest import BuiltStore
from tests.engine.driver.drills import PATIENT, THREADS
from tests.engine.driver.runs import OVER_SECONDS, Gathering, run_of, start_of, wait_for_orders, wait_for_state

THINK_TIME_MS = 50
MEASURED_SECONDS = 8
WAITING = " users were waiting when measuring ended, for up to "


def begun(
    store: BuiltStore, sink: Gathering, ended: list[Run], measured_seconds: int, think_time_ms: float = THINK_TIME_MS
) -> Run:
    """A run that is being measured, and has told some seconds with orders."""
    start = start_of(store.target, store.secret, threads=THREADS, timeouts=PATIENT)
    start = replace(start, think_time_ms=think_time_ms)
    run = run_of(start, sink=sink, warmup_seconds=0, measured_seconds=measured_seconds)
    ended.append(run)
    run.start()
    wait_for_state(sink, RunState.MEASURING)
    wait_for_orders(sink, lambda told: sum(sample.of("order").n > 0 for sample in told.samples) >= 2)
    return run


def test_stall_beyond_measuring_is_charged_once_to_the_last_second(
    built_store: BuiltStore, sink: Gathering, ended: list[Run]
) -> None:
    run = begun(built_store, sink, ended, MEASURED_SECONDS)
    with built_store.connect() as connection, frozen(connection):
        froze_at = run.timebase.at(time.monotonic())
        wait_for_state(sink, RunState.STOPPING)
    assert run.wait(OVER_SECONDS)

    assert run.state is RunState.COMPLETED
    end = sink.phases.measuring_to
    assert end is not None
    client = ClientPlan(number=1, label="ds2", target=built_store.target)
    totals = RunTotals("dvdstore", [client], sink.phases).add_all(sink.samples).totals()
    mean_ms = totals.times.mean
    due = THREADS * 1000 * (end - froze_at) / (THINK_TIME_MS + mean_ms)
    (last,) = [sample for sample in sink.samples if sample.second == end - 1]
    assert last.overdue
    assert 0.4 * due < totals.overdue < 1.6 * due
    assert totals.times.p50 < 500 < totals.intended.p99
    assert not any(WAITING in event.label for event in sink.events_of(EventKind.WARNING))


def test_waiting_users_of_a_stopped_run_are_reported(
    built_store: BuiltStore, sink: Gathering, ended: list[Run]
) -> None:
    run = begun(built_store, sink, ended, measured_seconds=0)
    with built_store.connect() as connection, frozen(connection):
        samples = len(sink.samples)
        wait_for_orders(sink, lambda told: len(told.samples) >= samples + 3)
        run.stop()
        wait_for_orders(sink, lambda told: any(WAITING in event.label for event in told.events))
    assert run.wait(OVER_SECONDS)

    (warning,) = [event for event in sink.events_of(EventKind.WARNING) if WAITING in event.label]
    users, _, longest = warning.label.removesuffix(" s").partition(WAITING)
    assert int(users) == THREADS
    assert 1.5 < float(longest) < 10


def test_healthy_run_reports_no_waiting_users(built_store: BuiltStore, sink: Gathering, ended: list[Run]) -> None:
    # So seldom does a user order that no two wait for an answer when a busy machine has the run stopped.
    run = begun(built_store, sink, ended, measured_seconds=0, think_time_ms=10_000)
    run.stop()
    assert run.wait(OVER_SECONDS)

    assert not [event for event in sink.events_of(EventKind.WARNING) if WAITING in event.label]
