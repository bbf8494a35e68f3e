"""The knee of a staircase: the number of users from which more users hardly bring more throughput.

The throughput of a closed system is bounded by two lines (P. J. Denning and J. P. Buzen, "The operational analysis of
queueing network models", ACM Computing Surveys 10, 1978; E. D. Lazowska et al., "Quantitative System Performance",
1984, chapter 5): under light load each user adds the same throughput, and under heavy load the busiest resource sets a
level that no user can raise. The knee, N*, is where they cross. Here both lines are fitted to the measured stages: of
all ways to divide these in order into two groups of at least two, the one whose two straight lines (least squares)
leave the smallest sum of squares. The knee is where these two cross, between the first and the last stage.

Kneedle (V. Satopää et al., "Finding a Kneedle in a Haystack", 2011) was not taken: it looks for the greatest distance
from the straight line between the first and the last point, so that its knee moves when the staircase is continued far
beyond saturation, and staircases have too few points for its smoothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from engine.record.totals import StageTotals

LEAST_STAGES = 4
_LEAST_IN_GROUP = 2
# Below this share of the first slope, more users hardly bring more throughput; above it there is no knee to be named.
_FLATTENING = 0.5


@dataclass(frozen=True, kw_only=True)
class Knee:
    """Where the two lines cross: at a ``load`` (users, or a rate), with the ``throughput`` there.

    ``slopes`` are those before and after, in throughput per unit of load.
    """

    load: float
    throughput: float
    slopes: tuple[float, float]


def knee_of(loads: Sequence[float], throughputs: Sequence[float]) -> Knee | None:
    """The knee of stages in the order of their ``loads``, which ascend.

    ``None`` for fewer than four stages, where loads do not ascend, and where the throughput goes on to grow at more
    than half its first slope: then the staircase has not come to its knee.
    """
    x, y = np.asarray(loads, dtype=np.float64), np.asarray(throughputs, dtype=np.float64)
    if len(x) < LEAST_STAGES or bool((np.diff(x) <= 0).any()):
        return None
    best: tuple[float, Knee] | None = None
    for split in range(_LEAST_IN_GROUP, len(x) - _LEAST_IN_GROUP + 1):
        first, second = _line(x[:split], y[:split]), _line(x[split:], y[split:])
        if first[0] <= 0 or second[0] >= _FLATTENING * first[0]:
            continue
        cross = (second[1] - first[1]) / (first[0] - second[0])
        load = float(min(max(cross, x[0]), x[-1]))
        left = first[2] + second[2]
        if best is None or left < best[0]:
            throughput = first[0] * load + first[1]
            best = left, Knee(load=load, throughput=float(throughput), slopes=(first[0], second[0]))
    return None if best is None else best[1]


def knee_of_stages(stages: Sequence[StageTotals]) -> Knee | None:
    """The knee of a run's stages, of users or of a rate."""
    return knee_of([stage.load for stage in stages], [stage.headline for stage in stages])


def loads_ascend(stages: Sequence[StageTotals]) -> bool:
    """Whether each stage has more load than the one before: only then they are points of a curve over the load."""
    return all(before.load < stage.load for before, stage in pairwise(stages))


def _line(x: "np.typing.NDArray[np.float64]", y: "np.typing.NDArray[np.float64]") -> tuple[float, float, float]:
    """Slope and intercept of the line of least squares, and the sum of squares that it leaves."""
    around, level = x - x.mean(), float(y.mean())
    slope = float(around @ (y - level) / (around @ around))
    intercept = level - slope * float(x.mean())
    rest = y - slope * x - intercept
    return slope, intercept, float(rest @ rest)
