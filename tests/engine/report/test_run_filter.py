"""Which runs a filter lets through; for what both can say, it says what the library's own search says."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from engine.library.library import Library
from engine.record.record import RunRecord, RunState
from engine.report.run_filter import RunFilter
from engine.report.run_listing import RunListing
from tests.app.runs import STARTED_AT, a_run, keep

EVENING = a_run(tags=("nightly", "raid"), name="Evening", note="after 100 % of it")
LATER = a_run(minutes_later=60, name="Later", state=RunState.INTERRUPTED, tags=("nightly",))
RUNS = (EVENING, LATER)
BOTH = frozenset(run.run_id for run in RUNS)


def through(run_filter: RunFilter) -> frozenset[str]:
    return frozenset(run.run_id for run in RUNS if run_filter.matches(RunListing.of(run)))


@pytest.mark.parametrize(
    ("run_filter", "expected"),
    [
        (RunFilter(), RUNS),
        (RunFilter(text="EVENING"), RUNS),
        (RunFilter(text="later"), (LATER,)),
        (RunFilter(text="load raid"), ()),
        (RunFilter(text="xyzzy"), ()),
        (RunFilter(tags=frozenset({"nightly"})), RUNS),
        (RunFilter(tags=frozenset({"nightly", "raid"})), (EVENING,)),
        (RunFilter(states=frozenset({RunState.INTERRUPTED, RunState.FAILED})), (LATER,)),
        (RunFilter(targets=frozenset({"embedded", "elsewhere"})), RUNS),
        (RunFilter(targets=frozenset({"elsewhere"})), ()),
        (RunFilter(started_from=STARTED_AT + timedelta(minutes=60)), (LATER,)),
        (RunFilter(started_to=STARTED_AT + timedelta(minutes=60)), (EVENING,)),
    ],
)
def test_filter_matches_all_conditions(run_filter: RunFilter, expected: tuple[RunRecord, ...]) -> None:
    assert through(run_filter) == {run.run_id for run in expected}


def test_filter_without_conditions_is_empty() -> None:
    assert RunFilter().is_empty
    assert not RunFilter(text="x").is_empty


@pytest.mark.parametrize("text", ["EVENING load", "100 %", "ds2 #2", "raid", "nightl", "xyzzy"])
def test_words_are_searched_as_the_library_does(tmp_path: Path, text: str) -> None:
    keep(tmp_path, *RUNS)
    with Library.open(tmp_path / "library.sqlite", notify=print) as library:
        found = {run.run_id for run in library.runs(text=text)}
    assert through(RunFilter(text=text)) == found
    assert found <= BOTH


def test_a_set_lets_its_own_runs_through() -> None:
    asked = RunFilter(run_sets=frozenset({"SSD", "HDD"}))
    listing = RunListing.of(EVENING)
    assert asked.matches(replace(listing, run_set="SSD"))
    assert not asked.matches(replace(listing, run_set="NVMe"))
    assert not asked.matches(listing)
