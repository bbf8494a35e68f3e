"""Runs for the library's widgets: lines of the table, and kept runs with curves and marks."""

from dataclasses import replace
from typing import Any

from engine.analysis.loads_data import LoadsData
from engine.analysis.run_data import RunData
from engine.analysis.totals import RunTotals
from engine.plan.plan import RunPlan
from engine.record.record import Phases, RunRecord, RunState
from engine.record.totals import totals_of_loads
from engine.report.run_listing import RunListing
from engine.telemetry.event import EventKind, RunEvent
from engine.telemetry.sample import Count, Sample
from tests.app.runs import a_run
from tests.doubles.samples import dvd_sample

PHASES = Phases(warming_up_from=2, measuring_from=10, measuring_to=60)


def a_listing(number: int = 1, **changed: Any) -> RunListing:
    """A run's line; runs of higher numbers began later."""
    faults = changed.pop("faults", 0)
    return RunListing.of(a_run(minutes_later=60 * number, name=f"run {number}", **changed), faults=faults)


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


MIXED = RunPlan.from_dict(
    {
        "targets": ["postgresql://me@db1/ds2"],
        "threads": 8,
        "audit": True,
        "load": [{"workload": "mail", "targets": ["mail://user@mx.lab/example.org"], "threads": 100}],
    }
)


def a_stored_mixed_run() -> tuple[RunRecord, LoadsData]:
    """A minute of a run of DVD Store and mail, whose mail server is away for ten seconds, with a mark there."""
    loads = LoadsData(MIXED, name="both")
    parts = [RunTotals(load.workload, load.client_plans(), PHASES) for load in MIXED.loads]
    for second in range(60):
        tasks = 0 if 30 <= second < 40 else 20
        for number, sample in enumerate(
            (
                dvd_sample(client=1, second=second, orders=100, order_us=400_000),
                Sample(client=2, second=second, working=100, transactions={"task": Count(tasks, 90, 9)}),
            )
        ):
            loads.add(sample)
            parts[number].add_all([replace(sample, client=1)])
    for event in (
        RunEvent(at_seconds=30.0, kind=EventKind.MARK, label="pulled", number=5, is_fault=True, by_hand=True),
        RunEvent(at_seconds=30.5, kind=EventKind.CONNECTION_LOST, label="lost", client=2, number=6),
    ):
        loads.put_event(event)
    totals = totals_of_loads([part.totals() for part in parts])
    labels = tuple(client.label for client in MIXED.client_plans())
    record = a_run(plan=MIXED, name="both", totals=totals, phases=PHASES, client_labels=labels)
    loads.set_totals(totals)
    loads.begin(record.started_at)
    loads.set_state(RunState.COMPLETED, PHASES)
    return record, loads
