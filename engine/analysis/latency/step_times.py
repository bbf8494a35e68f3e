"""The response times of an order and its steps, in a run's totals and as rows of a table.

``time_rows`` makes the rows that the terminal, the run page and its document show.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from engine.analysis.latency.percentiles import PERCENTILES, BucketCounts, percentiles_ms

# The name in the totals, in words, and the totals' count and mean of it.
_STEPS = (
    ("login", "log-in", "logins", "rt_login_ms"),
    ("new_customer", "registration", "new_customers", "rt_new_customer_ms"),
    ("browse", "search", "browses", "rt_browse_ms"),
    ("purchase", "purchase", "purchases", "rt_purchase_ms"),
)


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
