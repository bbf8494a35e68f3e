"""A run set as a line of the library."""

from dataclasses import replace
from datetime import UTC, datetime

from engine.analysis.comparing.run_set import RunSet
from engine.plan.plan import RunPlan
from engine.record.record import RunRecord, RunState
from engine.report.sets.listing import SetListing
from tests.app.runs import a_run
from tests.totals import totals_with

RUNS = [a_run(minutes_later=number, name=f"run {number}", totals=totals_with(opm=100 * number)) for number in (3, 1, 2)]


def listed(*runs: RunRecord, known: list[RunRecord] | None = None) -> SetListing:
    run_set = RunSet(name="SSD", made_at=datetime.now(UTC), note="raid", run_ids=tuple(run.run_id for run in runs))
    return SetListing.of(run_set, {run.run_id: run for run in (runs if known is None else known)})


def test_the_median_run_stands_for_the_set() -> None:
    listing = listed(*RUNS)
    assert listing.median_id == RUNS[2].run_id
    assert listing.run_ids == tuple(run.run_id for run in RUNS)
    assert (listing.note, listing.warning) == ("raid", "")


def test_incomplete_run_is_left_out_and_named() -> None:
    listing = listed(replace(RUNS[0], state=RunState.STOPPED), *RUNS[1:])
    assert listing.median_id == RUNS[1].run_id
    assert "run 3, as it was stopped" in listing.sentence


def test_a_set_without_a_run_that_counts_has_no_median() -> None:
    listing = listed(replace(RUNS[0], totals=None))
    assert listing.median_id == ""
    assert listing.sentence


def test_runs_of_different_plans_are_warned_of() -> None:
    listing = listed(RUNS[0], replace(RUNS[1], plan=RunPlan(threads=99)))
    assert "users per client" in listing.warning


def test_runs_without_a_record_are_left_out() -> None:
    assert listed(*RUNS, known=RUNS[:1]).run_ids == (RUNS[0].run_id,)
