"""The response times of all clients together, second by second: what the response-time chart draws.

Percentiles can't be added up, so each second's are taken from the merged histograms of its clients. Histograms are
kept for as long as a late sample may still belong to their second, and for the sliding window of the figures.
"""

from collections import defaultdict

import numpy as np

from engine.analysis.latency import merged, percentile_ms
from engine.analysis.series import Rates
from engine.sample import Sample

_KEPT_SECONDS = 120
_FIRST_ROOM = 600


class LatencySeries:
    """p95 and p99 by second, in milliseconds; NaN where there was no order or nothing is known yet."""

    def __init__(self) -> None:
        self._percentiles = np.full((2, _FIRST_ROOM), np.nan)
        self._packed: dict[int, dict[int, bytes]] = defaultdict(dict)
        self._stale: set[int] = set()
        self._seconds = 0

    def add(self, sample: Sample) -> None:
        """Take in a sample's histogram; its second's percentiles are computed when they are next asked for."""
        self._packed[sample.second][sample.client] = sample.histogram
        self._stale.add(sample.second)
        self._grow(sample.second + 1)

    def put(self, first: int, p95_ms: Rates, p99_ms: Rates) -> None:
        """Set what was computed elsewhere from a kept run's histograms, from second ``first`` on."""
        self._grow(first + len(p95_ms))
        self._percentiles[:, first : first + len(p95_ms)] = p95_ms, p99_ms

    def p95_ms(self, first: int = 0, end: int | None = None) -> Rates:
        return self._of(0, first, end)

    def p99_ms(self, first: int = 0, end: int | None = None) -> Rates:
        return self._of(1, first, end)

    def recent(self, client: int | None, first: int, end: int) -> list[bytes]:
        """The packed histograms of the seconds ``first <= second < end``, of one client or of all, if still kept."""
        packed = [self._packed[second] for second in range(first, end) if second in self._packed]
        if client is None:
            return [histogram for by_client in packed for histogram in by_client.values()]
        return [by_client[client] for by_client in packed if client in by_client]

    def _of(self, row: int, first: int, end: int | None) -> Rates:
        self._refresh()
        values: Rates = self._percentiles[row, first : self._seconds if end is None else min(end, self._seconds)]
        return values

    def _refresh(self) -> None:
        for second in self._stale:
            counts = merged(self._packed[second].values())
            times = percentile_ms(counts, 95), percentile_ms(counts, 99)
            self._percentiles[:, second] = [np.nan if time is None else time for time in times]
        self._stale.clear()
        for second in [each for each in self._packed if each < self._seconds - _KEPT_SECONDS]:
            del self._packed[second]

    def _grow(self, seconds: int) -> None:
        self._seconds = max(self._seconds, seconds)
        room = self._percentiles.shape[1]
        if seconds > room:
            more = np.full((2, max(seconds - room, room)), np.nan)
            self._percentiles = np.concatenate([self._percentiles, more], axis=1)
