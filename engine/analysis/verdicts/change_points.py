"""Change points in a series of results: where its distribution changed, found by E-divisive with a permutation test.

Source: D. S. Matteson and N. A. James, "A Nonparametric Approach for Multiple Change Point Analysis of Multivariate
Data", Journal of the American Statistical Association 109 (2014), section 2. Its use on the results of a performance
test over time is that of D. Daly and others, "The Use of Change Point Detection to Identify Software Performance
Regressions in a Continuous Integration System", ICPE 2020.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from engine.errors import BadInput

SIGNIFICANCE = 0.05
_PERMUTATIONS = 499
_LEAST_SIZE = 3
"""The fewest results on either side of a change point: the distances within two results are a single one."""
_SEED = 20140101
_Numbers: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class ChangePoint:
    """``index`` is that of the first result after the change.

    ``before`` and ``after`` are the medians of the results between this change point and its neighbours, ``change_pct``
    their difference in per cent (``None`` if ``before`` is 0). ``p_value`` is the share of random orders in which the
    best split separates as well.
    """

    index: int
    before: float
    after: float
    change_pct: float | None
    p_value: float


def change_points(values: Sequence[float], *, significance: float = SIGNIFICANCE) -> list[ChangePoint]:
    """The change points of a series, in its order.

    The series is split where the energy distance between both sides is largest, then each part again, for as long as at
    most ``significance`` of random orders within the parts have a split that separates as well. The random orders are
    the same in each call, so that the same series has the same change points. Raises ``BadInput`` for values that are
    not finite.
    """
    series = np.asarray(values, dtype=np.float64)
    if not np.isfinite(series).all():
        raise BadInput("a history contains a figure that is not a finite number; leave that run out.")
    distances = np.abs(series[:, None] - series[None, :])
    random = np.random.default_rng(_SEED)
    bounds, p_values = [0, len(series)], dict[int, float]()
    while (best := _best_of_parts(distances, bounds)) is not None:
        p_value = _p_value(distances, bounds, best.separation, random)
        if p_value > significance:
            break
        p_values[best.index] = p_value
        bounds = sorted((*bounds, best.index))
    return [_point(series, bounds, index, p_values[index]) for index in bounds[1:-1]]


@dataclass(frozen=True)
class _Split:
    index: int
    separation: float


def _best_of_parts(distances: _Numbers, bounds: Sequence[int]) -> _Split | None:
    """The best split of all parts between the bounds; ``None`` where all are too short to be split."""
    splits = [
        _Split(first + split.index, split.separation)
        for first, end in itertools.pairwise(bounds)
        if (split := _best_split(distances[first:end, first:end])) is not None
    ]
    return max(splits, key=lambda split: split.separation, default=None)


def _best_split(distances: _Numbers) -> _Split | None:
    """The split of one part with the largest scaled energy distance of the source, with exponent 1: m n / (m + n) times
    (twice the mean distance between both sides, minus the mean distances within each)."""
    count = len(distances)
    if count < 2 * _LEAST_SIZE:
        return None
    sums = np.zeros((count + 1, count + 1))
    sums[1:, 1:] = distances.cumsum(axis=0).cumsum(axis=1)
    left = np.arange(_LEAST_SIZE, count - _LEAST_SIZE + 1)
    right = count - left
    within_left = sums[left, left]
    between = sums[left, count] - within_left
    within_right = sums[count, count] - within_left - 2 * between
    energy = 2 * between / (left * right) - within_left / (left * (left - 1)) - within_right / (right * (right - 1))
    separation = energy * left * right / count
    best = int(separation.argmax())
    return _Split(int(left[best]), float(separation[best]))


def _p_value(distances: _Numbers, bounds: Sequence[int], separation: float, random: "np.random.Generator") -> float:
    """The share of random orders within the parts whose best split separates at least as well."""
    as_good = 0
    for _ in range(_PERMUTATIONS):
        order = np.concatenate([first + random.permutation(end - first) for first, end in itertools.pairwise(bounds)])
        best = _best_of_parts(distances[np.ix_(order, order)], bounds)
        # Sums in another order differ in their last digits, and equal separations must count.
        as_good += best is not None and best.separation >= separation * (1 - 1e-9)
    return (as_good + 1) / (_PERMUTATIONS + 1)


def _point(series: _Numbers, bounds: Sequence[int], index: int, p_value: float) -> ChangePoint:
    place = bounds.index(index)
    before = float(np.median(series[bounds[place - 1] : index]))
    after = float(np.median(series[index : bounds[place + 1]]))
    return ChangePoint(
        index=index,
        before=before,
        after=after,
        change_pct=100 * (after - before) / abs(before) if before else None,
        p_value=p_value,
    )
