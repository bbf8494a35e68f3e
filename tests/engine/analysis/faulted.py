"""Runs with faults, made of orders by client and second, for the tests of the recovery analysis."""

from collections.abc import Iterable, Sequence

import numpy as np

from engine.analysis.run_data import RunData
from engine.plan.plan import RunPlan
from engine.record.record import Phases, RunState
from engine.telemetry.event import EventKind, RunEvent
from tests.doubles.samples import dvd_sample

UNKNOWN = None
Orders = Sequence[int | None]


def run_of(
    *clients: Orders,
    measuring_from: int = 0,
    measuring_to: int | None = None,
    over: bool = False,
    databases: int = 1,
) -> RunData:
    """A run whose clients took these orders second by second; ``None`` is a second that is not known."""
    run = RunData(RunPlan(clients=len(clients) // databases, databases=databases, threads=8))
    for second in range(max(map(len, clients))):
        tell(run, [orders[second] if second < len(orders) else None for orders in clients], second)
    state = RunState.COMPLETED if over else RunState.MEASURING
    run.set_state(state, Phases(warming_up_from=0, measuring_from=measuring_from, measuring_to=measuring_to))
    return run


def tell(run: RunData, orders: Iterable[int | None], second: int) -> None:
    """Add one second of every client."""
    for client, taken in enumerate(orders, 1):
        if taken is not None:
            run.add(dvd_sample(client=client, second=second, orders=taken, working=8))


def fault(at_seconds: float, number: int = 1, label: str = "Kill primary") -> RunEvent:
    return RunEvent(at_seconds=at_seconds, kind=EventKind.MARK, label=label, number=number, is_fault=True)


def with_faults(run: RunData, *at_seconds: float) -> RunData:
    """The run with faults, numbered from 1."""
    for number, at in enumerate(at_seconds, 1):
        run.put_event(fault(at, number, f"Fault {number}"))
    return run


def constant(seconds: int, orders: int = 100) -> list[int]:
    return [orders] * seconds


def noisy(seconds: int, orders: int, spread: float, seed: int = 1) -> list[int]:
    """Orders with so much scatter, as a share of their mean."""
    return [int(each) for each in np.random.default_rng(seed).normal(orders, spread * orders, seconds).clip(0)]
