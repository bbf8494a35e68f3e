"""The response times of all clients together by second, for the response-time charts.

Percentiles can't be added, so those of a second are computed from the merged histograms of all clients. Histograms are
kept while a late sample may still arrive for their second, and for the sliding window of the figures.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.analysis.latency.grid import LatencyGrid, StepCounts, step_counts
from engine.analysis.latency.percentiles import BucketCounts, merged, percentiles_ms
from engine.analysis.series.rates import Rates
from engine.telemetry.sample import Sample

_KEPT_SECONDS = 120
_FIRST_ROOM = 600
SHARES = (50, 95, 99)
_ROWS = 2 * len(SHARES)


@dataclass(frozen=True, kw_only=True, eq=False)
class SecondTimes:
    """The response times of consecutive seconds from ``first`` on, in milliseconds; NaN is unknown.

    ``service`` and ``intended`` have a row for each of ``SHARES``: service times, and times as intended, ``None``
    without a schedule. ``steps`` counts the service times by the steps of ``engine.analysis.latency.grid``, a row for
    each second.
    """

    first: int
    service: Rates
    steps: StepCounts
    intended: Rates | None = None


@dataclass(frozen=True, slots=True)
class RecentTimes:
    """Packed histograms of some seconds: of the headline's transactions, of the ``others``, and of those that were
    ``overdue``, which is ``None`` without a schedule."""

    histograms: list[bytes]
    others: list[bytes]
    overdue: list[bytes] | None


class LatencySeries:
    """p50, p95 and p99 by second, in milliseconds; NaN without orders or when nothing is known yet.

    Service times, and times as intended, which are all NaN without a schedule. ``grid`` counts the service times by
    second and response time.
    """

    def __init__(self, transaction: str, others: Sequence[str] = ()) -> None:
        """``transaction`` is the id of the type whose service times they are: the one that the headline metric counts.
        The times as intended are those of the ``others`` as well, since overdue transactions are of no certain type."""
        self._transaction = transaction
        self._others = others
        self._percentiles = np.full((_ROWS, _FIRST_ROOM), np.nan)
        self._grid = LatencyGrid()
        self._packed: dict[int, dict[int, tuple[bytes, bytes, bytes | None]]] = defaultdict(dict)
        self._stale: set[int] = set()
        self._seconds = 0

    def add(self, sample: Sample) -> None:
        """Add a sample's histograms; its second's percentiles are computed at the next access."""
        others = b"".join(sample.of(each).histogram or b"" for each in self._others)
        served = sample.of(self._transaction).histogram or b""
        self._packed[sample.second][sample.client] = served, others, sample.overdue
        self._stale.add(sample.second)
        self._grow(sample.second + 1)

    def put(self, times: SecondTimes) -> None:
        """Set what was computed from a stored run's histograms."""
        end = times.first + times.service.shape[1]
        self._grow(end)
        self._percentiles[: len(SHARES), times.first : end] = times.service
        if times.intended is not None:
            self._percentiles[len(SHARES) :, times.first : end] = times.intended
        self._grid.put(times.first, times.steps)

    def p50_ms(self, first: int = 0, end: int | None = None) -> Rates:
        """Service times, as ``p95_ms`` and ``p99_ms``."""
        return self._of(0, first, end)

    def p95_ms(self, first: int = 0, end: int | None = None) -> Rates:
        return self._of(1, first, end)

    def p99_ms(self, first: int = 0, end: int | None = None) -> Rates:
        return self._of(2, first, end)

    def intended_p95_ms(self, first: int = 0, end: int | None = None) -> Rates:
        """Times as intended, as ``intended_p99_ms``."""
        return self._of(len(SHARES) + 1, first, end)

    def intended_p99_ms(self, first: int = 0, end: int | None = None) -> Rates:
        return self._of(len(SHARES) + 2, first, end)

    @property
    def grid(self) -> LatencyGrid:
        """The orders as they were served, by second and response time."""
        self._refresh()
        return self._grid

    def recent(self, client: int | None, first: int, end: int) -> RecentTimes:
        """The histograms of ``first <= second < end`` that are still kept, of one client or of all."""
        seconds = [self._packed[second] for second in range(first, end) if second in self._packed]
        if client is None:
            found = [packed for by_client in seconds for packed in by_client.values()]
        else:
            found = [by_client[client] for by_client in seconds if client in by_client]
        overdue = [packed for _, _, packed in found if packed is not None]
        return RecentTimes([served for served, _, _ in found], [others for _, others, _ in found], overdue or None)

    def _of(self, row: int, first: int, end: int | None) -> Rates:
        self._refresh()
        values: Rates = self._percentiles[row, first : self._seconds if end is None else min(end, self._seconds)]
        return values

    def _refresh(self) -> None:
        for second in self._stale:
            recent = self.recent(None, second, second + 1)
            counts = merged(recent.histograms)
            times = _percentiles(counts, recent)
            self._percentiles[:, second] = [np.nan if time is None else time for time in times]
            self._grid.put(second, step_counts(counts)[np.newaxis])
        self._stale.clear()
        for second in [each for each in self._packed if each < self._seconds - _KEPT_SECONDS]:
            del self._packed[second]

    def _grow(self, seconds: int) -> None:
        self._seconds = max(self._seconds, seconds)
        capacity = self._percentiles.shape[1]
        if seconds > capacity:
            more = np.full((_ROWS, max(seconds - capacity, capacity)), np.nan)
            self._percentiles = np.concatenate([self._percentiles, more], axis=1)


def recent_percentiles(times: RecentTimes) -> list[float | None]:
    """p95 and p99 of the service times, then both as intended; ``None`` without orders, or without a schedule."""
    _, p95, p99, _, intended_p95, intended_p99 = _percentiles(merged(times.histograms), times)
    return [p95, p99, intended_p95, intended_p99]


def _percentiles(counts: BucketCounts, times: RecentTimes) -> list[float | None]:
    """The percentiles ``SHARES`` of the service times, from their ``counts``, then those as intended."""
    service = percentiles_ms(counts, SHARES)
    if times.overdue is None:
        return [*service, *(None for _ in SHARES)]
    more = b"".join((*times.others, *times.overdue))
    return [*service, *(percentiles_ms(counts + merged([more]), SHARES) if more else service)]
