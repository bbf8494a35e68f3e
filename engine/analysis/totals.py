"""A run's totals from its stored samples: what DVD Store 2 reports, of any workload, per client and in sum.

Everything but ``since_start`` is of the measured seconds alone, as DVD Store 2 resets its statistics when the warm-up
ends. Times are milliseconds.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from engine.analysis.headline import headline_of
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
from engine.telemetry.sample import CountNames, Sample
from engine.workload.registry import find_workload
from engine.workload.transaction import TransactionType, transactions_of

PEAK_WINDOW_SECONDS = 10
_COUNTS = ("rollbacks", "retries", "reconnects", "in_doubt")
_PERCENTILES = [f"p{percent}" for percent in PERCENTILES]
_LIMITED = 90
_MINUTE = 60


class RunTotals:
    """Adds samples up, singly or in blocks and in any order, and gives the totals as plain values for JSON.

    ``phases`` must be the run's final ones: a sample counts as measured when its second lies in them.
    """

    def __init__(self, workload_id: str, clients: Sequence[ClientPlan], phases: Phases) -> None:
        self._workload = find_workload(workload_id)
        self._headline = headline_of(workload_id)
        self._clients = clients
        self._first, self._end = _measured(phases)
        self._series = Series(len(clients), seconds_hint=self._end)
        self._histograms: dict[tuple[int, str], BucketCounts] = defaultdict(no_counts)
        self._overdue: dict[int, BucketCounts] = defaultdict(no_counts)
        self._errors: dict[int, dict[str, int]] = {client.number: {} for client in clients}
        self.has_all_types = False

    def add_all(self, samples: Iterable[Sample]) -> "RunTotals":
        packed: dict[tuple[int, str], list[bytes]] = defaultdict(list)
        overdue: dict[int, list[bytes]] = defaultdict(list)
        for sample in samples:
            self._series.add(sample)
            for transaction, count in sample.transactions.items():
                if count.histogram is None:
                    continue
                self.has_all_types |= transaction != self._headline.transaction.id
                if self._first <= sample.second < self._end:
                    packed[sample.client, transaction].append(count.histogram)
            if self._first <= sample.second < self._end:
                if sample.overdue is not None:
                    overdue[sample.client].append(sample.overdue)
                _add(self._errors[sample.client], sample.errors)
        for key, histograms in packed.items():
            self._histograms[key] += merged(histograms)
        for number, histograms in overdue.items():
            self._overdue[number] += merged(histograms)
        return self

    def add_counts(self, block: CountBlock) -> None:
        self._series.add_block(block)

    def add_histograms(self, block: HistogramBlock) -> None:
        """Add response times; of the other types only where they were read."""
        by_type = {self._headline.transaction.id: block, **(block.others or {})}
        self.has_all_types |= block.others is not None
        for transaction, each in by_type.items():
            self._histograms[block.client, transaction] += merged([each.between(self._first, self._end)])
        if block.overdue is not None:
            self._overdue[block.client] += merged([block.overdue.between(self._first, self._end)])

    def add_errors(self, errors: Iterable[ErrorCount]) -> None:
        for each in errors:
            if self._first <= each.second < self._end:
                _add(self._errors[each.client], {each.error_class: each.count})

    def to_dict(self) -> dict[str, Any]:
        """The totals under the names of ``spindle run --json``; with ``steps`` only where they were recorded.

        The keys of a workload's figures are made from its metric's id (``opm``, ``opm_peak``) and from its types: how
        many there were under ``plural``, the response times of one under ``rt_ID_ms``, of a step only the mean.
        """
        errors: dict[str, int] = {}
        for counts in self._errors.values():
            _add(errors, counts)
        figures = self._figures(None)
        return {
            "measured_seconds": self._end - self._first,
            **figures,
            **self._intended(None),
            "errors": errors,
            "since_start": self._counts(None, 0, None),
            "clients": [
                {
                    "label": client.label,
                    "target": client.target.url,
                    **self._figures(client.number),
                    **self._intended(client.number),
                    "errors": self._errors[client.number],
                }
                for client in self._clients
            ],
            **self._steps(figures),
        }

    def _figures(self, client: int | None) -> dict[str, Any]:
        first, end, series, of = self._first, self._end, self._series, self._headline
        counts = self._counts(client, first, end)
        rollback_pct = of.rollback_pct(counts[of.transaction.plural], counts["rollbacks"])
        transactions = transactions_of(self._workload.transactions)
        return {
            of.metric.id: series.running(of, first, end, client),
            of.peak_key: series.peak(of, first, end, PEAK_WINDOW_SECONDS, client),
            **(self._all_a_minute(counts) if len(transactions) > 1 else {}),
            **counts,
            "rollback_pct": None if rollback_pct is None else round(rollback_pct, 2),
            "rt_ms": self._times(of.transaction, client),
            **{
                f"rt_{each.id}_ms": self._mean_ms(each, client) if each.is_step else self._limited(each, client)
                for each in self._workload.transactions
                if each.is_step or len(transactions) > 1
            },
        }

    def _all_a_minute(self, counts: Mapping[str, int]) -> dict[str, int | None]:
        """The transactions of all types a minute, floored as the headline metric."""
        ended, seconds = (
            sum(counts[each.plural] for each in transactions_of(self._workload.transactions)),
            self._end - self._first,
        )
        return {"tpm": _MINUTE * ended // seconds if seconds else None}

    def _counts(self, client: int | None, first: int, end: int | None) -> dict[str, int]:
        names = {each.plural: CountNames.of(each.id).n for each in self._workload.in_columns}
        names.update((each, each) for each in _COUNTS)
        return {key: self._series.count(name, client=client, first=first, end=end) for key, name in names.items()}

    def _times(self, kind: TransactionType, client: int | None) -> dict[str, float | None]:
        percentiles = percentiles_ms(self._histogram([kind], client), PERCENTILES)
        mean = self._mean_ms(kind, client)
        longest = CountNames.of(kind.id).max_us
        longest_us = self._series.largest(longest, client=client, first=self._first, end=self._end)
        return {
            "mean": mean,
            **dict(zip(_PERCENTILES, percentiles, strict=True)),
            "max": None if mean is None else mean_ms(longest_us, 1),
        }

    def _limited(self, kind: TransactionType, client: int | None) -> dict[str, float | None]:
        """The response times of a type, and its 90th percentile beside the limit of that."""
        times = self._times(kind, client)
        if kind.response_limit_ms is not None:
            (times["p90"],) = percentiles_ms(self._histogram([kind], client), [_LIMITED])
            times["p90_limit"] = kind.response_limit_ms
        return times

    def _mean_ms(self, kind: TransactionType, client: int | None) -> float | None:
        names = CountNames.of(kind.id)
        n, sum_us = (
            self._series.count(name, client=client, first=self._first, end=self._end)
            for name in (names.n, names.sum_us)
        )
        return mean_ms(sum_us, n)

    def _histogram(self, kinds: Iterable[TransactionType], client: int | None) -> BucketCounts:
        numbers = [each.number for each in self._clients] if client is None else [client]
        keys = ((number, kind.id) for number in numbers for kind in kinds)
        return sum((self._histograms[key] for key in keys if key in self._histograms), start=no_counts())

    def _intended(self, client: int | None) -> dict[str, Any]:
        """How many transactions were overdue, and the response times as intended by the schedule: of these and of the
        others."""
        overdue = [each for number, each in self._overdue.items() if client in (None, number)]
        if not overdue:
            return {"overdue": None, "rt_intended_ms": None}
        waited = sum(overdue, start=no_counts())
        both = self._histogram(transactions_of(self._workload.transactions), client) + waited
        times = dict(zip([*_PERCENTILES, "max"], percentiles_ms(both, [*PERCENTILES, 100]), strict=True))
        return {"overdue": int(waited.sum()), "rt_intended_ms": {"mean": histogram_mean_ms(both), **times}}

    def _steps(self, figures: Mapping[str, Any]) -> dict[str, Any]:
        steps = [each for each in self._workload.transactions if each.is_step]
        if not (self.has_all_types and steps):
            return {}
        histograms = {each.id: self._histogram([each], None) for each in steps}
        return {"steps": steps_of(self._workload.id, figures, histograms)}


def _measured(phases: Phases) -> tuple[int, int]:
    if phases.measuring_from is None or phases.measuring_to is None:
        return 0, 0
    return phases.measuring_from, max(phases.measuring_from, phases.measuring_to)


def _add(total: dict[str, int], counts: Mapping[str, int]) -> None:
    for name, count in counts.items():
        total[name] = total.get(name, 0) + count
