"""Percentiles of response times in milliseconds, from merged histograms."""

import math
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from engine.histogram import BUCKETS, value_of

BucketCounts = npt.NDArray[np.int64]
PERCENTILES = (50, 95, 99)


def no_counts() -> BucketCounts:
    """An empty histogram: a count for every bucket of ``engine.histogram``."""
    return np.zeros(BUCKETS, dtype=np.int64)


def merged(packed: Iterable[bytes]) -> BucketCounts:
    """The sum of packed histograms, as a count for every bucket."""
    pairs = np.frombuffer(b"".join(packed), dtype="<u2").reshape(-1, 2)
    weights = np.bincount(pairs[:, 0], weights=pairs[:, 1], minlength=BUCKETS)
    return weights.astype(np.int64)


def percentile_ms(counts: BucketCounts, percent: float) -> float | None:
    """The response time that ``percent`` of the orders did not exceed, by nearest rank; ``None`` without orders.

    It has three significant digits, the precision of its bucket.
    """
    return percentiles_ms(counts, (percent,))[0]


def percentiles_ms(
    counts: BucketCounts, percents: Iterable[float], *, longest_us: int | None = None
) -> list[float | None]:
    """``percentile_ms`` for several percentages of the same orders.

    Where their longest response time was recorded, ``longest_us``, none exceeds it, as the middle of its bucket may.
    """
    reached = np.cumsum(counts)
    orders = int(reached[-1])
    if orders == 0:
        return [None for _ in percents]
    ranks = [max(1, int(np.ceil(orders * percent / 100))) for percent in percents]
    longest_ms = math.inf if longest_us is None else longest_us / 1000
    return [min(bucket_ms(int(np.searchsorted(reached, rank))), longest_ms) for rank in ranks]


def histogram_mean_ms(counts: BucketCounts) -> float | None:
    """The mean of a histogram's response times, each taken as the middle of its bucket; ``None`` without orders."""
    filled = np.flatnonzero(counts)
    if not len(filled):
        return None
    times_us = np.array([value_of(bucket) for bucket in filled.tolist()])
    return mean_ms(round(float(times_us @ counts[filled])), int(counts.sum()))


def bucket_ms(bucket: int) -> float:
    """The response time of a bucket of ``engine.histogram`` in milliseconds, rounded to its precision."""
    return float(f"{value_of(bucket) / 1000:.4g}")


def mean_ms(total_us: int, count: int) -> float | None:
    """The mean of ``count`` times with the sum ``total_us``, exact to the microsecond; ``None`` for a count of 0."""
    return round(total_us / count / 1000, 3) if count else None
