"""The difference of two figures, used by all comparisons, scaling tables and economics."""

import math
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction


@dataclass(frozen=True, kw_only=True)
class Change:
    """``absolute`` is the figure minus its base, in their unit; ``percent`` that difference in per cent of the base's
    absolute value, and ``times`` the figure divided by the base.

    All are ``None`` if either figure is unknown; ``percent`` and ``times`` also if the base is 0.
    """

    absolute: float | None = None
    percent: float | None = None
    times: float | None = None


def change_of(figure: float | Decimal | None, base: float | Decimal | None) -> Change:
    """How ``figure`` differs from ``base``, computed exactly; infinite and NaN count as unknown."""
    value, of = _exact(figure), _exact(base)
    if value is None or of is None:
        return Change()
    absolute = value - of
    if not of:
        return Change(absolute=float(absolute))
    return Change(absolute=float(absolute), percent=float(100 * absolute / abs(of)), times=float(value / of))


def _exact(number: float | Decimal | None) -> Fraction | None:
    return Fraction(number) if number is not None and math.isfinite(number) else None
