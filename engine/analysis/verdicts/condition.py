"""A comparison of a figure that results of a workload have: ``opm < -3 %``, ``p95 > 20 ms`` or ``lost > 0``."""

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from engine.analysis.verdicts.comparison import Comparison, parse_comparison
from engine.analysis.verdicts.figures import CheckedFigure, find_figure
from engine.errors import BadInput

_COMPARISONS: Mapping[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_MILLISECONDS_OF = {"ms": 1.0, "s": 1000.0}


@dataclass(frozen=True, kw_only=True)
class Condition:
    """A figure, or the difference from the baseline's, is in ``comparison`` with ``limit``.

    ``is_change``: the difference from the baseline's figure is compared, ``is_relative`` the same in per cent of it.
    ``limit`` is in the figure's unit, or in per cent when ``is_relative``. ``text`` is the condition as typed, ``name``
    what it calls the figure.
    """

    text: str
    name: str
    figure: CheckedFigure
    comparison: str
    limit: float
    is_change: bool = False
    is_relative: bool = False

    def holds(self, value: float) -> bool:
        """Whether the figure or difference is in the comparison."""
        return _COMPARISONS[self.comparison](value, self.limit)

    @property
    def unit(self) -> str:
        """The figure's unit, unless its name says it."""
        return "" if self.name == self.figure.key else self.figure.unit


def parse_condition(text: str, workload_id: str) -> Condition:
    """Read the condition of a check; the figures are those of a workload's results.

    A limit with a sign is a change from the baseline, in per cent of it with ``%``, else in the figure's unit; without
    a sign it is a value. A unit may be left out. Raises ``BadInput``.
    """
    typed = parse_comparison(text, "condition", "'opm < -3 %' for a change or 'p95 > 20 ms' for a value")
    return condition_of(typed, workload_id, f"condition '{text.strip()}'", text=text.strip())


def condition_of(typed: Comparison, workload_id: str, what: str, *, text: str = "") -> Condition:
    """The condition in the figures of a workload's results; ``what`` begins an error. Raises ``BadInput``."""
    figure = find_figure(typed.figure, workload_id)
    is_relative = typed.unit == "%" and (figure.unit != "%" or typed.is_change)
    if is_relative and not typed.is_change and typed.limit:
        raise BadInput(
            f"{what} does not say whether {typed.limit:g} % is more or less than the baseline; write"
            f" +{typed.limit:g} % or -{typed.limit:g} %."
        )
    return Condition(
        text=text or typed.text,
        name=typed.figure,
        figure=figure,
        comparison=typed.sign,
        limit=typed.limit if is_relative else _in_unit(typed, figure, what),
        is_change=is_relative or typed.is_change,
        is_relative=is_relative,
    )


def _in_unit(typed: Comparison, figure: CheckedFigure, what: str) -> float:
    """The limit in the figure's own unit."""
    if typed.unit in ("", figure.unit):
        return typed.limit
    if typed.unit in _MILLISECONDS_OF and figure.unit in _MILLISECONDS_OF:
        return typed.limit * _MILLISECONDS_OF[typed.unit] / _MILLISECONDS_OF[figure.unit]
    wanted = f"in {figure.unit}" if figure.unit else "without a unit"
    raise BadInput(f"{what} has a limit in {typed.unit}; give the limit of {figure.name} {wanted}.")
