"""Campaigns in the library: journals that outlive their process, names, and what becomes of deleted runs."""

import sqlite3
from contextlib import closing
from dataclasses import replace

import pytest

from engine.campaign.journal import CampaignState, EntryState
from engine.errors import BadInput, UserError
from engine.library.library import Library
from tests.engine.campaign.examples import campaign, cycle
from tests.engine.library.examples import a_finished_record
from tests.engine.library.older_versions import turn_back

PLAN = campaign(cycle(2), name="Night")


def test_a_campaign_and_its_journal_are_read_as_they_were_written(library):
    journal = library.campaigns.begin(PLAN)
    first = journal.begin("1/-/1/5/1", "run", "Run 1 of 2", {"place": "1/-"})
    journal.set_run(first.number, "20261121-1")
    journal.end(first.number, EntryState.INTERRUPTED, "It was cut off.", {"audit": "by me"})
    second = journal.begin("1/-/1/5/1", "run", "Run 1 of 2", {})
    noted = journal.note("1/-/2/5/1", "run", "Run 2 of 2", {}, state=EntryState.SKIPPED, reason="Left out.")
    journal.finish(CampaignState.STOPPED, "it was stopped")

    record = library.campaigns.get("nig")

    assert (record.name, record.plan, record.state, record.reason) == (
        "Night", PLAN, CampaignState.STOPPED, "it was stopped",
    )  # fmt: skip
    assert record.ended_at is not None
    one, two, three = record.entries
    assert (one.number, one.attempt, one.state, one.run_id) == (1, 1, EntryState.INTERRUPTED, "20261121-1")
    assert (one.reason, one.data) == ("It was cut off.", {"place": "1/-", "audit": "by me"})
    assert one.ended_at is not None
    assert two == replace(second, number=2, attempt=2)
    assert two.ended_at is None
    assert (three, three.ended_at) == (noted, three.began_at)
    assert record.again() == [two]
    assert record.last_entries() == [two, three]


def test_a_name_is_taken_once(library):
    library.campaigns.begin(PLAN)
    with pytest.raises(
        BadInput, match="name of the campaign is 'NIGHT', which is already in use; give another name, or resume"
    ):
        library.campaigns.begin(replace(PLAN, name="NIGHT"))


def test_only_a_campaign_that_nobody_carries_out_is_resumed(library, path):
    journal = library.campaigns.begin(PLAN)
    with pytest.raises(UserError, match="'Night' is running in another program; wait for its end, or stop it first"):
        library.campaigns.resume("Night")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE campaigns SET owner_pid = 2147483000")
        connection.commit()
    assert library.campaigns.get("Night").state is CampaignState.INTERRUPTED
    library.campaigns.resume("Night").finish(CampaignState.COMPLETED)
    with pytest.raises(UserError, match="'Night' is completed; run its file again under another name"):
        library.campaigns.resume("Night")
    assert journal.record().state is CampaignState.COMPLETED


def test_a_requested_stop_reaches_the_executing_program_and_is_reset_at_the_resumption(library):
    journal = library.campaigns.begin(PLAN)
    assert not journal.is_stop_requested()
    library.campaigns.request_stop("Night")
    assert journal.is_stop_requested()
    journal.finish(CampaignState.STOPPED)
    with pytest.raises(UserError, match="'Night' is stopped, so there is nothing to stop"):
        library.campaigns.request_stop("Night")
    assert not library.campaigns.resume("Night").is_stop_requested()


def test_a_run_knows_its_campaign_and_may_be_renamed_and_deleted(library):
    record = a_finished_record()
    library.add_imported(record, [], [])
    journal = library.campaigns.begin(PLAN)
    for _ in range(2):
        journal.set_run(journal.begin("1/-/1/5/1", "run", "Run", {}).number, record.run_id)
    library.rename(record.run_id, "mine")
    (found,) = library.runs(campaign="night")
    assert (found.name, found.campaign) == ("mine", "Night")
    assert library.runs(campaign="day") == []

    library.delete(record.run_id)
    assert library.runs(campaign="Night") == []
    library.bin.empty()
    assert library.campaigns.get("Night").run_ids == (record.run_id, record.run_id)


def test_a_campaign_is_deleted_without_its_runs(library):
    record = a_finished_record()
    library.add_imported(record, [], [])
    journal = library.campaigns.begin(PLAN)
    journal.set_run(journal.begin("1", "run", "Run", {}).number, record.run_id)
    with pytest.raises(UserError, match="'Night' is running; wait for its end, or stop it first"):
        library.campaigns.delete("Night")
    journal.finish(CampaignState.COMPLETED)
    library.campaigns.delete("Night")
    assert library.campaigns.all() == []
    assert library.run("last").campaign == ""


def test_a_library_of_the_version_before_campaigns_takes_them(library, path, told):
    record = a_finished_record()
    library.add_imported(record, [], [])
    library.close()
    turn_back(path, "0009")
    with Library.open(path, notify=told.append) as again:
        assert again.run("last") == record
        again.campaigns.begin(PLAN)
        assert [each.name for each in again.campaigns.all()] == ["Night"]
    assert told == []
