"""Which results by stages are drawn as curves over the load: one alone, and several in one chart."""

from collections.abc import Sequence

from engine.analysis.stages.knee import loads_ascend
from engine.record.totals import StageTotals

LEAST_POINTS = 3


def has_curve(stages: Sequence[StageTotals]) -> bool:
    """Whether there are so many stages, of ascending loads, that a curve says something."""
    return len(stages) >= LEAST_POINTS and loads_ascend(stages)


def comparable_curves(results: Sequence[Sequence[StageTotals]]) -> list[int]:
    """The places of the results that are drawn in one chart: those with a curve, if there are at least two and all are
    over users or all over a rate. Empty otherwise."""
    places = [place for place, stages in enumerate(results) if has_curve(stages)]
    kinds = {results[place][0].users is None for place in places}
    return places if len(places) > 1 and len(kinds) == 1 else []
