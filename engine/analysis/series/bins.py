"""Reduces the points of a curve for drawing: the lowest and the highest of every bin, and every gap.

Used by the charts of the window and of reports. The result is always a subset of the given points at their own seconds:
an outage of one second in a day remains visible, and gaps keep their width.
"""

import numpy as np
import numpy.typing as npt

from engine.analysis.series.rates import Rates

Seconds = npt.NDArray[np.float64]
_Places = npt.NDArray[np.intp]

BINS = 800


def min_max_bins(values: Rates, first: int = 0, end: int | None = None, bins: int = BINS) -> tuple[Seconds, Rates]:
    """The points of ``first <= second < end`` that are needed to draw ``values``, as (seconds, values).

    ``values`` holds one value a second, NaN where unknown. Each bin keeps its first lowest and first highest known
    point; bins begin at multiples of their width, so that they stay in place while the range moves. The first and last
    NaN of each gap and their neighbours are kept, and so are both ends of the range. Up to twice as many seconds as
    ``bins`` are returned unchanged.
    """
    first = max(0, first)
    end = len(values) if end is None else min(end, len(values))
    if end <= first:
        return np.empty(0), np.empty(0)
    width = -(-(end - first) // bins)
    places = np.arange(first, end) if width <= 2 else _extremes(values, first, end, width)
    missing = np.isnan(values[first:end])
    if missing.any():
        places = _once(np.sort(np.concatenate([places, _edges(missing) + first])))
    return places.astype(np.float64), values[places]


def _extremes(values: Rates, first: int, end: int, width: int) -> _Places:
    """The places of each bin's lowest and highest value; the first and the last bin may be narrower."""
    start = min(end, -(-first // width) * width)
    stop = max(start, end // width * width)
    places = [np.array([first])]
    for begin, until, step in ((first, start, start - first), (start, stop, width), (stop, end, end - stop)):
        if until > begin:
            places.append(_row_extremes(values[begin:until].reshape(-1, step)) + begin)
    return _once(np.concatenate([*places, [end - 1]]))


def _row_extremes(rows: Rates) -> _Places:
    """The places of each row's lowest and highest, in the order of all."""
    lowest, highest = rows.argmin(axis=1), rows.argmax(axis=1)
    # argmin stops at the first NaN: only the few rows that hold one are looked at again.
    gappy = np.flatnonzero(np.isnan(rows[np.arange(len(rows)), lowest]))
    if len(gappy):
        missing = np.isnan(rows[gappy])
        lowest[gappy] = np.where(missing, np.inf, rows[gappy]).argmin(axis=1)
        highest[gappy] = np.where(missing, -np.inf, rows[gappy]).argmax(axis=1)
    starts = np.arange(len(rows)) * rows.shape[1]
    places: _Places = np.stack([np.minimum(lowest, highest) + starts, np.maximum(lowest, highest) + starts], axis=1)
    return places.ravel()


def _once(places: _Places) -> _Places:
    """Sorted places without repetitions; ``np.unique`` would sort them again."""
    once: _Places = places[np.concatenate([[True], places[1:] != places[:-1]])]
    return once


def _edges(missing: npt.NDArray[np.bool_]) -> _Places:
    """The two places at each change between known and unknown."""
    before = np.flatnonzero(missing[1:] != missing[:-1])
    return np.concatenate([before, before + 1])
