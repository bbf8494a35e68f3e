"""Spindle under measurement as the sections ask for it, and whether all that it counted is true."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.conduct.endpoint import Endpoint
from engine.databases.database import Timeouts
from engine.places import Places
from engine.plan.plan import RunPlan
from engine.secrets import Secret
from engine.target.target import Target
from engine.workload.registry import BROKERAGE, DVD_STORE
from tests.benchmarks import child
from tests.benchmarks.driven import Driven


@dataclass(frozen=True, kw_only=True)
class SpindleRun:
    """What a run did and cost (``driven``: all of its processes), and what it said of itself.

    ``client_cpu_us`` is what an order cost the client processes alone; ``connected_seconds`` went by from the start of
    the processes to the start of the clock; ``worst_tick_late_ms`` and ``client_peak_memory_mb`` are those of the worst
    client. ``measured_from`` is when the measured seconds began, by the wall clock; ``audit_remarks`` are what the
    audit and the run found wrong, ``audit_orders`` the audit's counts by class.
    """

    driven: Driven
    client_cpu_us: float
    connected_seconds: float
    worst_tick_late_ms: float
    client_peak_memory_mb: float
    counted: int
    rolled_back: int
    in_doubt: int
    in_ledgers: int
    audit: str
    audit_remarks: Sequence[str]
    audit_orders: Mapping[str, int]
    measured_from: float
    totals: dict[str, Any]


def drive(
    places: Places,
    plan: RunPlan,
    *,
    seconds: int,
    secret: Secret | None = None,
    as_from_elsewhere: bool = False,
    counted: Sequence[str] = (),
) -> SpindleRun:
    """A whole run in a process of its own; of the plan's measuring phase so many seconds are counted.

    ``as_from_elsewhere`` has the run take its servers for those of another machine. ``counted`` are the ids of the
    transactions that are counted as orders; empty: what the headline counts.
    """
    told = child.ask(
        "spindle_driver",
        {
            "home": str(places.home),
            "plan": plan.to_dict(),
            "seconds": seconds,
            "as_from_elsewhere": as_from_elsewhere,
            "secret": None if secret is None else secret.reveal(),
            "counted": list(counted),
        },
    )
    driven = child.driven_from_plain(told["driven"])
    return SpindleRun(
        driven=driven,
        client_cpu_us=told["clients_cpu_seconds"] / driven.orders * 1e6,
        connected_seconds=told["connected_seconds"],
        worst_tick_late_ms=told["worst_tick_late_ms"],
        client_peak_memory_mb=told["client_peak_memory_mb"],
        counted=told["counted"]["orders"],
        rolled_back=told["counted"]["rollbacks"],
        in_doubt=told["counted"]["in_doubt"],
        in_ledgers=told["in_ledgers"],
        audit=told["audit"],
        audit_remarks=told["audit_remarks"],
        audit_orders=told["audit_counts"],
        measured_from=driven.began_at,
        totals=told["totals"],
    )


_RECORDED = {BROKERAGE: ("trades", "completed trades")}
"""What a store calls the rows that the ledgers record, where that is not "orders"."""


def check_exactness(run: SpindleRun, targets: Sequence[Target], secret: Secret, workload: str = DVD_STORE) -> str:
    """One line: the orders that were counted, that the servers hold beyond what was built, and that the ledgers hold.

    The stores must have been as built before. Raises ``AssertionError`` when they are not the same.
    """
    stored = sum(orders_beyond(target, secret, workload) for target in targets)
    line = (
        f"counted {run.counted:,} = stored {stored:,} + rolled back {run.rolled_back:,}; in ledgers {run.in_ledgers:,};"
        f" audit: {run.audit}"
    )
    exact = run.counted == stored + run.rolled_back and run.in_ledgers == stored and run.in_doubt == 0
    if not exact or run.audit != "clean":
        raise AssertionError(f"NOT EXACT: {line}; in doubt {run.in_doubt:,}; {'; '.join(run.audit_remarks)}")
    return line


def orders_beyond(target: Target, secret: Secret, workload: str = DVD_STORE) -> int:
    """How many orders a store holds beyond those that it was built with."""
    state = Endpoint(target, secret).store(Timeouts(), workload).state()
    assert state is not None, "the store is built"
    return sum(state.beyond[each] for each in _RECORDED.get(workload, ("orders",)))
