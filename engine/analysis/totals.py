"""A run's totals from its stored samples: what DVD Store 2 reports, of any workload, per client and in sum.

Everything but ``since_start`` is of the measured seconds alone, as DVD Store 2 resets its statistics when the warm-up
ends. Times are milliseconds.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from engine.analysis.backlog import backlog_totals
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
from engine.analysis.series.blocks import CountBlock, ErrorCount, HistogramBlock
from engine.analysis.series.rates import Series
from engine.analysis.stages.figures import StageSums, kb_per_second, per_second
from engine.plan.clients import ClientPlan
from engine.plan.load.profile import LoadProfile
from engine.record.record import Phases
from engine.record.totals import BacklogTotals, ClientTotals, ResponseTimes, Totals, TransactionTotals
from engine.record.totals_json import COUNTS
from engine.telemetry.sample import CountNames, Sample
from engine.telemetry.workstation import WorkstationLoad
from engine.workload.registry import find_workload
from engine.workload.transaction import TransactionType, transactions_of

PEAK_WINDOW_SECONDS = 10
_PERCENTILES = [f"p{percent}" for percent in PERCENTILES]
_LIMITED, _FINEST = 90, 99.9
_MINUTE = 60
_BEGUN = ("working", "reconnecting", "down")
"""The states of users that have a transaction under way, or one that waits for a connection."""


class RunTotals:
    """Adds samples up, singly or in blocks and in any order, and computes the totals.

    ``phases`` must be the run's final ones: a sample counts as measured when its second lies in them. ``profile`` is
    the plan's, if its load has stages.
    """

    def __init__(
        self,
        workload_id: str,
        clients: Sequence[ClientPlan],
        phases: Phases,
        profile: LoadProfile | None = None,
    ) -> None:
        self._workload = find_workload(workload_id)
        self._headline = headline_of(workload_id)
        self._clients = clients
        self._first, self._end = _measured(phases)
        self._series = Series(len(clients), seconds_hint=self._end)
        self._histograms: dict[tuple[int, str], BucketCounts] = defaultdict(no_counts)
        self._overdue: dict[int, BucketCounts] = defaultdict(no_counts)
        self._errors: dict[int, dict[str, int]] = {client.number: {} for client in clients}
        self._stages = StageSums(self._headline, [] if profile is None else list(profile.spans(self._first)))
        self.has_all_types = False

    def add_all(self, samples: Iterable[Sample]) -> "RunTotals":
        packed: dict[tuple[int, str], list[bytes]] = defaultdict(list)
        overdue: dict[int, list[bytes]] = defaultdict(list)
        for sample in samples:
            self._series.add(sample)
            self._stages.add(sample)
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
        self._stages.add_counts(block)

    def add_histograms(self, block: HistogramBlock) -> None:
        """Add response times; of the other types only where they were read."""
        self._stages.add_histograms(block)
        by_type = {self._headline.transaction.id: block, **(block.others or {})}
        self.has_all_types |= block.others is not None
        for transaction, each in by_type.items():
            self._histograms[block.client, transaction] += merged([each.between(self._first, self._end)])
        if block.overdue is not None:
            self._overdue[block.client] += merged([block.overdue.between(self._first, self._end)])

    def add_errors(self, errors: Iterable[ErrorCount]) -> None:
        for each in errors:
            self._stages.add_errors([each])
            if self._first <= each.second < self._end:
                _add(self._errors[each.client], {each.error_class: each.count})

    def add_load(self, load: WorkstationLoad) -> None:
        """Add the load of the workstation in a second."""
        self._stages.add_load(load)

    def totals(self) -> Totals:
        """The totals of what was added."""
        errors: dict[str, int] = {}
        seconds = self._end - self._first
        for counts in self._errors.values():
            _add(errors, counts)
        return Totals(
            **self._figures(None),
            errors=errors,
            workload=self._workload.id,
            measured_seconds=seconds,
            since_start=self._since_start(),
            clients=tuple(
                ClientTotals(
                    **self._figures(client.number),
                    errors=self._errors[client.number],
                    label=client.label,
                    target=client.target.url,
                )
                for client in self._clients
            ),
            has_step_times=self.has_all_types,
            stages=self._stages.totals(self._end) if seconds else (),
            rows_per_second=per_second(self._count("rows_received", None), seconds),
            kb_per_second=kb_per_second(self._by_client("rows_received"), self._by_client("bytes_received"), seconds),
            backlog=self._backlog(),
            due=self._due(),
        )

    def _by_client(self, name: str) -> dict[int, int]:
        return {client.number: self._count(name, client.number) for client in self._clients}

    def _figures(self, client: int | None) -> dict[str, Any]:
        """All figures but errors."""
        first, end, series, of = self._first, self._end, self._series, self._headline
        transactions = {each.id: self._transaction(each, client) for each in self._workload.transactions}
        count = transactions[of.transaction.id].count or 0
        rollback_pct = of.rollback_pct(count, self._count("rollbacks", client))
        return {
            "headline_rate": series.running(of, first, end, client),
            "peak": series.peak(of, first, end, PEAK_WINDOW_SECONDS, client),
            "counted": of.transaction.id,
            "all_a_minute": self._all_a_minute(transactions),
            "transactions": transactions,
            "counts": {name: self._count(name, client) for name in COUNTS},
            "rollback_pct": None if rollback_pct is None else round(rollback_pct, 2),
            **self._intended(client),
        }

    def _all_a_minute(self, transactions: Mapping[str, TransactionTotals]) -> int | None:
        """The transactions of all types a minute, floored as the headline metric; ``None`` where there is one type."""
        types, seconds = transactions_of(self._workload.transactions), self._end - self._first
        if len(types) < 2 or not seconds:
            return None
        return _MINUTE * sum(transactions[each.id].count or 0 for each in types) // seconds

    def _backlog(self) -> BacklogTotals | None:
        seconds = self._end - self._first
        if self._workload.backlog is None or not seconds:
            return None
        depths = self._series.by_second("backlog", first=self._first, end=self._end)
        return backlog_totals(depths, self._count(self._headline.names.n, None) / seconds)

    def _due(self) -> int | None:
        """``Totals.due``. What users have begun is taken from the last second but one: in the last one they leave."""
        if self._workload.service_level is None or self._end == self._first:
            return None
        last = self._end - 1
        waiting = self._series.by_second("queue", first=last, end=self._end)
        begun = [self._series.by_second(name, first=max(0, last - 1), end=last) for name in _BEGUN]
        levels = [waiting, *begun]
        undone = float(np.sum(levels)) if all(map(len, levels)) else math.nan
        return None if math.isnan(undone) else self._count(self._headline.names.n, None) + int(undone)

    def _since_start(self) -> dict[str, int]:
        names = {each.plural: CountNames.of(each.id).n for each in self._workload.in_columns}
        names.update((each, each) for each in COUNTS)
        return {key: self._series.count(name) for key, name in names.items()}

    def _count(self, name: str, client: int | None) -> int:
        return self._series.count(name, client=client, first=self._first, end=self._end)

    def _transaction(self, kind: TransactionType, client: int | None) -> TransactionTotals:
        """A type or a step; the percentiles of a step only of all clients, the 90th only where it is limited."""
        names = CountNames.of(kind.id)
        count = self._count(names.n, client)
        longest_us = self._longest_us(kind, client)
        wanted: dict[str, float] = {}
        if not kind.is_step or client is None:
            wanted.update(zip(_PERCENTILES, PERCENTILES, strict=True))
            wanted.update({"p999": _FINEST} if self._workload.has_p999 else {})
        if kind.response_limit_ms is not None:
            wanted["p90"] = _LIMITED
        percentiles = percentiles_ms(self._histogram([kind], client), wanted.values(), longest_us=longest_us or None)
        times = ResponseTimes(
            mean=mean_ms(self._count(names.sum_us, client), count),
            **dict(zip(wanted, percentiles, strict=True)),
            max=mean_ms(longest_us, 1) if count and not kind.is_step else None,
        )
        return TransactionTotals(count=count, times=times)

    def _histogram(self, kinds: Iterable[TransactionType], client: int | None) -> BucketCounts:
        numbers = [each.number for each in self._clients] if client is None else [client]
        keys = ((number, kind.id) for number in numbers for kind in kinds)
        return sum((self._histograms[key] for key in keys if key in self._histograms), start=no_counts())

    def _intended(self, client: int | None) -> dict[str, Any]:
        """How many transactions were overdue, and the response times as intended by the schedule: of these and of the
        others."""
        overdue = [each for number, each in self._overdue.items() if client in (None, number)]
        if not overdue:
            return {"overdue": None, "intended": None}
        waited = sum(overdue, start=no_counts())
        types = transactions_of(self._workload.transactions)
        longest_us = max(self._longest_us(each, client) for each in types)
        both = self._histogram(types, client) + waited
        limit_us = None if waited.any() else longest_us or None
        *percentiles, longest = percentiles_ms(both, (*PERCENTILES, 100), longest_us=limit_us)
        if longest is not None:  # of those served it is known exactly, and may exceed the middle of its bucket
            longest = max(longest, longest_us / 1000)
        times = ResponseTimes(
            mean=histogram_mean_ms(both), **dict(zip(_PERCENTILES, percentiles, strict=True)), max=longest
        )
        return {"overdue": int(waited.sum()), "intended": times}

    def _longest_us(self, kind: TransactionType, client: int | None) -> int:
        """The longest response time of a type; 0 where it was not recorded."""
        return self._series.largest(CountNames.of(kind.id).max_us, client=client, first=self._first, end=self._end)


def _measured(phases: Phases) -> tuple[int, int]:
    if phases.measuring_from is None or phases.measuring_to is None:
        return 0, 0
    return phases.measuring_from, max(phases.measuring_from, phases.measuring_to)


def _add(total: dict[str, int], counts: Mapping[str, int]) -> None:
    for name, count in counts.items():
        total[name] = total.get(name, 0) + count
