"""The response times of an order and its steps: summed while a run measures, and as rows of a table.

The run's collector fills ``StepTimesSum``, ``steps_of`` makes the totals' ``steps`` of it, and ``time_rows`` makes the
rows that the terminal, the run page and its document show.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from engine.analysis.latency.percentiles import PERCENTILES, BucketCounts, merged, no_counts, percentiles_ms
from engine.record.record import Phases
from engine.telemetry.sample import StepTimes

_KEPT_SECONDS = 60
# The name in the totals, in words, and the totals' count and mean of it.
_STEPS = (
    ("login", "log-in", "logins", "rt_login_ms"),
    ("new_customer", "registration", "new_customers", "rt_new_customer_ms"),
    ("browse", "search", "browses", "rt_browse_ms"),
    ("purchase", "purchase", "purchases", "rt_purchase_ms"),
)


class StepTimesSum:
    """The steps' response times of all clients over the measuring phase.

    Seconds are added a minute at a time. A second is added when it is over, when it is known whether it was measured:
    phases are determined ahead of time, and a stop only cuts off later seconds.
    """

    def __init__(self) -> None:
        self._recent: dict[int, dict[str, list[bytes]]] = {}
        self._sums: dict[str, BucketCounts] = defaultdict(no_counts)
        self._newest = 0

    def add(self, times: StepTimes, phases: Phases) -> None:
        """Add a second of a client; ``phases`` are those known at the moment."""
        by_step = self._recent.setdefault(times.second, defaultdict(list))
        for step, packed in times.histograms.items():
            by_step[step].append(packed)
        if times.second >= self._newest + _KEPT_SECONDS:
            self._newest = times.second
            self._settle([each for each in self._recent if each < self._newest], phases)

    def measured(self, phases: Phases) -> dict[str, BucketCounts]:
        """The histogram of each step that occurred, with the run's final phases; nothing may be added afterwards."""
        self._settle(list(self._recent), phases)
        return dict(self._sums)

    def _settle(self, seconds: Iterable[int], phases: Phases) -> None:
        packed: dict[str, list[bytes]] = defaultdict(list)
        for second in seconds:
            by_step = self._recent.pop(second)
            if phases.measuring_from is None or second < phases.measuring_from:
                continue
            if phases.measuring_to is None or second < phases.measuring_to:
                for step, histograms in by_step.items():
                    packed[step] += histograms
        for step, histograms in packed.items():
            self._sums[step] += merged(histograms)


def steps_of(totals: Mapping[str, Any], histograms: Mapping[str, BucketCounts]) -> dict[str, Any]:
    """A run's totals under ``steps``: of each step and of the whole order the count, and mean and percentiles in ms."""
    steps: dict[str, Any] = {}
    for step, _, count, mean in _STEPS:
        percentiles = percentiles_ms(histograms[step], PERCENTILES) if step in histograms else [None, None, None]
        steps[step] = _figures(totals.get(count), totals.get(mean), percentiles)
    order = totals["rt_ms"]
    percentiles = [order.get(f"p{percent}") for percent in PERCENTILES]
    return steps | {"order": _figures(totals.get("orders"), order.get("mean"), percentiles)}


def _figures(count: int | None, mean_ms: float | None, percentiles: Iterable[float | None]) -> dict[str, Any]:
    times = {f"p{percent}_ms": time for percent, time in zip(PERCENTILES, percentiles, strict=True)}
    return {"count": count, "mean_ms": mean_ms, **times}


@dataclass(frozen=True, kw_only=True)
class TimesRow:
    """A row of the table of response times, in milliseconds; ``None`` is unknown."""

    name: str
    count: int | None
    mean_ms: float | None
    p50_ms: float | None
    p95_ms: float | None
    p99_ms: float | None
    max_ms: float | None = None


def time_rows(totals: Mapping[str, Any]) -> list[TimesRow]:
    """The order as service time, as intended if it had a schedule, and its steps; empty if nothing is known."""
    rows = [_order_row("order", totals.get("orders"), totals.get("rt_ms") or {})]
    if intended := totals.get("rt_intended_ms"):
        rows = [
            _order_row("order, service time", totals.get("orders"), totals.get("rt_ms") or {}),
            _order_row("order, as intended", (totals.get("orders") or 0) + (totals.get("overdue") or 0), intended),
        ]
    steps = totals.get("steps") or {}
    for step, name, count, mean in _STEPS:
        times = steps.get(step) or {"count": totals.get(count), "mean_ms": totals.get(mean)}
        rows.append(
            TimesRow(
                name=name,
                count=times.get("count"),
                mean_ms=times.get("mean_ms"),
                **{f"p{percent}_ms": times.get(f"p{percent}_ms") for percent in PERCENTILES},
            )
        )
    return [row for row in rows if row.mean_ms is not None]


def _order_row(name: str, count: int | None, times: Mapping[str, Any]) -> TimesRow:
    return TimesRow(
        name=name,
        count=count,
        mean_ms=times.get("mean"),
        **{f"p{percent}_ms": times.get(f"p{percent}") for percent in PERCENTILES},
        max_ms=times.get("max"),
    )
