"""Response times before, during and after a fault, from the histograms of a running or a stored run.

``LiveHistograms`` is filled with a running run's samples, ``BlockHistograms`` with a stored run's blocks; both
implement ``HistogramSource``, which the recovery analysis uses.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from engine.analysis.latency.percentiles import PERCENTILES, BucketCounts, merged, no_counts, percentiles_ms
from engine.analysis.series.blocks import HistogramBlock
from engine.telemetry.sample import Sample

Span = tuple[int, int]
"""The seconds ``first <= second < end``."""

_KEPT_SECONDS = 600
_MOST_SUMS = 12


class HistogramSource(Protocol):
    """Where the orders' response times come from."""

    def counts(self, client: int, first: int, end: int) -> BucketCounts | None:
        """The histogram of a client's seconds ``first <= second < end``; ``None`` when some of them are not
        available."""


@dataclass(frozen=True)
class ResponseTimes:
    """The orders' response times over some seconds, in milliseconds; ``None`` without orders or when not available."""

    p50_ms: float | None = None
    p95_ms: float | None = None
    p99_ms: float | None = None


def response_times(counts: BucketCounts | None) -> ResponseTimes:
    if counts is None:
        return ResponseTimes()
    return ResponseTimes(*percentiles_ms(counts, PERCENTILES))


class BlockHistograms:
    """The histograms of a stored run over given spans, summed while the library's blocks are read.

    A day of many clients would not fit into memory: ``times_spans`` in ``engine.analysis.recovery.judging`` returns the
    spans that a run's faults need. Other spans are not available.
    """

    def __init__(self, blocks: Iterable[HistogramBlock], spans: Iterable[Span]) -> None:
        self._spans = frozenset(spans)
        self._counts: dict[tuple[int, Span], BucketCounts] = {}
        for block in blocks:
            for span in self._spans:
                if packed := block.between(*span):
                    self._add(block.client, span, merged([packed]))

    def counts(self, client: int, first: int, end: int) -> BucketCounts | None:
        if (first, end) not in self._spans:
            return None
        return self._counts.get((client, (first, end)), no_counts())

    def _add(self, client: int, span: Span, counts: BucketCounts) -> None:
        known = self._counts.get((client, span))
        self._counts[client, span] = counts if known is None else known + counts


@dataclass(slots=True)
class _Sum:
    """The histogram of the seconds from some second up to ``end``."""

    end: int
    counts: BucketCounts


class LiveHistograms:
    """The histograms of a run in progress: those of the newest seconds, and sums that are extended with each second.

    A span is summed at the first request and then extended by new seconds, so that an update costs the same however
    long an outage lasts. A span whose beginning was discarded before the first request is not available.
    """

    def __init__(self, transaction: str, kept_seconds: int = _KEPT_SECONDS) -> None:
        """``transaction`` is the id of the type whose times they are: the one that the headline metric counts."""
        self._transaction = transaction
        self._kept_seconds = kept_seconds
        self._kept_from = 0
        self._packed: dict[int, dict[int, bytes]] = {}
        self._sums: dict[int, dict[int, _Sum]] = defaultdict(dict)

    def add(self, sample: Sample) -> None:
        """Add a sample's histogram."""
        by_client = self._packed.get(sample.second)
        if by_client is None:
            by_client = self._packed[sample.second] = {}
            self._discard_before(sample.second - self._kept_seconds)
        histogram = sample.of(self._transaction).histogram or b""
        by_client[sample.client] = histogram
        for first, total in self._sums[sample.client].items():
            if first <= sample.second < total.end:
                total.counts += merged([histogram])

    def counts(self, client: int, first: int, end: int) -> BucketCounts | None:
        end = max(first, end)
        total = self._sums[client].get(first)
        if total is None or end < total.end:
            return self._begin_sum(client, first, end)
        if total.end < end:
            total.counts += merged(self._between(client, total.end, end))
            total.end = end
        return total.counts.copy()

    def _begin_sum(self, client: int, first: int, end: int) -> BucketCounts | None:
        if first < self._kept_from:
            return None
        counts, sums = merged(self._between(client, first, end)), self._sums[client]
        if first not in sums:
            sums[first] = _Sum(end, counts)
            if len(sums) > _MOST_SUMS:
                del sums[min(sums)]
        return counts.copy()

    def _between(self, client: int, first: int, end: int) -> list[bytes]:
        seconds = (self._packed.get(second) for second in range(first, end))
        return [by_client[client] for by_client in seconds if by_client is not None and client in by_client]

    def _discard_before(self, before: int) -> None:
        if before > self._kept_from:
            for second in [each for each in self._packed if each < before]:
                del self._packed[second]
            self._kept_from = before
