"""The list of campaigns."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from engine.campaign.journal import CampaignRecord, CampaignState, EntryState, JournalEntry
from tests.engine.campaign.examples import campaign
from widgets.campaigns.page import CampaignsPage
from widgets.parts.look import Look

RECORD = CampaignRecord(
    name="Stores and think times of the second enclosure",
    plan=campaign({"kind": "idle", "minutes": 1}),
    state=CampaignState.INTERRUPTED,
    made_at=datetime(2026, 11, 26, tzinfo=UTC),
    entries=(),
)


@pytest.mark.parametrize(("factor", "width"), [(1.0, 1_160), (1.25, 1_160), (1.0, 840)])
def test_a_long_name_is_elided_before_the_other_columns_are_scrolled(qtbot: QtBot, factor: float, width: int) -> None:
    page = CampaignsPage(Look())
    qtbot.addWidget(page)
    font = page.font()
    font.setPointSizeF(factor * font.pointSizeF())
    page.setFont(font)
    page.resize(width, 700)
    page.show()
    page.show_campaigns([RECORD])
    assert page.list.horizontalScrollBar().maximum() == 0


def test_the_date_leaves_a_list_that_is_too_narrow_for_it_and_comes_back(qtbot: QtBot) -> None:
    page = CampaignsPage(Look())
    qtbot.addWidget(page)
    page.resize(860, 700)
    page.show()
    page.show_campaigns([RECORD])
    assert page.list.horizontalScrollBar().maximum() == 0
    assert page.list.isColumnHidden(2)
    page.resize(1_260, 700)
    qtbot.waitUntil(lambda: not page.list.isColumnHidden(2))


def test_the_list_counts_completed_runs(qtbot: QtBot) -> None:
    def entry(number: int, state: EntryState) -> JournalEntry:
        return JournalEntry(
            number=number,
            path="1.2",
            attempt=number,
            kind="run",
            title="Run 1 of 3",
            state=state,
            began_at=RECORD.made_at,
            run_id=f"run-{number}",
        )

    page = CampaignsPage(Look())
    qtbot.addWidget(page)
    states = (EntryState.INTERRUPTED, EntryState.DONE, EntryState.RUNNING)
    page.show_campaigns([replace(RECORD, entries=tuple(map(entry, (1, 2, 3), states)))])
    assert page.list.model().index(0, 3).data() == "1"


def test_how_to_begin_is_shown_whole_while_there_is_no_campaign(qtbot: QtBot) -> None:
    page = CampaignsPage(Look())
    qtbot.addWidget(page)
    page.resize(1_260, 800)
    page.show()
    page.show_campaigns([])
    (text,) = (label for label in page.findChildren(QLabel) if label.text().startswith("A campaign carries out"))
    assert text.isVisible()
    assert text.height() >= text.heightForWidth(text.width())
