"""The percentiles of each second of a stored run, computed for many seconds at once from blocks of histograms.

Each second has the result of ``engine.analysis.latency.percentiles.percentile_ms`` for its merged histograms. Called by
``engine.library.whole_run``.
"""

from collections.abc import Collection, Sequence
from functools import cache

import numpy as np
import numpy.typing as npt

from engine.analysis.latency.grid import STEPS, StepCounts, steps_of_cumulated
from engine.analysis.latency.percentiles import bucket_ms
from engine.analysis.latency.series import SHARES, SecondTimes
from engine.analysis.series.blocks import HistogramBlock
from engine.analysis.series.rates import Rates
from engine.histogram import BUCKETS

_SECONDS_AT_ONCE = 128
_Pairs = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int64]]


def second_percentiles(
    blocks: Sequence[HistogramBlock], first: int, end: int, percents: Sequence[float]
) -> npt.NDArray[np.float64]:
    """The response times in milliseconds that ``percents`` of the orders of each second did not exceed.

    A row for each of ``percents`` and a column for each of ``first <= second < end``; NaN without orders. ``blocks``,
    at least one, hold the seconds of one client each.
    """
    return _percentiles_and_steps(blocks, first, end, percents)[0]


def second_times(
    blocks: Sequence[HistogramBlock], first: int, end: int, *, others: Collection[str] = ()
) -> SecondTimes:
    """The response times of each second: service times and, where there is a schedule, as intended.

    The latter are those of the ``others`` as well, the ids of the other types of transactions.
    """
    service, steps = _percentiles_and_steps(blocks, first, end, SHARES)
    overdue = [block.overdue for block in blocks if block.overdue is not None]
    more = [block for block in overdue if block.packed]
    more += [each for block in blocks for kind, each in (block.others or {}).items() if kind in others]
    if overdue and more:
        intended: Rates | None = second_percentiles([*blocks, *more], first, end, SHARES)
    else:
        intended = service if overdue else None
    return SecondTimes(first=first, service=service, intended=intended, steps=steps)


def _percentiles_and_steps(
    blocks: Sequence[HistogramBlock], first: int, end: int, percents: Sequence[float]
) -> tuple[Rates, StepCounts]:
    starts = range(first, end, _SECONDS_AT_ONCE)
    parts = [_of_span(blocks, start, min(start + _SECONDS_AT_ONCE, end), percents) for start in starts]
    times = np.concatenate([np.empty((len(percents), 0)), *(times for times, _ in parts)], axis=1)
    return times, np.concatenate([np.empty((0, STEPS), dtype=np.int64), *(steps for _, steps in parts)])


def _of_span(
    blocks: Sequence[HistogramBlock], first: int, end: int, percents: Sequence[float]
) -> tuple[Rates, StepCounts]:
    pairs = zip(*(_pairs(block, first, end) for block in blocks), strict=True)
    seconds, buckets, counts = (np.concatenate(each) for each in pairs)
    times = np.full((len(percents), end - first), np.nan)
    if not len(seconds):
        return times, np.zeros((end - first, STEPS), dtype=np.int64)
    lowest, width = buckets.min(), int(np.ptp(buckets)) + 1
    at = (seconds - first) * width + buckets - lowest
    table = np.bincount(at, weights=counts, minlength=(end - first) * width).reshape(end - first, width)
    reached = np.cumsum(table, axis=1)
    orders = reached[:, -1]
    for row, percent in enumerate(percents):
        rank = np.maximum(1, np.ceil(orders * percent / 100))
        bucket = lowest + np.argmax(reached >= rank[:, np.newaxis], axis=1)
        times[row] = np.where(orders > 0, _milliseconds()[bucket], np.nan)
    return times, steps_of_cumulated(reached, int(lowest))


def _pairs(block: HistogramBlock, first: int, end: int) -> _Pairs:
    """The second, bucket and count of every packed pair in a span of seconds."""
    begin, after = np.searchsorted(block.seconds, (first, end))
    offsets = block.offsets[begin : after + 1]
    pairs = np.frombuffer(block.packed[offsets[0] : offsets[-1]], dtype="<u2").reshape(-1, 2).astype(np.int64)
    seconds = np.repeat(block.seconds[begin:after], np.diff(offsets) // 4)
    return seconds, pairs[:, 0], pairs[:, 1]


@cache
def _milliseconds() -> Rates:
    """The response time of every bucket."""
    return np.array([bucket_ms(bucket) for bucket in range(BUCKETS)])
