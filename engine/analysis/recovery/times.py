"""Response times before, during and after a fault, from the histograms of a stored run."""

from collections.abc import Iterable
from dataclasses import dataclass

from engine.analysis.latency.percentiles import PERCENTILES, BucketCounts, merged, no_counts, percentiles_ms
from engine.analysis.series.blocks import HistogramBlock

Span = tuple[int, int]
"""The seconds ``first <= second < end``."""


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
        """The histogram of a client's seconds ``first <= second < end``; ``None`` for a span that was not given."""
        if (first, end) not in self._spans:
            return None
        return self._counts.get((client, (first, end)), no_counts())

    def _add(self, client: int, span: Span, counts: BucketCounts) -> None:
        known = self._counts.get((client, span))
        self._counts[client, span] = counts if known is None else known + counts
