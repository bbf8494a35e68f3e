"""Runs as a lab would measure them, for the pictures: Poisson transactions, log-normal response times, a failover."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np

from engine.analysis.host.measurement import HostMeasurement
from engine.analysis.host.series import HostSeries
from engine.analysis.run_data import RunData
from engine.analysis.totals import RunTotals
from engine.histogram import pack
from engine.library.run_id import new_run_id
from engine.plan.plan import RunPlan
from engine.record.record import Phases, RunRecord, RunState
from engine.target.target import Target
from engine.telemetry.event import EventKind, RunEvent
from engine.telemetry.sample import Count, Sample
from engine.telemetry.workstation import WorkstationLoad
from engine.workload.registry import BROKERAGE, DVD_STORE, MAIL, STORAGE, WHOLESALE
from engine.workloads.brokerage.deck import DECK
from tests.doubles.samples import dvd_sample
from tests.engine.events import connections_lost

STARTED_AT = datetime(2026, 11, 21, 14, 5, 9, tzinfo=UTC)
THREADS = 32
_RAMP, _WARM_UP = 10, 20
_FAILOVER_AT, _BLACKOUT_SECONDS, _SLOW_SECONDS = 150, 3, 14
_ORDERS_PER_SECOND = 400
_SHARES = {"new_order": 0.45, "payment": 0.43, "order_status": 0.04, "delivery": 0.04, "stock_level": 0.04}
_MAIL_SHARES = {"check": 0.08, "read": 0.5, "send": 0.06, "reply": 0.06, "move": 0.1, "delete": 0.17, "calendar": 0.03}
_TASKS_PER_ORDER = 0.04
_SCALES = {
    DVD_STORE: {"db_size": "40GB"},
    WHOLESALE: {"warehouses": "100"},
    BROKERAGE: {"customers": 5000, "days": 10},
    STORAGE: {"file_size": "51200MB", "queue_depth": 8, "read_pct": 70},
    MAIL: {"mailboxes": 500, "mailbox_mb": 100.0, "profile": "average", "rate_factor": 20.0},
}


@dataclass(frozen=True, kw_only=True)
class Measured:
    """What is measured of a run until now: its plan, samples, phases and events."""

    plan: RunPlan
    samples: list[Sample]
    phases: Phases
    events: list[RunEvent]


def measure(
    *,
    name: str = "R630 SSD, kill primary",
    clients: int = 4,
    seconds: int = 330,
    seed: int = 1,
    minutes: float = 5.0,
    workload: str = DVD_STORE,
) -> Measured:
    """Measure ``seconds`` of a run that is planned for ``minutes`` after its warm-up."""
    random = np.random.default_rng(seed)
    urls = {
        MAIL: [f"mail://user@mx{number}.lab/example{number}.org" for number in range(1, clients + 1)],
        STORAGE: [f"storage://r630-a/data{number}/spindle-file" for number in range(1, clients + 1)],
    }.get(workload, [])
    targets: dict[str, Any] = (
        {"targets": tuple(Target.parse(url)[0] for url in urls)} if urls else {"databases": clients}
    )
    plan = RunPlan(
        **targets,
        name=name,
        threads=THREADS,
        think_time_ms=0 if urls else 20,
        ramp_rate=THREADS / _RAMP,
        warmup_minutes=_WARM_UP / 60,
        minutes=minutes,
        note="Enclosure 2, write cache off",
        workload=workload,
        parameters=_SCALES[workload],
    )
    sample = {
        DVD_STORE: _sample,
        WHOLESALE: _wholesale_sample,
        BROKERAGE: _brokerage_sample,
        MAIL: _mail_sample,
        STORAGE: _storage_sample,
    }[workload]
    samples = [sample(random, client, second) for second in range(seconds) for client in range(1, clients + 1)]
    measuring_from = _RAMP + _WARM_UP
    planned_end = measuring_from + round(60 * minutes)
    phases = Phases(warming_up_from=_RAMP, measuring_from=measuring_from, measuring_to=planned_end)
    losing = clients if workload != STORAGE else 0  # its programs have no connections
    events = [event for event in _events(losing) if event.at_seconds < seconds]
    return Measured(plan=plan, samples=samples, phases=phases, events=events)


def a_record(measured: Measured, *, minutes_later: float = 0, **changed: Any) -> RunRecord:
    """The record of a run that was measured to its end."""
    started_at = STARTED_AT + timedelta(minutes=minutes_later)
    plan = measured.plan
    seconds = measured.samples[-1].second + 1
    phases = replace(measured.phases, measuring_to=seconds)
    values: dict[str, Any] = {
        "run_id": new_run_id(started_at),
        "plan": plan,
        "client_labels": tuple(client.label for client in plan.client_plans()),
        "state": RunState.COMPLETED,
        "started_at": started_at,
        "ended_at": started_at + timedelta(seconds=seconds),
        "phases": phases,
        "totals": RunTotals(plan.workload, plan.client_plans(), phases).add_all(measured.samples).totals(),
        "environment": {"servers": [_server(plan)]},
        "name": plan.name,
        "note": plan.note,
    }
    return RunRecord(**(values | changed))


def _server(plan: RunPlan) -> dict[str, Any]:
    if plan.workload == MAIL:
        return {"product": "mail server", "version": "Dovecot", "target": plan.targets[0].url}
    if plan.workload == STORAGE:
        return {"product": "fio", "version": "3.33", "target": plan.targets[0].url}
    return {"product": "PostgreSQL", "version": "18.6", "target": "embedded:///ds2"}


def a_running_run(measured: Measured) -> RunData:
    """The run while it goes on."""
    run = RunData(measured.plan, run_id=new_run_id(STARTED_AT))
    run.set_state(RunState.MEASURING, measured.phases)
    for sample in measured.samples:
        run.add(sample)
    for number, event in enumerate(measured.events, start=1):
        run.put_event(replace(event, number=number))
    run.workstation = WorkstationLoad(
        second=run.end - 1, machine_pct=41.0, clients_pct=13.0, busiest_process_pct=7.0, is_bottleneck=False
    )
    return run


def a_host_measurement(record: RunRecord, seconds: int) -> HostMeasurement:
    """Processor, disk and power beside the run."""
    random = np.random.default_rng(7)
    utc = record.started_at.timestamp() + np.arange(seconds)
    shapes = (
        ("Processor Time", "%", "_Total", 48, 6),
        ("Processor Time", "%", "0", 61, 9),
        ("Disk Writes", "1/s", "C:", 3_400, 300),
        ("Disk Reads", "1/s", "C:", 900, 120),
        ("Power", "W", "", 412, 8),
    )
    series = tuple(
        HostSeries(
            source="r630-a",
            device=device,
            name=label,
            unit=unit,
            utc_seconds=utc,
            values=random.normal(mean, by, seconds),
        )
        for label, unit, device, mean, by in shapes
    )
    return HostMeasurement(number=1, kind="performance monitor", file_name="r630-a.csv", series=series)


def _sample(random: np.random.Generator, client: int, second: int) -> Sample:
    since_fault = second - _FAILOVER_AT
    if 0 <= since_fault < _BLACKOUT_SECONDS:
        return dvd_sample(
            client=client, second=second, reconnecting=THREADS, errors={"connection_lost": 12 - 3 * since_fault}
        )
    users = min(THREADS, 1 + 3 * second)
    slow = 1 + 2.5 * np.exp(-(since_fault - _BLACKOUT_SECONDS) / 4) if 0 <= since_fault < _SLOW_SECONDS else 1.0
    orders = int(random.poisson(_ORDERS_PER_SECOND * (1 + 0.03 * client) * users / THREADS / slow))
    times_us = random.lognormal(np.log(9_000 * slow), 0.45, orders)
    times_us[random.random(orders) < 0.004] *= 12
    whole_us = times_us.astype(int)
    total_us = int(whole_us.sum())
    new_customer_us, login_us, browse_us = total_us // 20, total_us // 5, total_us // 3
    working = min(users, round(users * 0.3 * slow))
    return dvd_sample(
        client=client,
        second=second,
        working=working,
        thinking=users - working,
        orders=orders,
        new_customers=orders // 5,
        logins=orders - orders // 5,
        browses=3 * orders,
        purchases=orders,
        rollbacks=orders // 50,
        order_us=total_us,
        order_us_max=int(whole_us.max(initial=0)),
        new_customer_us=new_customer_us,
        login_us=login_us,
        browse_us=browse_us,
        purchase_us=total_us - new_customer_us - login_us - browse_us,
        histogram=_histogram(whole_us),
        overdue=b"",
    )


def _wholesale_sample(random: np.random.Generator, client: int, second: int) -> Sample:
    """The same second of Wholesale's five transactions, of which a Delivery takes ten times as long as a Payment."""
    whole = _sample(random, client, second)
    factors = {"new_order": 1.0, "payment": 0.4, "order_status": 0.3, "delivery": 4.0, "stock_level": 0.8}
    transactions = {}
    for transaction, share in _SHARES.items():
        count = int(random.poisson(share * whole.of("order").n))
        mean_us = whole.of("order").sum_us / max(1, whole.of("order").n)
        times_us = random.lognormal(np.log(max(1.0, mean_us * factors[transaction])), 0.5, count).astype(int)
        transactions[transaction] = _count(times_us)
    rolled_back = transactions["new_order"].n // 100
    transactions["rolled_back"] = _count(np.full(rolled_back, 6_000))
    return replace(whole, transactions=transactions, rollbacks=rolled_back)


def _brokerage_sample(random: np.random.Generator, client: int, second: int) -> Sample:
    """The same second of Brokerage's transactions, of which those that write take four times as long as the others."""
    whole = _sample(random, client, second)
    orders = whole.of("order")
    mean_us = orders.sum_us / max(1, orders.n)
    transactions = {}
    for transaction, cards in {
        "trade_result": 100,
        **DECK,
        "trade_order": 100,
        "market_feed": 10,
        "rolled_back": 1,
    }.items():
        factor = 1.0 if transaction.startswith(("trade_r", "trade_o", "trade_u", "market_f")) else 0.25
        count = int(random.poisson(cards / 1000 * orders.n))
        transactions[transaction] = _count(random.lognormal(np.log(max(1.0, mean_us * factor)), 0.5, count).astype(int))
    ended = sum(each.n for each in transactions.values())
    waiting = 40 if not orders.n and second > _RAMP else int(random.poisson(0.02 * orders.n))
    return replace(
        whole,
        transactions=transactions,
        rollbacks=transactions["rolled_back"].n,
        backlog=waiting,
        rows_received=17 * ended,
        bytes_received=650 * ended,
    )


def _mail_sample(random: np.random.Generator, client: int, second: int) -> Sample:
    """The same second of mail users, whose tasks wait while the server is down."""
    whole = _sample(random, client, second)
    orders, tasks, transactions = whole.of("order"), [], {}
    mean_us = orders.sum_us / max(1, orders.n)
    for kind, share in _MAIL_SHARES.items():
        count = int(random.poisson(share * _TASKS_PER_ORDER * orders.n))
        times_us = random.lognormal(np.log(max(1.0, mean_us)), 0.5, count).astype(int)
        tasks.append(times_us)
        transactions[kind] = _count(times_us)
    waiting = 40 * (second - _FAILOVER_AT + 1) if not orders.n and second > _RAMP else 0
    transactions = {"task": _count(np.concatenate(tasks)), **transactions}
    return replace(whole, transactions=transactions, rollbacks=0, queue=waiting)


def _storage_sample(random: np.random.Generator, client: int, second: int) -> Sample:
    """The same second of a disk, of which writes take half as long as reads; in a fault its program has ended."""
    whole = _sample(random, client, second)
    orders, times = whole.of("order"), {}
    for kind, share, median_us in (("read", 7.0, 1_900), ("write", 3.0, 900)):
        count = int(random.poisson(share * orders.n))
        times[kind] = random.lognormal(np.log(median_us), 0.4, count).astype(int)
    both = np.concatenate([*times.values()])
    transactions = {"io": _count(both), **{kind: _count(of) for kind, of in times.items()}}
    return replace(
        whole,
        transactions=transactions,
        rollbacks=0,
        working=THREADS if orders.n else 0,
        down=0 if orders.n else THREADS,
        thinking=0,
        reconnecting=0,
        errors={} if orders.n else {"other": 1},
        overdue=None,
        bytes_received=8192 * len(both),
    )


def _count(times_us: np.ndarray) -> Count:
    return Count(len(times_us), int(times_us.sum()), int(times_us.max(initial=0)), _histogram(times_us))


def _histogram(times_us: np.ndarray) -> bytes:
    """The packed histogram of response times, all at once: a run of storage has tens of millions. See ``bucket_of``."""
    bits = np.frexp(times_us)[1]
    shift = np.maximum(bits - 10, 0)
    buckets, counts = np.unique((shift << 9) + (times_us >> shift), return_counts=True)
    return pack(dict(zip(buckets.tolist(), counts.tolist(), strict=True)))


def _events(clients: int) -> list[RunEvent]:
    events = [
        RunEvent(at_seconds=0.0, kind=EventKind.PHASE, label="ramping"),
        RunEvent(at_seconds=float(_RAMP), kind=EventKind.PHASE, label="warming up"),
        RunEvent(at_seconds=float(_RAMP + _WARM_UP), kind=EventKind.PHASE, label="measuring"),
        RunEvent(at_seconds=90.2, kind=EventKind.MARK, label="Enclosure pulled", by_hand=True),
        RunEvent(at_seconds=_FAILOVER_AT - 0.2, kind=EventKind.INJECTION, label="kill primary", is_fault=True),
    ]
    for client in range(1, clients + 1):
        lost, back = _FAILOVER_AT + 0.1 * client, _FAILOVER_AT + _BLACKOUT_SECONDS + 0.2 * client
        events += [
            connections_lost(lost, 32, client),
            RunEvent(at_seconds=back, kind=EventKind.CONNECTION_BACK, label="all users connected again", client=client),
        ]
    return sorted(events, key=lambda event: event.at_seconds)
