"""A fault in the figures of published failover tests: by the running headline rate, such as DVD Store 2's OPM.

Such tests run a DVD Store 2 load, in which an enclosure is pulled, and report the running rate just before the event,
its lowest value, the seconds until that (performance stabilises), and the seconds from there to the level before. A
running average since the end of the warm-up reacts slowly: a blackout of 2 s twenty minutes into a run shows as 0.17 %,
and unless more orders follow than before it never recovers. Called by the recovery analysis.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from engine.analysis.recovery.span import FaultSpan
from engine.analysis.run_data import RunData
from engine.analysis.series.rates import Rates, Values, metric_values, rounded_down
from engine.workload.transaction import Metric

Sums = npt.NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class Published:
    """The running headline rate around a fault; ``None`` is unknown, or not known yet.

    ``headline_rate_before`` is that of the measured seconds before the fault's, ``headline_rate_lowest`` the lowest
    after it until it has recovered for good, ``drop_pct`` the difference in per cent of that before.
    ``stabilised_seconds`` is the time from the event to the end of the second with the lowest, ``back_seconds`` from
    there to the end of the first with at least the rate before. All three are 0 when the running rate did not fall.
    """

    headline_rate_before: float | None = None
    headline_rate_lowest: float | None = None
    drop_pct: float | None = None
    stabilised_seconds: float | None = None
    back_seconds: float | None = None


def running_rates(run: RunData, span: FaultSpan, orders: Rates) -> list[Values | None]:
    """The running rate of all clients and then of each, at the fault's second and after each second of its span.

    ``orders`` are the span's by client. Unknown seconds are left out of a client's average, so that a dead client keeps
    its last value; where all are known the figures are DVD Store 2's, floor(60 × orders ÷ seconds). ``None`` where
    nothing was measured before the fault.
    """
    measuring_from = run.phases.measuring_from
    if measuring_from is None or span.first <= measuring_from:
        return [None] * (1 + len(run.clients))
    numbers, metric = [client.number for client in run.clients], run.headline.metric
    count, known = run.series.count, run.series.known
    before = [count(run.headline.names.n, client=number, first=measuring_from, end=span.first) for number in numbers]
    seconds = [int(np.count_nonzero(known(number)[measuring_from : span.first])) for number in numbers]
    is_known = ~np.isnan(orders)
    orders_so_far = _summed(before, np.where(is_known, orders, 0.0).astype(np.int64))
    known_seconds = _summed(seconds, is_known.astype(np.int64))
    clients = [
        row if has_known_seconds[0] else None
        for row, has_known_seconds in zip(
            metric_values(metric, orders_so_far, np.maximum(known_seconds, 1)), known_seconds, strict=True
        )
    ]
    return [_total(orders_so_far, known_seconds, metric), *clients]


def published_of(rates: Values | None, span: FaultSpan, settled: int | None) -> Published:
    """The published figures of a running rate from ``running_rates``.

    ``settled`` is the place in the span at which the orders themselves had recovered, or by which a dip would have
    begun: only after it can the running rate have recovered for good.
    """
    if rates is None:
        return Published()
    before, after = rates[0].item(), rates[1:]
    if not len(after) or before <= 0:
        return Published(headline_rate_before=before)
    end = len(after) if settled is None else _first_at_least(after, before, max(0, settled - 1))
    dip = after[: len(after) if end is None else end + 1]
    lowest_at = int(dip.argmin())
    lowest = dip[lowest_at].item()
    if lowest >= before:
        return Published(
            headline_rate_before=before,
            headline_rate_lowest=lowest,
            drop_pct=0.0,
            stabilised_seconds=0.0,
            back_seconds=0.0,
        )
    back_at = _first_at_least(after, before, lowest_at)
    return Published(
        headline_rate_before=before,
        headline_rate_lowest=lowest,
        drop_pct=100 * (before - lowest) / before,
        stabilised_seconds=span.after_fault(span.first + lowest_at + 1),
        back_seconds=None if back_at is None else float(back_at - lowest_at),
    )


def _summed(before: list[int], values: Sums) -> Sums:
    """The sums from the start of measuring to the span's first second, and after each second of the span."""
    return np.cumsum(np.column_stack((np.array(before, dtype=np.int64), values)), axis=1)


def _total(orders_so_far: Sums, known_seconds: Sums, metric: Metric) -> Values | None:
    has_known_seconds = known_seconds[:, 0] > 0
    if not has_known_seconds.any():
        return None
    if (known_seconds == known_seconds[0]).all():
        return metric_values(metric, orders_so_far.sum(axis=0), known_seconds[0])
    means: Rates = metric.per_seconds * orders_so_far[has_known_seconds] / known_seconds[has_known_seconds]
    return rounded_down(metric, means.sum(axis=0))


def _first_at_least(rates: Values, level: float, begin: int) -> int | None:
    places = np.flatnonzero(rates[begin:] >= level)
    return begin + int(places[0]) if len(places) else None
