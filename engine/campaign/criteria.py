"""What has to hold at a point of a search: ``p95_ms <= 20``, ``opm_per_target >= 25000``.

The figures are those of a run over its measured seconds, by the names of ``FIGURES`` and of the workload's headline.
"""

import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from engine.errors import BadInput
from engine.workload.parameters import did_you_mean
from engine.workload.workload import Workload

_TEXT = re.compile(
    r"\s*(?P<figure>\w+)\s*(?P<sign>[<>]=?)\s*(?P<bound>\d{1,12}(?:\.\d{1,6})?)\s*(?P<unit>ms|%)?\s*", re.ASCII
)
_SIGNS: Mapping[str, Callable[[float, float], bool]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
FIGURES = ("mean_ms", "p50_ms", "p95_ms", "p99_ms", "max_ms", "errors", "error_pct", "rollback_pct")
"""Response times are the service times of the transactions that the headline counts; ``error_pct`` is errors against
these transactions."""


@dataclass(frozen=True)
class Criterion:
    """A figure's name, a sign, and the bound."""

    figure: str
    sign: str
    bound: float

    @property
    def text(self) -> str:
        """The criterion as it is typed; ``parse_criterion`` reads it back."""
        return f"{self.figure} {self.sign} {_number(self.bound)}"

    def is_met(self, figures: Mapping[str, float | None]) -> bool | None:
        """Whether it holds; ``None`` when the figure is unknown."""
        value = figures.get(self.figure)
        return None if value is None else _SIGNS[self.sign](value, self.bound)


def parse_criterion(text: str) -> Criterion:
    """Read a criterion; raises ``BadInput``."""
    match = _TEXT.fullmatch(text)
    if match is None:
        raise BadInput(f"hold is '{text}'; write a figure, <, <=, > or >=, and a number, such as p95_ms <= 20.")
    return Criterion(match["figure"].lower(), match["sign"], float(match["bound"]))


def figure_names(workload: Workload) -> tuple[str, ...]:
    """The names of the figures that a criterion can be about in runs of a workload."""
    headline = workload.headline.id
    return (headline, f"{headline}_per_target", *FIGURES)


def check_criterion(criterion: Criterion, workload: Workload) -> None:
    """Raise ``BadInput`` for a figure that runs of the workload do not have."""
    known = figure_names(workload)
    if criterion.figure not in known:
        raise BadInput(
            f"hold is '{criterion.text}', and runs of {workload.title} have no figure '{criterion.figure}';"
            f" {did_you_mean(criterion.figure, known, 'give one of')}."
        )


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else repr(value)
