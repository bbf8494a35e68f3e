"""A condition under which a result fails, such as ``opm < -3 %``, ``p95 > 20 ms`` or ``lost > 0``, read from text."""

import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from engine.analysis.verdicts.figures import CheckedFigure, find_figure
from engine.errors import BadInput

_FORM = re.compile(
    r"\s*(?P<figure>[A-Za-z_][\w.-]*)\s*(?P<comparison><=|>=|<|>)\s*(?P<sign>[+\-−])?\s*"
    r"(?P<number>\d[\d,]*(?:\.\d+)?|\.\d+)\s*(?P<unit>%|ms|s)?\s*"
)
_COMPARISONS: Mapping[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_MILLISECONDS_OF = {"ms": 1.0, "s": 1000.0}


@dataclass(frozen=True, kw_only=True)
class Condition:
    """A result fails when its figure, or the difference from the baseline's, is in ``comparison`` with ``limit``.

    ``is_change``: the difference from the baseline's figure is compared, ``is_relative`` the same in per cent of it.
    ``limit`` is in the figure's unit, or in per cent when ``is_relative``. ``text`` is the condition as typed.
    """

    text: str
    figure: CheckedFigure
    comparison: str
    limit: float
    is_change: bool = False
    is_relative: bool = False

    def holds(self, value: float) -> bool:
        """Whether the figure or difference is in the comparison, so that the result fails."""
        return _COMPARISONS[self.comparison](value, self.limit)


def parse_condition(text: str, workload_id: str) -> Condition:
    """Read ``FIGURE < LIMIT``; the figures are those of a workload's results.

    A limit with a sign is a change from the baseline, in per cent of it with ``%``, else in the figure's unit; without
    a sign it is a value. A unit may be left out. Raises ``BadInput``.
    """
    match = _FORM.fullmatch(text)
    if match is None:
        raise BadInput(
            f"condition is '{text.strip()}'; write a figure, <, <=, > or >=, and a limit, such as 'opm < -3 %' for a"
            " change or 'p95 > 20 ms' for a value."
        )
    figure, unit = find_figure(match["figure"], workload_id), match["unit"] or ""
    number = float(match["number"].replace(",", ""))
    is_relative = unit == "%" and (figure.unit != "%" or match["sign"] is not None)
    if is_relative and match["sign"] is None and number:
        raise BadInput(
            f"condition '{text.strip()}' does not say whether {number:g} % is more or less than the baseline; write"
            f" +{number:g} % or -{number:g} %."
        )
    return Condition(
        text=text.strip(),
        figure=figure,
        comparison=match["comparison"],
        limit=(-1 if match["sign"] in ("-", "−") else 1)
        * (number if is_relative else _in_unit(number, unit, figure, text)),
        is_change=is_relative or match["sign"] is not None,
        is_relative=is_relative,
    )


def _in_unit(number: float, unit: str, figure: CheckedFigure, text: str) -> float:
    """The number in the figure's own unit."""
    if unit in ("", figure.unit):
        return number
    if unit in _MILLISECONDS_OF and figure.unit in _MILLISECONDS_OF:
        return number * _MILLISECONDS_OF[unit] / _MILLISECONDS_OF[figure.unit]
    wanted = f"in {figure.unit}" if figure.unit else "without a unit"
    raise BadInput(
        f"condition '{text.strip()}' has a limit in {unit}; give the limit of {figure.name} {wanted}, or a change in %."
    )
