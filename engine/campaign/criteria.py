"""What has to hold at a point of a search: ``p95 <= 20 ms``, ``opm_per_target >= 25000``, and of the second load of a
mixed run ``load 2: p95 <= 20 ms``."""

import re
from dataclasses import replace

from engine.analysis.verdicts.comparison import Comparison, parse_comparison
from engine.analysis.verdicts.condition import Condition, condition_of
from engine.analysis.verdicts.figures import CheckedFigure, find_figure
from engine.errors import BadInput
from engine.record.totals import Totals

Criterion = Condition
"""A condition of the figures of a point's runs, which has to hold."""

_OF_LOAD = re.compile(r"\s*load\s+(?P<number>\d{1,2})\s*:(?P<rest>.*)", re.ASCII | re.IGNORECASE | re.DOTALL)


def parse_criterion(text: str) -> Comparison:
    """Read a criterion; raises ``BadInput``."""
    match = _OF_LOAD.fullmatch(text)
    typed = parse_comparison(text if match is None else match["rest"], "hold", "p95 <= 20 ms")
    return typed if match is None else replace(typed, load=int(match["number"]))


def criterion_of(typed: Comparison, *workload_ids: str) -> Criterion:
    """The criterion in the figures of runs of these workloads, one for each load; raises ``BadInput`` for one that a
    point does not have."""
    what = f"hold '{typed.text}'"
    if not 1 <= typed.load <= len(workload_ids):
        loads = "one load" if len(workload_ids) == 1 else f"{len(workload_ids)} loads"
        raise BadInput(f"{what} is about load {typed.load}, and the plan has {loads}; name one of these.")
    workload_id = workload_ids[typed.load - 1]
    try:
        figure = find_figure(typed.figure, workload_id)
    except BadInput as error:
        raise BadInput(f"{what}: {error.cause}", remedy=error.remedy) from error
    if figure.of_totals is None:
        raise BadInput(f"{what}: {figure.name} is not measured at a point; choose another figure, such as p95.")
    if typed.is_change or (typed.unit == "%" and figure.unit != "%"):
        unit = f" in {figure.unit}" if figure.unit else ""
        raise BadInput(f"{what} is a change, and a search has no baseline; give a value{unit}, without + or -.")
    criterion = condition_of(typed, workload_id, what)
    if typed.load == 1:
        return criterion
    return replace(criterion, name=f"load {typed.load}: {criterion.name}", figure=_of_load(figure, typed.load))


def _of_load(figure: CheckedFigure, number: int) -> CheckedFigure:
    """The figure of one load, read from the totals of the whole run: ``load2.p95``."""
    read = figure.of_totals
    assert read is not None, "a figure that no totals have was refused"

    def of_totals(totals: Totals) -> float | None:
        loads = totals.loads
        return read(loads[number - 1]) if number <= len(loads) else None

    return replace(
        figure, name=f"load{number}.{figure.name}", label=f"load {number}: {figure.label}", of_totals=of_totals
    )
