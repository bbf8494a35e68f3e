"""The history of a plan among the runs of a library."""

from dataclasses import replace
from datetime import timedelta

import pytest

from engine.analysis.verdicts.history import history_of
from engine.errors import BadInput
from engine.record.record import RunRecord, RunState
from tests.engine.library.examples import a_finished_record
from tests.totals import totals_with


def runs_with(*opms: int | None) -> list[RunRecord]:
    first = a_finished_record()
    return [
        replace(
            first,
            run_id=f"run {number}",
            started_at=first.started_at + timedelta(days=number),
            totals=totals_with(opm=opm, rt_ms={"p95": 5.0}),
        )
        for number, opm in enumerate(opms)
    ]


def test_runs_are_sorted_by_time_with_their_change_point() -> None:
    records = runs_with(*[100, 101, 102, 100, 101], *[90, 91, 90, 92, 91])
    history = history_of(records[3], reversed(records))
    assert [run.run_id for run in history.runs] == [f"run {number}" for number in range(10)]
    assert [(change.index, change.before, change.after) for change in history.changes] == [(5, 101.0, 91.0)]
    assert (history.figure.label, history.left_out) == ("OPM", 0)
    assert history_of(records[3], records, "p95").changes == ()


def test_other_plans_and_runs_that_did_not_complete_are_left_out() -> None:
    one, two, three, four = runs_with(1, 2, 3, None)
    other = replace(two, plan=replace(two.plan, threads=two.plan.threads + 1))
    same = replace(three, plan=replace(three.plan, name="another name", note="n", tags=("t",)))
    stopped = replace(one, run_id="stopped", state=RunState.STOPPED)
    history = history_of(one, [one, other, same, stopped, four])
    assert [run.run_id for run in history.runs] == ["run 0", "run 2"]
    assert history.left_out == 1


def test_a_figure_that_totals_do_not_contain_is_refused() -> None:
    (run,) = runs_with(1)
    with pytest.raises(BadInput, match="a history of recovery is not kept"):
        history_of(run, [run], "recovery")
