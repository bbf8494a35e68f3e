"""The figures of each stage of a run, from its samples one by one or in blocks, in any order.

They are of the seconds after a stage's settling time. The same arithmetic decides during a run and makes its totals.
A stage of minutes has few windows of a minute, so whether it was steady is judged by windows of ten seconds; what
chance scatters these by is allowed for.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from engine.analysis.backlog import backlog_totals
from engine.analysis.headline import Headline
from engine.analysis.latency.percentiles import BucketCounts, mean_ms, merged, no_counts, percentiles_ms
from engine.analysis.series.blocks import CountBlock, ErrorCount, HistogramBlock, block_of
from engine.analysis.series.rates import Rates
from engine.analysis.steady_state import LEAST_WINDOWS, steady_state
from engine.plan.load.profile import StageSpan
from engine.record.totals import ResponseTimes, StageTotals
from engine.telemetry.sample import Sample
from engine.telemetry.workstation import WorkstationLoad

STEADY_WINDOW_SECONDS = 10
LEAST_STEADY_SECONDS = LEAST_WINDOWS * STEADY_WINDOW_SECONDS
"""A stage of which fewer seconds count is not judged."""
_PERCENTILES = (50, 95, 99)


class StageSums:
    """Adds up what was counted in the ``spans`` of a run, and computes the figures of ``of``."""

    def __init__(self, of: Headline, spans: Sequence[StageSpan]) -> None:
        self._of = of
        self._sums = [_Sums(span) for span in spans]

    def add(self, sample: Sample) -> None:
        if any(each.span.counts_from <= sample.second < each.span.ends for each in self._sums):
            block = block_of([sample])
            self.add_counts(block.counts)
            self.add_histograms(block.histograms)
            self.add_errors(ErrorCount(sample.client, sample.second, *each) for each in sample.errors.items())

    def add_counts(self, block: CountBlock) -> None:
        for each in self._sums:
            first, end = np.searchsorted(block.seconds, (each.span.counts_from, each.span.ends))
            each.is_known = each.is_known or bool(first < end)
            each.sum_us += _sum(block, self._of.names.sum_us, first, end)
            each.rows[block.client] += _sum(block, "rows_received", first, end)
            each.bytes[block.client] += _sum(block, "bytes_received", first, end)
            longest = block.counts.get(self._of.names.max_us)
            if longest is not None and first < end:
                each.max_us = max(each.max_us, int(longest[first:end].max()))
            seconds = block.seconds[first:end].tolist()
            for by_second, name in (
                (each.counts, self._of.names.n),
                (each.queues, "queue"),
                (each.backlogs, "backlog"),
            ):
                if (counts := block.counts.get(name)) is not None:
                    by_second.update(dict(zip(seconds, counts[first:end].tolist(), strict=True)))

    def add_histograms(self, block: HistogramBlock) -> None:
        for each in self._sums:
            each.histogram += merged([block.between(each.span.counts_from, each.span.ends)])

    def add_errors(self, errors: Iterable[ErrorCount]) -> None:
        for error in errors:
            for each in self._sums:
                if each.span.counts_from <= error.second < each.span.ends:
                    each.errors += error.count

    def add_load(self, load: WorkstationLoad) -> None:
        for each in self._sums:
            if each.span.counts_from <= load.second < each.span.ends:
                each.clients_pct.append(load.clients_pct)
                each.machine_pct.append(load.machine_pct)

    def totals(self, end: int) -> tuple[StageTotals, ...]:
        """The stages of which anything counted before a second of the run; the last one may have been cut short."""
        return tuple(each.totals(self._of, min(end, each.span.ends)) for each in self._sums if each.is_known)


class _Sums:
    def __init__(self, span: StageSpan) -> None:
        self.span = span
        self.is_known = False
        self.sum_us = self.max_us = self.errors = 0
        self.rows: Counter[int] = Counter()  # by client, as the bytes
        self.bytes: Counter[int] = Counter()
        # Of all clients, by second:
        self.counts: Counter[int] = Counter()
        self.queues: Counter[int] = Counter()
        self.backlogs: Counter[int] = Counter()
        self.histogram: BucketCounts = no_counts()
        self.clients_pct: list[float] = []
        self.machine_pct: list[float] = []

    def totals(self, of: Headline, end: int) -> StageTotals:
        stage, seconds = self.span.stage, max(1, end - self.span.counts_from)
        p50, p95, p99 = percentiles_ms(self.histogram, _PERCENTILES, longest_us=self.max_us or None)
        count = self.counts.total()
        steady = steady_state(_by_second(self.counts, self.span, end), of, window_seconds=STEADY_WINDOW_SECONDS)
        backlog = backlog_totals(_by_second(self.backlogs, self.span, end), count / seconds)
        has_grown = backlog is not None and bool(backlog.has_grown)
        return StageTotals(
            number=self.span.number,
            users=stage.users,
            rate=stage.rate,
            think_time_ms=stage.think_time_ms,
            first_second=self.span.counts_from,
            seconds=seconds,
            headline=of.metric.value(count, seconds),
            count=count,
            times=ResponseTimes(
                mean=mean_ms(self.sum_us, count),
                p50=p50,
                p95=p95,
                p99=p99,
                max=mean_ms(self.max_us, 1) if count else None,
            ),
            errors=self.errors,
            longest_queue=max(self.queues.values(), default=0) if stage.rate is not None else None,
            clients_cpu_pct=_mean(self.clients_pct),
            machine_cpu_pct=_mean(self.machine_pct),
            rows_per_second=per_second(self.rows.total(), seconds),
            kb_per_second=kb_per_second(self.rows, self.bytes, seconds),
            is_steady=False if has_grown else steady.is_steady,
            drift_pct=_rounded(steady.drift_pct),
            spread_pct=_rounded(steady.spread_pct),
            backlog_growth=backlog.growth if backlog is not None and has_grown else None,
        )


def per_second(count: int, seconds: int) -> float | None:
    """The rows a second, of so many; ``None`` where none were counted."""
    return round(count / seconds, 1) if count and seconds else None


def kb_per_second(rows: Mapping[int, int], sizes: Mapping[int, int], seconds: int) -> float | None:
    """The bytes a second in thousands, of rows and bytes by client; ``None`` where they are not known of a client that
    has received rows."""
    size = sum(sizes.values())
    if any(count and not sizes[client] for client, count in rows.items()):
        return None
    return round(size / 1_000 / seconds, 2) if size and seconds else None


def _sum(block: CountBlock, name: str, first: int, end: int) -> int:
    counts = block.counts.get(name)
    return 0 if counts is None else int(counts[first:end].sum(dtype=np.int64))


def _by_second(counts: Counter[int], span: StageSpan, end: int) -> Rates:
    """What was counted in each second of a stage that counts, NaN where no sample is known."""
    return np.array([counts.get(second, math.nan) for second in range(span.counts_from, end)], dtype=np.float64)


def _rounded(pct: float | None) -> float | None:
    return None if pct is None else round(pct, 1)


def _mean(values: Sequence[float]) -> float | None:
    return round(sum(values) / len(values), 1) if values else None
