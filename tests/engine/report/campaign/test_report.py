"""The document of a campaign, made of runs of the library whose figures are known."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from engine.campaign.journal import CampaignState, EntryState
from engine.campaign.plan import CampaignPlan
from engine.campaign.searching import Point, Verdict
from engine.campaign.units import rounds_at, rounds_of
from engine.errors import UserError
from engine.library.campaigns import CampaignJournal
from engine.library.library import Library
from engine.record.totals import NO_TOTALS, StageTotals
from engine.report.campaign.result import campaign_result
from engine.report.campaign.sentences import again_sentences
from engine.report.campaign.tree import CampaignTree
from engine.report.document import ChartFigure, DataTable, Document, DocumentKind, Facts, Text, Warn
from engine.report.document_format import DocumentFormat, document_bytes
from engine.report.making import ReportRequest, make_document
from tests.engine.campaign.examples import RUN_PLAN, campaign, search
from tests.engine.library.examples import a_finished_record

SECRET_ACT = {"kind": "act", "do": "ssh anna@r630 'systemctl restart s3cret'"}
SWEEP = {"kind": "sweep", "over": {"threads": [1, 2, 4]}, "repeat": 2, "steps": [SECRET_ACT, {"kind": "run"}]}


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with Library.open(tmp_path / "library.sqlite", notify=print) as opened:
        yield opened


def carried_out(library: Library, plan: CampaignPlan) -> CampaignJournal:
    """A campaign whose steps are all in the journal, without a server: each run is a record without samples."""
    journal = library.campaigns.begin(plan)
    for number, step in enumerate(plan.steps, start=1):
        if step.kind == "search":
            continue
        for work in rounds_of(plan, number):
            for unit in work.units:
                data = {"place": unit.place, "point": dict(unit.point)}
                entry = journal.begin(unit.path, unit.step.kind, unit.title, data)
                if unit.is_run:
                    record = a_finished_record()
                    library.add_imported(record, [], [])
                    journal.set_run(entry.number, record.run_id)
                journal.end(entry.number, EntryState.DONE)
    return journal


def document_of(library: Library, name: str) -> Document:
    request = ReportRequest(named=(name,), kind=DocumentKind.CAMPAIGN)
    return make_document(library, request, on_progress=lambda _doing, _share: None, cancelled=lambda: False)


def text_of(document: Document) -> str:
    found = [document.title, document.subtitle]
    for section in document.sections:
        found.append(section.title)
        for block in section.blocks:
            match block:
                case Text(text=text) | Warn(text=text):
                    found.append(text)
                case DataTable():
                    found += [block.caption, block.note, *(cell for row in block.rows for cell in row)]
                case Facts():
                    found += [text for row in block.rows for text in row]
                case ChartFigure():
                    found.append(block.caption)
                case _:
                    pass
    return "\n".join(found)


def test_a_sweep_is_reported_by_point_with_its_chart(library: Library) -> None:
    journal = carried_out(library, campaign(SWEEP, name="Users"))
    journal.finish(CampaignState.COMPLETED)
    document = document_of(library, "users")
    assert (document.kind, document.title) == (DocumentKind.CAMPAIGN, "Users")
    text = text_of(document)
    assert "The campaign is completed; 6 runs at 3 points completed." in text
    assert "By users per client" in text
    (table,) = [
        block
        for section in document.sections
        for block in section.blocks
        if isinstance(block, DataTable) and block.caption == "The runs of the campaign, by point"
    ]
    assert [row[0] for row in table.rows] == [
        "Users per client 1",
        "",
        "Users per client 2",
        "",
        "Users per client 4",
        "",
    ]
    assert [row[-1] for row in table.rows].count("median") == 3
    for form in DocumentFormat:
        assert len(document_bytes(document, form)) > 5_000


def test_no_command_machine_or_user_is_in_the_document(library: Library) -> None:
    wait = {"kind": "wait", "for": "service postgresql on anna@r630"}
    carried_out(library, campaign(SECRET_ACT, wait, {"kind": "run"}, name="Private")).finish(CampaignState.COMPLETED)
    text = text_of(document_of(library, "Private"))
    assert "s3cret" not in text
    assert "anna" not in text
    assert "A command on r630, over ssh" in text
    assert "Wait (service)" in text


def test_a_search_is_reported_with_its_path(library: Library) -> None:
    plan = campaign({"kind": "run"}, search(to=8), name="Searched")
    journal = carried_out(library, plan)
    points = [
        Point(value=1, verdict=Verdict.HOLDS, figures={"p95_ms": 8.0}, run_id="a"),
        Point(value=2, verdict=Verdict.REFUSED, figures={"p95_ms": 30.0}, reasons=("the workstation was slow",)),
    ]
    data = {"points": [point.to_dict() for point in points], "highest": 1, "bound": 2, "is_certain": False}
    journal.note("2", "search", "Search", data, state=EntryState.DONE, reason="Users per client: 1 holds p95_ms <= 20.")
    journal.finish(CampaignState.COMPLETED)
    document = document_of(library, "Searched")
    text = text_of(document)
    assert "The path of the search" in text
    assert "the workstation was slow" in text
    assert "P95 by users per client" in text
    (section,) = [section for section in document.sections if section.title == "Search: users per client"]
    assert isinstance(section.blocks[0], Warn)
    assert len(document_bytes(document, DocumentFormat.HTML)) > 5_000


def test_repeated_steps_are_reported(library: Library) -> None:
    plan = campaign({"kind": "run"}, name="Killed")
    journal = library.campaigns.begin(plan)
    cut, kept = a_finished_record(), a_finished_record()
    for record, state in ((cut, EntryState.INTERRUPTED), (kept, EntryState.DONE)):
        library.add_imported(record, [], [])
        entry = journal.begin("1/-/1/1/1", "run", "Run", {"place": "1/-"})
        journal.set_run(entry.number, record.run_id)
        journal.end(entry.number, state, "Run was cut off." if state is EntryState.INTERRUPTED else "")
    journal.finish(CampaignState.COMPLETED)
    text = text_of(document_of(library, "Killed"))
    assert "Steps that were begun more than once" in text
    assert f"Run {cut.run_id} did not complete" in text
    records = {run.run_id: run for run in library.runs(campaign="Killed")}
    result = campaign_result(CampaignTree.of(journal.record(), records))
    assert [run["run_id"] for point in result["points"] for run in point["runs"]] == [kept.run_id]
    assert result["other_runs"] == [{"run_id": cut.run_id, "state": cut.state.value}]


def test_the_same_is_said_once_of_several_attempts(library: Library) -> None:
    journal = library.campaigns.begin(campaign(SECRET_ACT, {"kind": "run"}, name="Killed often"))
    for _ in range(4):
        entry = journal.begin("1/-/1/1/1", "act", "Restart", {"place": "1/-"})
        journal.end(entry.number, EntryState.INTERRUPTED, "It was cut off.")
    (sentence,) = again_sentences(journal.record())
    assert sentence == "Done again 3 times: Restart. The attempt before: It was cut off."


def add_staged_run(library: Library, journal: CampaignJournal, step: int) -> None:
    """A run of two stages of a step of the campaign."""
    record = a_finished_record()
    stages = tuple(
        StageTotals(number=number, users=10 * number, first_second=0, seconds=90, headline=700, count=1_050)
        for number in (1, 2)
    )
    library.add_imported(replace(record, totals=replace(record.totals or NO_TOTALS, stages=stages)), [], [])
    entry = journal.begin(f"{step}/-/1/1/1", "run", "Run", {"place": f"{step}/-"})
    journal.set_run(entry.number, record.run_id)
    journal.end(entry.number, EntryState.DONE)


def test_the_stages_of_several_runs_are_headed_by_the_names_of_their_plans(library: Library) -> None:
    other = {"kind": "run", "plan": RUN_PLAN | {"name": "New server"}}
    journal = library.campaigns.begin(campaign({"kind": "run"}, other, {"kind": "run"}, name="Servers"))
    for step in (1, 2, 3):
        add_staged_run(library, journal, step)
    heads = [section.title for section in document_of(library, "Servers").sections if "Stages" in section.title]
    assert heads == ["Stages: Step 1", "Stages: New server", "Stages: Step 3"], "two runs are of the same plan"


def test_the_stages_of_a_run_are_in_its_campaigns_document(library: Library) -> None:
    journal = library.campaigns.begin(campaign({"kind": "run"}, name="Staircase"))
    add_staged_run(library, journal, 1)
    document = document_of(library, "Staircase")
    (section,) = [section for section in document.sections if section.title == "Stages"]
    (table,) = section.blocks
    assert isinstance(table, DataTable)
    assert [row[0] for row in table.rows] == ["1: 10 users", "2: 20 users", "Minimum", "Maximum", "Average"]


def test_a_point_that_was_measured_again_is_distinguished_from_its_first_attempt(library: Library) -> None:
    plan = campaign(search(to=8, tries=2), name="Tried")
    journal = library.campaigns.begin(plan)
    for attempt in (1, 2):
        (work,) = rounds_at(plan, 1, {"threads": 4}, attempt)
        (unit,) = [each for each in work.units if each.is_run]
        record = a_finished_record()
        library.add_imported(record, [], [])
        entry = journal.begin(unit.path, "run", unit.title, {"place": unit.place, "point": dict(unit.point)})
        journal.set_run(entry.number, record.run_id)
        journal.end(entry.number, EntryState.DONE)
    tree = CampaignTree.of(journal.record(), {run.run_id: run for run in library.runs(campaign="Tried")})
    assert [branch.text for branch in tree.branches] == ["users per client 4", "users per client 4, attempt 2"]


def test_a_campaign_without_a_run_has_no_document(library: Library) -> None:
    library.campaigns.begin(campaign({"kind": "run"}, name="Empty"))
    with pytest.raises(UserError, match="campaign 'Empty' has no completed run yet; resume it, or see its status"):
        document_of(library, "Empty")
    assert datetime.now(UTC) > library.campaigns.get("Empty").made_at
