"""What has to hold at a point of a search: ``p95 <= 20 ms``, ``opm_per_target >= 25000``."""

from engine.analysis.verdicts.comparison import Comparison, parse_comparison
from engine.analysis.verdicts.condition import Condition, condition_of
from engine.analysis.verdicts.figures import find_figure
from engine.errors import BadInput

Criterion = Condition
"""A condition of the figures of a point's runs, which has to hold."""


def parse_criterion(text: str) -> Comparison:
    """Read a criterion; raises ``BadInput``."""
    return parse_comparison(text, "hold", "p95 <= 20 ms")


def criterion_of(typed: Comparison, workload_id: str) -> Criterion:
    """The criterion in the figures of a workload's runs; raises ``BadInput`` for one that a point does not have."""
    what = f"hold '{typed.text}'"
    try:
        figure = find_figure(typed.figure, workload_id)
    except BadInput as error:
        raise BadInput(f"{what}: {error.cause}", remedy=error.remedy) from error
    if figure.of_totals is None:
        raise BadInput(f"{what}: {figure.name} is not measured at a point; choose another figure, such as p95.")
    if typed.is_change or (typed.unit == "%" and figure.unit != "%"):
        unit = f" in {figure.unit}" if figure.unit else ""
        raise BadInput(f"{what} is a change, and a search has no baseline; give a value{unit}, without + or -.")
    return condition_of(typed, workload_id, what)
