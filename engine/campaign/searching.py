"""The arithmetic of a search: doubling from the lowest value until one does not hold, then bisection.

Values lie on a grid: ``least``, ``least + resolution`` … up to ``most``. The search takes it that what holds at a value
holds at every lower one. A point that can't be judged bounds the search as one that misses does, and the
answer says so.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from engine.analysis.verdicts.comparison import Comparison
from engine.campaign.criteria import Criterion
from engine.figure_text import listed


class Verdict(StrEnum):
    """What a point of a search came to; the values are stored."""

    HOLDS = "holds"
    MISSES = "misses"
    REFUSED = "refused"


@dataclass(frozen=True, kw_only=True)
class Point:
    """A measured point: ``figures`` by their keys, as far as known, and ``reasons`` for the verdict as clauses.

    ``run_id`` is the run that represents the point: its only one, or the median one. ``remarks`` are sentences on what
    limits the verdict without refusing it.
    """

    value: float
    verdict: Verdict
    figures: Mapping[str, float | None] = field(default_factory=dict)
    reasons: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    run_id: str = ""

    def to_dict(self) -> dict[str, Any]:
        return {
            "value": self.value,
            "verdict": self.verdict.value,
            "figures": dict(self.figures),
            "reasons": list(self.reasons),
            "remarks": list(self.remarks),
            "run_id": self.run_id,
        }

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> "Point":
        lists = {key: tuple(plain[key]) for key in ("reasons", "remarks")}
        return cls(**(dict(plain) | lists | {"verdict": Verdict(plain["verdict"])}))


@dataclass(frozen=True, kw_only=True)
class Grid:
    """The values of a search."""

    least: float
    most: float
    resolution: float = 1

    @property
    def last(self) -> int:
        """The index of the highest value."""
        return math.floor(round((self.most - self.least) / self.resolution, 9))

    def value(self, index: int) -> float:
        return round(self.least + index * self.resolution, 9)

    def index(self, value: float) -> int:
        return round((value - self.least) / self.resolution)


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What a search found: the highest value that holds, and the lowest one above it that does not; ``None`` is none.

    ``is_certain`` is false when that one could not be judged, or when every value up to the highest one holds: then the
    answer may be higher.
    """

    highest: float | None
    bound: float | None
    is_certain: bool
    sentence: str


def next_value(grid: Grid, points: Sequence[Point]) -> float | None:
    """The value to measure next; ``None`` when the search is over."""
    low, high = _around(grid, points)
    if not points:
        return grid.value(0)
    if low is None:
        return None
    if high is None:
        if low == grid.last:
            return None
        doubled = math.floor(round((2 * grid.value(low) - grid.least) / grid.resolution, 9))
        return grid.value(min(max(doubled, low + 1), grid.last))
    return grid.value((low + high) // 2) if high - low > 1 else None


def answer(grid: Grid, points: Sequence[Point], what: str, criteria: Sequence[Comparison]) -> Answer:
    """What the points of a search that is over come to; ``what`` are the words for the values, such as ``Users``."""
    low, high = _around(grid, points)
    by_index = {grid.index(point.value): point for point in points}
    bound = None if high is None else by_index[high]
    held = " and ".join(each.text for each in criteria)
    highest = None if low is None else grid.value(low)
    if highest is None:
        sentence = (
            f"{what}: not even {grid.value(0):g} holds {held}." if bound is not None else f"{what}: not measured."
        )
    else:
        sentence = f"{what}: {highest:g} holds {held}."
    if bound is None:
        sentence += "" if highest is None else " It is the end of the search; the limit may be higher."
    elif bound.verdict is Verdict.MISSES:
        sentence += f" {bound.value:g} misses it: {listed(bound.reasons)}."
    else:
        sentence += f" {bound.value:g} can't be judged: {listed(bound.reasons)}. The limit may be higher."
    if bound is not None and highest is None and bound.verdict is Verdict.REFUSED:
        sentence = f"{what}: {bound.value:g}, the lowest, can't be judged: {listed(bound.reasons)}."
    is_certain = bound is not None and bound.verdict is Verdict.MISSES
    return Answer(
        highest=highest, bound=None if bound is None else bound.value, is_certain=is_certain, sentence=sentence
    )


def judge(
    criteria: Sequence[Criterion],
    figures: Mapping[str, float | None],
    refusals: Sequence[str] = (),
    doubts: Sequence[str] = (),
) -> tuple[Verdict, tuple[str, ...]]:
    """The verdict on a point with these figures, and the reasons for it.

    ``refusals`` say why it must not be judged; ``doubts`` the same of a point that misses, as what they name can only
    have made its figures worse.
    """
    if refusals:
        return Verdict.REFUSED, tuple(refusals)
    unknown, missed = [], []
    for each in criteria:
        value = figures.get(each.figure.key)
        if value is None:
            unknown.append(f"{each.name} is not known")
        elif not each.holds(value):
            missed.append(f"{each.name} is {value:.10g} {each.unit}".rstrip())
    if unknown:
        return Verdict.REFUSED, tuple(unknown)
    if missed and doubts:
        return Verdict.REFUSED, (*missed, *doubts)
    return (Verdict.MISSES, tuple(missed)) if missed else (Verdict.HOLDS, ())


def _around(grid: Grid, points: Sequence[Point]) -> tuple[int | None, int | None]:
    """The indices of the highest value that holds, below every one that does not, and of the lowest that does not."""
    high = min((grid.index(each.value) for each in points if each.verdict is not Verdict.HOLDS), default=None)
    held = [grid.index(each.value) for each in points if each.verdict is Verdict.HOLDS]
    low = max((each for each in held if high is None or each < high), default=None)
    return low, high
