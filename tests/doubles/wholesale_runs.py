"""Runs of Wholesale to show: every second the same transactions, whose times are told apart by their limits."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

from engine.analysis.run_data import RunData
from engine.analysis.totals import RunTotals
from engine.histogram import bucket_of, pack
from engine.library.library import Library
from engine.library.run_id import new_run_id
from engine.plan.plan import RunPlan
from engine.record.record import Phases, RunRecord, RunState
from engine.telemetry.sample import Count, Sample
from engine.workload.registry import WHOLESALE
from engine.workloads.wholesale.sizing import Warehouses

SECONDS = 40
PHASES = Phases(warming_up_from=5, measuring_from=10, measuring_to=SECONDS)
NOPM = 60 * 45  # of each client
TPM = 60 * 100
_A_SECOND = {"new_order": (45, 12_000), "payment": (43, 5_000), "order_status": (4, 4_000), "delivery": (4, 6_000_000)}
_STARTED_AT = datetime(2026, 11, 22, 9, tzinfo=UTC)


def a_wholesale_sample(client: int, second: int) -> Sample:
    """100 transactions of eight users; Deliveries take 6 s, more than their limit."""
    transactions = {
        name: Count(n, n * us, us, pack({bucket_of(us): n}))
        for name, (n, us) in {**_A_SECOND, "stock_level": (4, 9_000)}.items()
    }
    return Sample(client=client, second=second, working=5, thinking=3, transactions=transactions)


def a_wholesale_plan(clients: int = 2, name: str = "wholesale") -> RunPlan:
    return RunPlan(
        name=name,
        workload=WHOLESALE,
        clients=clients,
        threads=8,
        minutes=(SECONDS - 10) / 60,
        parameters={"warehouses": Warehouses(10)},
    )


def a_wholesale_run(clients: int = 2, *, is_over: bool = False) -> RunData:
    """A run that measures, or that was measured completely."""
    plan = a_wholesale_plan(clients)
    run = RunData(plan, run_id="20261122-090000-aaaa")
    run.set_state(RunState.MEASURING, PHASES)
    for sample in _samples(clients):
        run.add(sample)
    run.started_at = _STARTED_AT
    if is_over:
        run.totals = RunTotals(WHOLESALE, plan.client_plans(), PHASES).add_all(_samples(clients)).totals()
        run.set_state(RunState.COMPLETED, PHASES)
    return run


def a_wholesale_record(clients: int = 2, *, minutes_later: float = 0, name: str = "wholesale") -> RunRecord:
    """The record of the completed run."""
    plan, started_at = a_wholesale_plan(clients, name), _STARTED_AT + timedelta(minutes=minutes_later)
    return RunRecord(
        run_id=new_run_id(started_at),
        plan=plan,
        client_labels=tuple(client.label for client in plan.client_plans()),
        state=RunState.COMPLETED,
        started_at=started_at,
        ended_at=started_at + timedelta(seconds=SECONDS),
        phases=PHASES,
        totals=RunTotals(WHOLESALE, plan.client_plans(), PHASES).add_all(_samples(clients)).totals(),
        environment={},
        name=name,
    )


def keep_wholesale(home: Path, *records: RunRecord) -> None:
    """Put such records into the library of a home, with their samples."""
    with Library.open(home / "library.sqlite", notify=print) as library:
        for record in records:
            library.add_imported(record, _samples(len(record.client_labels)), ())


def _samples(clients: int) -> list[Sample]:
    return [a_wholesale_sample(client, second) for second in range(SECONDS) for client in range(1, clients + 1)]
