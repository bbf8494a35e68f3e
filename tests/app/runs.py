"""Runs to list, show and export: records with true totals, computed from their samples."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from engine.analysis.totals import RunTotals
from engine.histogram import bucket_of, pack
from engine.library.library import Library
from engine.library.run_id import new_run_id
from engine.plan.plan import RunPlan
from engine.record.record import Phases, RunRecord, RunState
from engine.telemetry.event import EventKind, RunEvent
from engine.telemetry.sample import Sample
from engine.workloads.dvdstore.sizing import DbSize
from tests.doubles.samples import dvd_sample

STARTED_AT = datetime(2026, 11, 21, 4, 30, 17, tzinfo=UTC)
PHASES = Phases(warming_up_from=1, measuring_from=3, measuring_to=9)
SECONDS = 9
EVENTS = (
    RunEvent(at_seconds=0.0, kind=EventKind.PHASE, label="ramping"),
    RunEvent(at_seconds=4.5, kind=EventKind.CONNECTION_LOST, label="connection lost", client=1, detail="[gone]"),
)


def a_sample(client: int, second: int, **changed: Any) -> Sample:
    """A second of eight orders and more, each of 4 ms, by eight users."""
    orders = 8 + second
    values: dict[str, Any] = {
        "working": 3,
        "thinking": 5,
        "orders": orders,
        "purchases": orders,
        "logins": orders - 2,
        "new_customers": 2,
        "browses": 3 * orders,
        "rollbacks": 1,
        "order_us": 4_000 * orders,
        "order_us_max": 9_000,
        "login_us": 1_000 * (orders - 2),
        "new_customer_us": 2_000,
        "browse_us": 3_000 * orders,
        "purchase_us": 1_500 * orders,
        "histogram": pack({bucket_of(4_000): orders}),
    }
    return dvd_sample(client=client, second=second, **(values | changed))


def samples_of(clients: int) -> list[Sample]:
    return [a_sample(client, second) for second in range(SECONDS) for client in range(1, clients + 1)]


def a_run(*, clients: int = 2, minutes_later: float = 0, **changed: Any) -> RunRecord:
    """A completed run of ``clients`` with eight users each."""
    plan = RunPlan(
        name="evening load",
        clients=clients,
        threads=8,
        think_time_ms=20,
        minutes=0.1,
        parameters={"db_size": DbSize(100, "MB")},
    )
    started_at = STARTED_AT + timedelta(minutes=minutes_later)
    values: dict[str, Any] = {
        "run_id": new_run_id(started_at),
        "plan": plan,
        "client_labels": tuple(client.label for client in plan.client_plans()),
        "state": RunState.COMPLETED,
        "started_at": started_at,
        "ended_at": started_at + timedelta(seconds=SECONDS),
        "phases": PHASES,
        "totals": RunTotals("dvdstore", plan.client_plans(), PHASES).add_all(samples_of(clients)).totals(),
        "environment": {"servers": [{"product": "PostgreSQL", "version": "18.6", "target": "embedded:///ds2"}]},
        "name": plan.name,
    }
    return RunRecord(**(values | changed))


def keep(home: Path, *records: RunRecord, events: Sequence[RunEvent] = EVENTS) -> None:
    """Put finished runs into the library of a home, with their samples and events."""
    with Library.open(home / "library.sqlite", notify=print) as library:
        for record in records:
            library.add_imported(record, samples_of(len(record.client_labels)), events)


def keep_only(home: Path, *records: RunRecord, events: Sequence[RunEvent] = EVENTS) -> None:
    """The same, once other runs, their sets and configurations are gone from the library for good, and its bin is
    empty."""
    with Library.open(home / "library.sqlite", notify=print) as library:
        for run_set in library.sets.all():
            library.sets.delete(run_set.name)
        for run in library.runs():
            library.delete(run.run_id)
        library.bin.empty()
        for configuration in library.configurations.all():
            library.configurations.delete(configuration.name)
    keep(home, *records, events=events)


def keep_deleted(home: Path, record: RunRecord) -> None:
    """Put a run into the library of a home, and delete it: it is in the bin."""
    keep(home, record)
    with Library.open(home / "library.sqlite", notify=print) as library:
        library.delete(record.run_id)
