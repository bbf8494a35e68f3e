"""A run's totals from its stored samples: what DVD Store 2 reports, per client and in sum.

Everything but ``since_start`` is of the measured seconds alone, as DVD Store 2 resets its statistics when the warm-up
ends. Times are milliseconds.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from engine.analysis.latency.percentiles import (
    PERCENTILES,
    BucketCounts,
    histogram_mean_ms,
    mean_ms,
    merged,
    no_counts,
    percentiles_ms,
)
from engine.analysis.latency.step_times import steps_of
from engine.analysis.series.blocks import CountBlock, ErrorCount, HistogramBlock
from engine.analysis.series.rates import Series
from engine.plan.clients import ClientPlan
from engine.record.record import Phases
from engine.telemetry.sample import Sample

PEAK_WINDOW_SECONDS = 10
_COUNTS = (
    "orders",
    "new_customers",
    "logins",
    "browses",
    "purchases",
    "rollbacks",
    "retries",
    "reconnects",
    "in_doubt",
)
_PERCENTILES = [f"p{percent}" for percent in PERCENTILES]
_STEPS = (
    ("rt_login_ms", "login_us", "logins"),
    ("rt_new_customer_ms", "new_customer_us", "new_customers"),
    ("rt_browse_ms", "browse_us", "browses"),
    ("rt_purchase_ms", "purchase_us", "purchases"),
)


class RunTotals:
    """Adds samples up, singly or in blocks and in any order, and gives the totals as plain values for JSON.

    ``phases`` must be the run's final ones: a sample counts as measured when its second lies in them.
    """

    def __init__(self, clients: Sequence[ClientPlan], phases: Phases) -> None:
        self._clients = clients
        self._first, self._end = _measured(phases)
        self._series = Series(len(clients), seconds_hint=self._end)
        self._histograms = {client.number: no_counts() for client in clients}
        self._overdue: dict[int, BucketCounts] = defaultdict(no_counts)
        self._steps: dict[str, BucketCounts] = defaultdict(no_counts)
        self._has_steps = False
        self._errors: dict[int, dict[str, int]] = {client.number: {} for client in clients}

    def add_all(self, samples: Iterable[Sample]) -> "RunTotals":
        packed: dict[int, list[bytes]] = {number: [] for number in self._histograms}
        overdue: dict[int, list[bytes]] = defaultdict(list)
        steps: dict[str, list[bytes]] = defaultdict(list)
        for sample in samples:
            self._series.add(sample)
            self._has_steps |= sample.steps is not None
            if self._first <= sample.second < self._end:
                packed[sample.client].append(sample.histogram)
                if sample.overdue is not None:
                    overdue[sample.client].append(sample.overdue)
                for step, histogram in (sample.steps or {}).items():
                    steps[step].append(histogram)
                _add(self._errors[sample.client], sample.errors)
        for number, histograms in packed.items():
            self._histograms[number] += merged(histograms)
        for number, histograms in overdue.items():
            self._overdue[number] += merged(histograms)
        for step, histograms in steps.items():
            self._steps[step] += merged(histograms)
        return self

    def add_counts(self, block: CountBlock) -> None:
        self._series.add_block(block)

    def add_histograms(self, block: HistogramBlock) -> None:
        self._histograms[block.client] += merged([block.between(self._first, self._end)])
        if block.overdue is not None:
            self._overdue[block.client] += merged([block.overdue.between(self._first, self._end)])
        if block.steps is not None:
            self._has_steps = True
            for step, of_step in block.steps.items():
                self._steps[step] += merged([of_step.between(self._first, self._end)])

    def add_errors(self, errors: Iterable[ErrorCount]) -> None:
        for each in errors:
            if self._first <= each.second < self._end:
                _add(self._errors[each.client], {each.error_class: each.count})

    def to_dict(self) -> dict[str, Any]:
        """The totals under the names of ``spindle run --json``; with ``steps`` only where they were recorded."""
        whole = sum(self._histograms.values(), start=no_counts())
        overdue = sum(self._overdue.values(), start=no_counts()) if self._overdue else None
        errors: dict[str, int] = {}
        for counts in self._errors.values():
            _add(errors, counts)
        figures = self._figures(None, whole)
        return {
            "measured_seconds": self._end - self._first,
            **figures,
            **_intended(whole, overdue),
            "errors": errors,
            "since_start": {name: self._series.count(name) for name in _COUNTS},
            "clients": [
                {
                    "label": client.label,
                    "target": client.target.url,
                    **self._figures(client.number, self._histograms[client.number]),
                    **_intended(self._histograms[client.number], self._overdue.get(client.number)),
                    "errors": self._errors[client.number],
                }
                for client in self._clients
            ],
            **({"steps": steps_of(figures, self._steps)} if self._has_steps else {}),
        }

    def _figures(self, client: int | None, histogram: BucketCounts) -> dict[str, Any]:
        first, end, series = self._first, self._end, self._series
        counts = {name: series.count(name, client=client, first=first, end=end) for name in _COUNTS}
        orders = counts["orders"]
        total_us = series.count("order_us", client=client, first=first, end=end)
        return {
            "opm": series.opm_running(first, end, client),
            "opm_peak": series.opm_peak(first, end, PEAK_WINDOW_SECONDS, client),
            **counts,
            "rollback_pct": round(100 * counts["rollbacks"] / orders, 2) if orders else None,
            "rt_ms": {
                "mean": mean_ms(total_us, orders),
                **dict(zip(_PERCENTILES, percentiles_ms(histogram, PERCENTILES), strict=True)),
                "max": mean_ms(series.largest("order_us_max", client=client, first=first, end=end), 1)
                if orders
                else None,
            },
            **{
                name: mean_ms(series.count(total, client=client, first=first, end=end), counts[count])
                for name, total, count in _STEPS
            },
        }


def _intended(histogram: BucketCounts, overdue: BucketCounts | None) -> dict[str, Any]:
    """How many orders were overdue, and the response times as intended by the schedule: of these and of the others."""
    if overdue is None:
        return {"overdue": None, "rt_intended_ms": None}
    both = histogram + overdue
    times = dict(zip([*_PERCENTILES, "max"], percentiles_ms(both, [*PERCENTILES, 100]), strict=True))
    return {"overdue": int(overdue.sum()), "rt_intended_ms": {"mean": histogram_mean_ms(both), **times}}


def _measured(phases: Phases) -> tuple[int, int]:
    if phases.measuring_from is None or phases.measuring_to is None:
        return 0, 0
    return phases.measuring_from, max(phases.measuring_from, phases.measuring_to)


def _add(total: dict[str, int], counts: Mapping[str, int]) -> None:
    for name, count in counts.items():
        total[name] = total.get(name, 0) + count
