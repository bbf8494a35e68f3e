"""A figure of the benchmarks: what was measured in each round, and the goal beside it. Every section makes some."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

MET, FIRST_STEP, MISSED = "met", "first step", "MISSED"


@dataclass(frozen=True, kw_only=True)
class Goal:
    """The goal of a figure: at most ``limit``, or at least; for a difference, at most that far from 0 (``either_way``).

    ``first_step`` is an easier intermediate goal. With ``in_every_round`` every round must meet the goal, not only the
    median.
    """

    limit: float
    at_least: bool = False
    first_step: float | None = None
    either_way: bool = False
    in_every_round: bool = False

    def judged(self, rounds: Sequence[float]) -> float:
        """The value that is judged: the median of all rounds, or the worst."""
        if not self.in_every_round:
            return statistics.median(rounds)
        return min(rounds) if self.at_least else max(rounds, key=abs if self.either_way else None)

    def verdict(self, value: float) -> str:
        if self._reaches(value, self.limit):
            return MET
        if self.first_step is not None and self._reaches(value, self.first_step):
            return FIRST_STEP
        return MISSED

    def __str__(self) -> str:
        never = " in every round" if self.in_every_round else ""
        return f"{'±' if self.either_way else '≥' if self.at_least else '≤'} {self.limit:g}{never}"

    def _reaches(self, value: float, limit: float) -> bool:
        if self.either_way:
            return abs(value) <= limit
        return value >= limit if self.at_least else value <= limit


@dataclass(frozen=True, kw_only=True)
class Figure:
    """One figure with the value of each round; the median is printed, and judged unless the goal says otherwise."""

    name: str
    unit: str
    rounds: tuple[float, ...]
    goal: Goal | None = None

    @property
    def median(self) -> float:
        return statistics.median(self.rounds)

    @property
    def verdict(self) -> str:
        """Empty where there is no goal."""
        return "" if self.goal is None else self.goal.verdict(self.goal.judged(self.rounds))

    def to_dict(self) -> dict[str, Any]:
        """Plain values for the JSON file."""
        plain: dict[str, Any] = {
            "name": self.name,
            "unit": self.unit,
            "rounds": list(self.rounds),
            "median": self.median,
            "min": min(self.rounds),
            "max": max(self.rounds),
        }
        if self.goal is not None:
            plain["goal"] = {
                "limit": self.goal.limit,
                "at_least": self.goal.at_least,
                "first_step": self.goal.first_step,
                "either_way": self.goal.either_way,
                "in_every_round": self.goal.in_every_round,
            }
            plain["verdict"] = self.verdict
        return plain


def figure(name: str, unit: str, values: Sequence[float], goal: Goal | None = None) -> Figure:
    return Figure(name=name, unit=unit, rounds=tuple(values), goal=goal)


def ratios(values: Sequence[float], others: Sequence[float]) -> list[float]:
    """Relations are computed round by round, since a disturbance usually affects both measurements of a round."""
    return [value / other for value, other in zip(values, others, strict=True)]


def spread(values: Sequence[float], form: str) -> str:
    """The median with the least and the most beside it; of one value, it alone."""
    middle = format(statistics.median(values), form)
    return middle if len(values) == 1 else f"{middle} [{format(min(values), form)}–{format(max(values), form)}]"


def against_goal(what: str, values: Sequence[float], goal: Goal, unit: str) -> Figure:
    """Print one line, a figure beside its goal and whether it is met; the figure."""
    made = figure(what, unit, values, goal)
    print(f"{what:<50} {spread(values, '.2f'):>22} {unit:<4} goal {goal}: {made.verdict}")
    return made
