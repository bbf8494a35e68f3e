"""The response times of a workload's transactions and their steps, in a run's totals and as rows of a table.

``time_rows`` makes the rows that the terminal, the run page and its document show.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from engine.analysis.headline import headline_of
from engine.analysis.latency.percentiles import PERCENTILES, BucketCounts, percentiles_ms
from engine.workload.registry import find_workload
from engine.workload.transaction import TransactionType


def steps_of(
    workload_id: str, totals: Mapping[str, Any], histograms: Mapping[str, BucketCounts]
) -> dict[str, dict[str, Any]]:
    """A run's totals under ``steps``: of each step and of the whole transaction the count, and mean and percentiles in
    ms."""
    steps = {}
    for step in (each for each in find_workload(workload_id).transactions if each.is_step):
        percentiles = percentiles_ms(histograms[step.id], PERCENTILES) if step.id in histograms else [None, None, None]
        steps[step.id] = _figures(totals.get(step.plural), totals.get(_times_key(step)), percentiles)
    whole, headline = totals["rt_ms"], headline_of(workload_id)
    percentiles = [whole.get(f"p{percent}") for percent in PERCENTILES]
    return steps | {headline.transaction.id: _figures(headline.count(totals), whole.get("mean"), percentiles)}


def _times_key(kind: TransactionType) -> str:
    return f"rt_{kind.id}_ms"


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


def time_rows(workload_id: str, totals: Mapping[str, Any]) -> list[TimesRow]:
    """The headline's transaction as service time, as intended if there was a schedule, and the other types and the
    steps; empty if nothing is known."""
    headline, types = headline_of(workload_id), find_workload(workload_id).transactions
    name, count = headline.one, headline.count(totals)
    others = [each for each in types if each != headline.transaction]
    rows = [_row(name, count, totals.get("rt_ms") or {})]
    if intended := totals.get("rt_intended_ms"):
        whole = [headline.transaction, *(each for each in others if not each.is_step)]
        due = sum(totals.get(each.plural) or 0 for each in whole) + (totals.get("overdue") or 0)
        all_of_them = name if len(whole) == 1 else "all transactions"
        rows = [
            _row(f"{name}, service time", count, totals.get("rt_ms") or {}),
            _row(f"{all_of_them}, as intended", due, intended),
        ]
    rows += [_step_row(each, totals) if each.is_step else _type_row(each, totals) for each in others]
    return [row for row in rows if row.mean_ms is not None]


def _type_row(kind: TransactionType, totals: Mapping[str, Any]) -> TimesRow:
    return _row(kind.label, totals.get(kind.plural), totals.get(_times_key(kind)) or {})


def _step_row(kind: TransactionType, totals: Mapping[str, Any]) -> TimesRow:
    times = (totals.get("steps") or {}).get(kind.id) or {
        "count": totals.get(kind.plural),
        "mean_ms": totals.get(_times_key(kind)),
    }
    return TimesRow(
        name=kind.label,
        count=times.get("count"),
        mean_ms=times.get("mean_ms"),
        **{f"p{percent}_ms": times.get(f"p{percent}_ms") for percent in PERCENTILES},
    )


def _row(name: str, count: int | None, times: Mapping[str, Any]) -> TimesRow:
    return TimesRow(
        name=name,
        count=count,
        mean_ms=times.get("mean"),
        **{f"p{percent}_ms": times.get(f"p{percent}") for percent in PERCENTILES},
        max_ms=times.get("max"),
    )
