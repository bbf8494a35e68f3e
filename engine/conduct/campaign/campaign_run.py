"""Begins or resumes a campaign, carries it out, and stores how it ended: for the terminal and the window."""

from dataclasses import replace

from engine.campaign.events import OnEvent
from engine.campaign.journal import CampaignRecord, CampaignState
from engine.conduct.campaign.executor import CampaignExecutor
from engine.conduct.campaign.real_tools import RealTools
from engine.conduct.campaign.running import RunSetting
from engine.errors import UserError
from engine.library.campaigns import CampaignJournal


def carry_out(setting: RunSetting, journal: CampaignJournal, *, on_event: OnEvent) -> CampaignRecord:
    """Do what is left to be done of a campaign that was begun or resumed; returns it as it is in the library then.

    A journal that can't be written is left as it is: the campaign counts as interrupted, and can be resumed.
    """
    record = journal.record()
    tools = RealTools(setting, record.name)
    executor = CampaignExecutor(record.plan, journal, tools, on_event=on_event, stopping=setting.stopping)
    state, reason = CampaignState.FAILED, "Spindle itself failed"
    try:
        state, reason = executor.carry_out()
    finally:
        try:
            journal.finish(state, reason)
        except UserError as error:
            setting.notify(f"How the campaign ended could not be stored: {error}")
    try:
        return journal.record()
    except UserError:
        return replace(record, state=state, reason=reason)
