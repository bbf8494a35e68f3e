from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from engine.analysis.comparing.run_set import difference_warning, plan_differences, set_runs
from engine.analysis.comparing.run_sets import median_run
from engine.plan.plan import RunPlan
from engine.record.record import RunRecord, RunState
from engine.workloads.dvdstore.sizing import DbSize
from tests.app.runs import a_run
from tests.totals import totals_with

PLAN = RunPlan(name="evening", threads=8, minutes=1)


def runs_of(*opms: int | None) -> list[RunRecord]:
    return [
        replace(a_run(minutes_later=number), totals=None if opm is None else totals_with(opm=opm, clients=[]))
        for number, opm in enumerate(opms)
    ]


def test_a_record_becomes_a_run_of_a_set_with_its_clients() -> None:
    record = a_run(clients=2, state=RunState.STOPPED)
    (run,) = set_runs([record])
    assert (run.run_id, run.name, run.state) == (record.run_id, record.name, RunState.STOPPED)
    assert record.totals is not None
    assert (
        run.headline_rate == record.totals.headline_rate == sum(opm or 0 for opm in run.client_headline_rates.values())
    )
    assert list(run.client_headline_rates) == ["ds2 #1", "ds2 #2"]


def test_set_runs_with_one_name_get_their_ids() -> None:
    first, second = runs_of(100, 200)
    third = replace(a_run(minutes_later=9), name="other")
    assert [run.name for run in set_runs([first, second, third])] == [
        f"evening load ({first.run_id})",
        f"evening load ({second.run_id})",
        "other",
    ]


@given(st.lists(st.none() | st.integers(0, 10**6), max_size=6))
def test_only_runs_with_an_opm_count(opms: list[int | None]) -> None:
    choice = median_run(set_runs(runs_of(*opms)))
    assert sorted(run.headline_rate or 0 for run in choice.counted) == sorted(opm for opm in opms if opm is not None)


def test_plan_differences_ignore_names_notes_and_tags() -> None:
    renamed = replace(PLAN, name="morning", note="n", tags=("t",))
    assert plan_differences([PLAN, renamed]) == ()
    other = replace(renamed, threads=16, minutes=2, parameters={"db_size": DbSize(1, "GB")})
    assert plan_differences([PLAN, renamed, other]) == ("store size", "users per client", "run time")
    assert plan_differences([]) == ()


def test_difference_warning_names_different_plans() -> None:
    same, other = a_run(), a_run(minutes_later=1)
    assert difference_warning([same, other]) == ""
    warning = difference_warning([same, replace(other, plan=replace(other.plan, threads=9))])
    assert warning == "the runs of this set differ in users per client; a median needs runs of the same plan."
