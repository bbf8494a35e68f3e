"""Scaling: how the headline rate grows with a factor such as processors, databases, users, think time.

Called by comparisons and reports. Published tables give the increase relative to their first row: 16,771, 36,833 and
59,409 OPM for 1, 2 and 4 are +119.6 % and +254.2 %.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from engine.analysis.comparing.change import Change, change_of


@dataclass(frozen=True, kw_only=True)
class ScalingPoint:
    """A value of the factor, as typed, and the headline rate with it; ``None`` is unknown."""

    factor: str
    headline_rate: float | None


@dataclass(frozen=True, kw_only=True)
class ScalingStep:
    """One row of the table.

    ``number`` is the factor if it is a number, ``increase`` the difference of its rate from the first row's.
    ``headline_rate_per_unit`` is the rate divided by the number, ``efficiency_pct`` that in per cent of the first
    row's, so that 100 % is linear scaling; both ``None`` where the number is not above 0 or something is unknown.
    """

    factor: str
    headline_rate: float | None
    number: float | None
    increase: Change
    headline_rate_per_unit: float | None
    efficiency_pct: float | None


def scaling(points: Sequence[ScalingPoint]) -> tuple[ScalingStep, ...]:
    """The rows of the points in order; all are relative to the first."""
    if not points:
        return ()
    first = points[0]
    first_per_unit = _per_unit(first)
    return tuple(
        ScalingStep(
            factor=point.factor,
            headline_rate=point.headline_rate,
            number=factor_number(point.factor),
            increase=change_of(point.headline_rate, first.headline_rate),
            headline_rate_per_unit=_per_unit(point),
            efficiency_pct=_share_pct(_per_unit(point), first_per_unit),
        )
        for point in points
    )


def by_factor(points: Sequence[ScalingPoint]) -> list[ScalingPoint]:
    """The points sorted by factor; unsorted when a factor is not a number."""
    numbers = [factor_number(point.factor) for point in points]
    known = [number for number in numbers if number is not None]
    if len(known) < len(points):
        return list(points)
    return [point for _, point in sorted(zip(known, points, strict=True), key=lambda pair: pair[0])]


def factor_number(text: str) -> float | None:
    """A factor as a number; ``None`` when it is another text."""
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _per_unit(point: ScalingPoint) -> float | None:
    number = factor_number(point.factor)
    return None if point.headline_rate is None or number is None or number <= 0 else point.headline_rate / number


def _share_pct(value: float | None, of: float | None) -> float | None:
    return None if value is None or not of else 100 * value / of
