"""What the page says of a campaign above its tables."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from pytestqt.qtbot import QtBot

from engine.campaign.journal import CampaignRecord, CampaignState, EntryState, JournalEntry
from engine.report.campaign.tree import CampaignTree
from tests.engine.campaign.examples import campaign
from widgets.campaigns.campaign_view import CampaignView

NOW = datetime(2026, 11, 26, tzinfo=UTC)


def entry(number: int) -> JournalEntry:
    state = EntryState.DONE if number == 3 else EntryState.INTERRUPTED
    return JournalEntry(
        number=number, path="1/-/1/1/1", attempt=number, kind="idle", title="Idle", state=state, began_at=NOW,
        ended_at=NOW, reason="It was cut off.",
    )  # fmt: skip


def record_of(*entries: JournalEntry) -> CampaignRecord:
    plan = campaign({"kind": "idle", "minutes": 1})
    return CampaignRecord(name="night", plan=plan, state=CampaignState.FAILED, made_at=NOW, entries=entries)


@pytest.mark.parametrize(
    ("attempts", "told"),
    [
        (1, "The campaign has failed; 0 runs completed."),
        (2, "The campaign has failed; 0 runs completed. 1 step was done again; the journal says why."),
        (3, "The campaign has failed; 0 runs completed. 2 steps were done again; the journal says why."),
    ],
)
def test_what_was_done_again_is_counted_and_stands_in_the_journal(qtbot: QtBot, attempts: int, told: str) -> None:
    view = CampaignView()
    qtbot.addWidget(view)
    view.show_campaign(CampaignTree.of(record_of(*map(entry, range(1, attempts + 1))), {}))
    assert view.sentence.text() == told
    assert view.journal.model().rowCount() == attempts


def test_the_first_column_is_elided_before_the_others_are_scrolled(qtbot: QtBot) -> None:
    view = CampaignView()
    qtbot.addWidget(view)
    done = replace(entry(3), title="stores per target 24, think time 100 ms, run 3 of 3", reason="")
    view.show_campaign(CampaignTree.of(record_of(done), {}))
    view.resize(480, 400)
    with qtbot.waitExposed(view):
        view.show()
    for table in (view.runs, view.journal):
        view.tabs.setCurrentWidget(table)
        assert table.horizontalScrollBar().maximum() == 0
