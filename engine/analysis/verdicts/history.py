"""The history of a plan: a figure of all its completed runs in the order of time, with the change points in it."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from engine.analysis.comparing.run_set import is_same_plan
from engine.analysis.headline import headline_of
from engine.analysis.verdicts.change_points import ChangePoint, change_points
from engine.analysis.verdicts.figures import CheckedFigure, Measured, find_figure
from engine.errors import BadInput
from engine.record.record import RunRecord, RunState, split_reference
from engine.record.totals import NO_TOTALS

MOST_RUNS = 200
"""The newest runs that are examined: the permutation test compares each with each."""


@dataclass(frozen=True, kw_only=True)
class HistoryRun:
    """One run and its figure; ``configuration`` is the name of what it was measured on, empty if that is not known."""

    run_id: str
    name: str
    started_at: datetime
    value: float
    configuration: str = ""


@dataclass(frozen=True, kw_only=True)
class History:
    """The runs of a plan, the oldest first; the ``index`` of a change is that of the run in ``runs``.

    ``left_out`` is the number of completed runs of the plan that are not among ``runs``: their figure is not known, or
    there are more than ``MOST_RUNS``.
    """

    figure: CheckedFigure
    runs: tuple[HistoryRun, ...]
    changes: tuple[ChangePoint, ...]
    left_out: int

    @property
    def sentence(self) -> str:
        """How many runs there are and how often their figure changed."""
        runs = "1 run" if len(self.runs) == 1 else f"{len(self.runs)} runs"
        count = len(self.changes)
        found = "no change point" if not count else "1 change point" if count == 1 else f"{count} change points"
        left_out = f" {self.left_out} more were left out." if self.left_out else ""
        return f"{runs} of this plan, {found}.{left_out}"


def history_of(record: RunRecord, records: Iterable[RunRecord], figure: str = "") -> History:
    """The history of the plan of ``record`` among ``records``; ``figure`` is a name, by default the headline metric's.

    Of a load of a mixed run it is that of the same load in the runs of the same mixed plan.

    Raises ``BadInput`` for an unknown figure, and for one that totals do not contain.
    """
    records = _same_loads(record, records)
    workload = record.plan.workload
    wanted = find_figure(figure or headline_of(workload).metric.id, workload)
    if wanted.of_totals is None:
        raise BadInput(f"a history of {wanted.name} is not kept; choose a figure of the whole run, such as p95.")
    same = [each for each in records if each.state is RunState.COMPLETED and is_same_plan(record.plan, each.plan)]
    same.sort(key=lambda each: (each.started_at, each.run_id))
    runs = [
        HistoryRun(
            run_id=each.run_id,
            name=each.name,
            started_at=each.started_at,
            value=value,
            configuration=each.configuration,
        )
        for each in same
        if (value := wanted.of(Measured(title="", workload=workload, totals=each.totals or NO_TOTALS))) is not None
    ][-MOST_RUNS:]
    return History(
        figure=wanted,
        runs=tuple(runs),
        changes=tuple(change_points([each.value for each in runs])),
        left_out=len(same) - len(runs),
    )


def _same_loads(record: RunRecord, records: Iterable[RunRecord]) -> Iterable[RunRecord]:
    """The runs to look through; for a load of a mixed run this load of each run of the whole plan."""
    run_id, load = split_reference(record.run_id)
    if load is None:
        return records
    known = list(records)
    whole = next((each for each in known if each.run_id == run_id), None)
    return [] if whole is None else [each.of_load(load) for each in known if is_same_plan(each.plan, whole.plan)]
