"""Whether the queue within a workload's emulation grew while it was measured: then the users did not keep up with it.

A queue that an outage has filled is emptied again. One that grows to the end is not: the straight line through its
depth, by least squares over windows of ten seconds, rises over the measuring phase by more than the transactions that
the headline counts in a second, and by more than three standard errors of its slope.
"""

import math

import numpy as np

from engine.analysis.series.rates import Rates
from engine.record.totals import BacklogTotals

WINDOW_SECONDS = 10
LEAST_WINDOWS = 6
_SIGMAS = 3.0


def backlog_totals(depths: Rates, counted_per_second: float) -> BacklogTotals | None:
    """The figures of a queue by the second, NaN where unknown, in a run whose headline counts so many transactions a
    second. ``None`` where nothing is known."""
    known = depths[~np.isnan(depths)]
    if not len(known):
        return None
    growth, error = _growth(depths)
    limit = max(counted_per_second, 1.0)
    return BacklogTotals(
        mean=round(float(known.mean()), 2),
        longest=int(known.max()),
        growth=round(growth, 1),
        has_grown=None if math.isnan(error) else growth > limit and growth > _SIGMAS * error,
    )


def _growth(depths: Rates) -> tuple[float, float]:
    """How much the straight line rises from the first second to the last, and the standard error of that; NaN for too
    few windows."""
    windows = len(depths) // WINDOW_SECONDS
    rows = depths[: windows * WINDOW_SECONDS].reshape(windows, WINDOW_SECONDS)
    is_known = (~np.isnan(rows)).sum(axis=1) * 2 >= WINDOW_SECONDS
    if int(is_known.sum()) < LEAST_WINDOWS:
        return 0.0, math.nan
    y = np.nanmean(rows[is_known], axis=1)
    x = np.flatnonzero(is_known) * float(WINDOW_SECONDS)
    around = x - x.mean()
    slope = float(around @ y / (around @ around))
    left = y - y.mean() - slope * around
    error = math.sqrt(float(left @ left) / (len(y) - 2) / float(around @ around))
    return slope * len(depths), error * len(depths)
