"""A stored run of many clients and hours as a real one is: seconds of Poisson-distributed orders, log-normal response
times with true histograms, an outage now and then. It is entered by the library's own packing."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import numpy.typing as npt

from engine.analysis.series.blocks import CountBlock, HistogramBlock, SampleBlock, Seconds
from engine.histogram import BUCKETS
from engine.library.changing import insert_run
from engine.library.connecting import connect, write_transaction
from engine.library.hours import HOUR_SECONDS, ClientHour
from engine.library.library import Library
from engine.library.run_id import new_run_id
from engine.library.stored_samples import insert_block
from engine.plan.plan import RunPlan
from engine.record.record import Phases, RunRecord, RunState
from engine.workloads.dvdstore.transactions import TRANSACTIONS

_STARTED_AT = datetime(2026, 1, 1, tzinfo=UTC)
_ORDERS_PER_SECOND = 40
_USERS = 32
_MEAN_US = 20_000
_THINK_TIME_MS = 20
_OUTAGE_SECONDS = 40


@dataclass(frozen=True)
class DayRun:
    """Where the run is."""

    path: Path
    run_id: str


def store_day_run(folder: Path, *, clients: int, hours: int) -> DayRun:
    """Begin a library in ``folder`` that holds one completed run of ``clients`` and ``hours``."""
    path = folder / "library.sqlite"
    plan = RunPlan(
        clients=clients, threads=_USERS, think_time_ms=_THINK_TIME_MS, warmup_minutes=1, minutes=60 * hours - 1
    )
    record = RunRecord(
        run_id=new_run_id(_STARTED_AT),
        plan=plan,
        client_labels=tuple(client.label for client in plan.client_plans()),
        state=RunState.COMPLETED,
        started_at=_STARTED_AT,
        ended_at=_STARTED_AT + timedelta(hours=hours),
        phases=Phases(warming_up_from=0, measuring_from=60, measuring_to=HOUR_SECONDS * hours),
    )
    Library.open(path, notify=print).close()
    engine = connect(path)
    random = np.random.default_rng(1)
    with write_transaction(engine) as connection:
        key = insert_run(connection, record, None)
    for number in range(hours):
        with write_transaction(engine) as connection:
            for client in range(1, clients + 1):
                hour = ClientHour(client, number)
                insert_block(connection, key, hour, hour_of_samples(hour, random))
    engine.dispose()
    return DayRun(path, record.run_id)


def hour_of_samples(hour: ClientHour, random: np.random.Generator) -> SampleBlock:
    """All samples of an hour of one client."""
    seconds = np.arange(hour.first, hour.end, dtype=np.int64)
    orders = random.poisson(_ORDERS_PER_SECOND, HOUR_SECONDS)
    begins = int(random.integers(0, HOUR_SECONDS - _OUTAGE_SECONDS))
    orders[begins : begins + _OUTAGE_SECONDS] = 0
    times_us = random.lognormal(np.log(_MEAN_US), 0.6, int(orders.sum())).astype(np.int64)
    of_row = np.repeat(np.arange(HOUR_SECONDS), orders)
    sums_us = np.bincount(of_row, times_us, HOUR_SECONDS).astype(np.int64)
    longest_us = np.zeros(HOUR_SECONDS, dtype=np.int64)
    np.maximum.at(longest_us, of_row, times_us)
    working = np.where(orders > 0, random.binomial(_USERS, 0.8, HOUR_SECONDS), 0)
    new_customers = random.binomial(orders, 0.2)
    counts = {
        "covers": np.ones(HOUR_SECONDS, dtype=np.int64),
        "working": working,
        "thinking": np.where(orders > 0, _USERS - working, 0),
        "reconnecting": np.where(orders > 0, 0, _USERS),
        "order.n": orders,
        "new_customer.n": new_customers,
        "login.n": orders - new_customers,
        "browse.n": random.poisson(3 * orders),
        "purchase.n": orders,
        "rollbacks": random.binomial(orders, 0.02),
        "retries": random.binomial(orders, 0.001),
        "order.sum_us": sums_us,
        "new_customer.sum_us": sums_us // 20,
        "login.sum_us": sums_us // 5,
        "browse.sum_us": sums_us // 3,
        "purchase.sum_us": sums_us // 4,
        "order.max_us": longest_us,
    }
    return SampleBlock(
        counts=CountBlock(
            client=hour.client,
            seconds=seconds,
            counts=counts,
            transactions=tuple(each.id for each in TRANSACTIONS),
        ),
        histograms=replace(
            _histograms(hour.client, seconds, of_row, times_us),
            overdue=_histograms(hour.client, seconds, *_overdue(of_row, times_us)),
        ),
        errors={int(second): {"connection_lost": 4} for second in seconds[begins : begins + 8]},
    )


def _overdue(
    of_row: npt.NDArray[np.int64], times_us: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The orders that were due while a slow one was under way, and the longest outage of every user that met it."""
    period_us = 1_000 * _THINK_TIME_MS + int(times_us.mean())
    late = times_us > period_us
    outage_us = np.tile(np.arange(0, 1_000_000 * _OUTAGE_SECONDS, period_us), _USERS)
    ended = np.full(len(outage_us), of_row[np.argmax(np.diff(of_row)) + 1])
    return np.concatenate([of_row[late], ended]), np.concatenate([times_us[late] - period_us, outage_us])


def _histograms(
    client: int, seconds: Seconds, of_row: npt.NDArray[np.int64], times_us: npt.NDArray[np.int64]
) -> HistogramBlock:
    """The histograms as ``engine.histogram.pack`` makes them, all rows at once."""
    shift = np.maximum(np.frexp(times_us.astype(np.float64))[1] - 10, 0)
    buckets = np.where(times_us < 1024, times_us, (shift << 9) + (times_us >> shift))
    found, counts = np.unique(of_row * BUCKETS + buckets, return_counts=True)
    pairs = np.stack([found % BUCKETS, counts], axis=1).astype("<u2")
    lengths = np.bincount(found // BUCKETS, minlength=len(seconds))
    offsets = np.concatenate([[0], np.cumsum(4 * lengths)]).astype(np.int64)
    return HistogramBlock(client=client, seconds=seconds, offsets=offsets, packed=pairs.tobytes())
