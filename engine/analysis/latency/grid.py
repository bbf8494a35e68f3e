"""The number of orders by second and response time, in logarithmic steps: for heat maps and histograms.

The steps are coarser than the buckets of ``engine.histogram``: 20 per decade, each 12 % wider than the one before, from
0.1 ms to 100 s. A day takes 21 MB.
"""

from functools import cache

import numpy as np
import numpy.typing as npt

from engine.analysis.latency.percentiles import BucketCounts
from engine.histogram import BUCKETS, value_of

STEPS_PER_DECADE = 20
_DECADES = 6
STEPS = STEPS_PER_DECADE * _DECADES
LOWEST_MS = 0.1
_FIRST_ROOM = 600
_MOST = np.iinfo(np.uint16).max

StepCounts = npt.NDArray[np.int64]


def edges_ms() -> npt.NDArray[np.float64]:
    """The response times in milliseconds at which the steps begin, and the one at which the last ends."""
    edges: npt.NDArray[np.float64] = LOWEST_MS * 10 ** (np.arange(STEPS + 1) / STEPS_PER_DECADE)
    return edges


class LatencyGrid:
    """Counts by second and step over all clients; times outside the steps count in the nearest one.

    The count of a second and step is limited to 65 535.
    """

    def __init__(self) -> None:
        self.seconds = 0
        self._counts = np.zeros((_FIRST_ROOM, STEPS), dtype=np.uint16)

    def put(self, first: int, counts: StepCounts) -> None:
        """Set the counts of consecutive seconds from ``first`` on: a row for each second, a column for each step."""
        end = first + len(counts)
        self._grow(end)
        self._counts[first:end] = np.minimum(counts, _MOST)

    def between(self, first: int, end: int) -> npt.NDArray[np.uint16]:
        """The counts of ``first <= second < end``, a row for each second; unknown seconds are zeros."""
        return self._counts[max(0, first) : min(end, self.seconds)]

    def sum(self, first: int, end: int) -> StepCounts:
        """The number of orders of ``first <= second < end`` in each step."""
        total: StepCounts = self.between(first, end).sum(axis=0, dtype=np.int64)
        return total

    def _grow(self, seconds: int) -> None:
        self.seconds = max(self.seconds, seconds)
        capacity = len(self._counts)
        if seconds > capacity:
            more = np.zeros((max(seconds - capacity, capacity), STEPS), dtype=np.uint16)
            self._counts = np.concatenate([self._counts, more])


def step_counts(counts: BucketCounts) -> StepCounts:
    """The counts of the buckets of ``engine.histogram``, summed by step."""
    steps: StepCounts = steps_of_cumulated(np.cumsum(counts)[np.newaxis], 0)[0]
    return steps


def steps_of_cumulated(reached: npt.NDArray[np.number], lowest: int) -> StepCounts:
    """Counts by step, a row for each of ``reached``: the cumulated counts of consecutive buckets from ``lowest``."""
    within = np.clip(_first_buckets() - lowest, 0, reached.shape[1])
    at_begins = np.where(within > 0, reached[:, within - 1], 0).astype(np.int64)
    steps: StepCounts = np.diff(at_begins, axis=1)
    return steps


@cache
def _first_buckets() -> npt.NDArray[np.int64]:
    """The bucket at which each step begins, and the one after the last; the outer steps include everything beyond."""
    values_us = np.array([value_of(bucket) for bucket in range(BUCKETS)])
    begins = np.searchsorted(values_us, 1_000 * edges_ms())
    begins[0], begins[-1] = 0, BUCKETS
    return begins
