"""Runs for the library's widgets: lines of the table, and kept runs with curves and marks."""

from typing import Any

from engine.analysis.run_data import RunData
from engine.analysis.totals import RunTotals
from engine.plan.plan import RunPlan
from engine.record.record import Phases, RunRecord, RunState
from engine.report.run_listing import RunListing
from engine.telemetry.event import EventKind, RunEvent
from tests.app.runs import a_run
from tests.doubles.samples import dvd_sample

PHASES = Phases(warming_up_from=2, measuring_from=10, measuring_to=60)


def a_listing(number: int = 1, **changed: Any) -> RunListing:
    """A run's line; runs of higher numbers began later."""
    marks = changed.pop("marks", 0)
    return RunListing.of(a_run(minutes_later=60 * number, name=f"run {number}", **changed), marks=marks)


def listings(count: int) -> list[RunListing]:
    return [a_listing(number) for number in range(1, count + 1)]


def a_stored_run(
    *marks: tuple[float, str], name: str = "evening load", orders: int = 100, clients: int = 2, minutes_later: float = 0
) -> tuple[RunRecord, RunData]:
    """A minute of a run whose client ``n`` takes ``n`` times so many orders a second, with its marks."""
    plan = RunPlan(name=name, clients=clients, threads=8, think_time_ms=20)
    samples = [
        dvd_sample(client=client, second=second, orders=client * orders, order_us=client * orders * 4_000)
        for second in range(60)
        for client in range(1, clients + 1)
    ]
    totals = RunTotals("dvdstore", plan.client_plans(), PHASES).add_all(samples).totals()
    record = a_run(plan=plan, name=name, totals=totals, phases=PHASES, clients=clients, minutes_later=minutes_later)
    run = RunData(plan, run_id=record.run_id, name=name)
    for sample in samples:
        run.add(sample)
    for number, (at_seconds, label) in enumerate(marks, start=5):
        run.put_event(RunEvent(at_seconds=at_seconds, kind=EventKind.MARK, label=label, number=number, by_hand=True))
    run.totals, run.started_at = totals, record.started_at
    run.set_state(RunState.COMPLETED, PHASES)
    return record, run
