"""What the page says of a campaign above its tables."""

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
    record = CampaignRecord(
        name="night",
        plan=campaign({"kind": "idle", "minutes": 1}),
        state=CampaignState.FAILED,
        made_at=NOW,
        entries=tuple(map(entry, range(1, attempts + 1))),
    )
    view.show_campaign(CampaignTree.of(record, {}))
    assert view.sentence.text() == told
    assert view.journal.model().rowCount() == attempts
