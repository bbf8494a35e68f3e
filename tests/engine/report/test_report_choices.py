"""Which documents are offered for what is selected."""

from dataclasses import replace

from engine.report.document import DocumentKind
from engine.report.report_choices import report_choices
from engine.report.run_listing import RunListing
from engine.report.sets.listing import SetListing
from tests.app.runs import a_run

RUNS = [RunListing.of(a_run(minutes_later=number), faults=0) for number in range(4)]
IDS = tuple(run.run_id for run in RUNS)
RUN, SET, COMPARISON = DocumentKind.RUN, DocumentKind.SET, DocumentKind.COMPARISON


def a_set(name: str, *run_ids: str) -> SetListing:
    return SetListing(
        name=name, note="", run_ids=run_ids, configuration="", median_id=run_ids[0], sentence="", warning=""
    )


def test_one_run_makes_its_own_document_and_can_stand_beside_published_ones() -> None:
    assert report_choices(RUNS[:1], []) == {RUN: IDS[:1], COMPARISON: IDS[:1]}


def test_a_run_with_faults_has_evidence_and_one_of_a_set_its_set() -> None:
    run = replace(RUNS[0], faults=2, run_set="SSD")
    choices = report_choices([run], [a_set("SSD", *IDS[:2])])
    assert list(choices) == [RUN, DocumentKind.RECOVERY, COMPARISON, SET]
    assert choices[SET] == ("SSD",)


def test_loose_runs_are_compared_or_stand_for_one_result() -> None:
    assert report_choices(RUNS[:3], []) == {COMPARISON: IDS[:3], SET: IDS[:3]}


def test_all_runs_of_a_set_are_that_set() -> None:
    assert report_choices(RUNS[:2], [a_set("SSD", *IDS[:2])]) == {SET: ("SSD",), COMPARISON: IDS[:2]}


def test_a_part_of_a_set_is_only_runs() -> None:
    assert report_choices(RUNS[:2], [a_set("SSD", *IDS[:3])])[COMPARISON] == IDS[:2]


def test_whole_sets_are_compared_with_what_is_in_none() -> None:
    sets = [a_set("SSD", *IDS[:2]), a_set("HDD", IDS[2])]
    assert report_choices(RUNS, sets) == {COMPARISON: ("SSD", "HDD", IDS[3])}
