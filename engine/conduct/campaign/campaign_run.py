"""Begins or resumes a campaign, carries it out, and stores how it ended: for the terminal and the window."""

from dataclasses import replace

from engine.campaign.events import OnEvent
from engine.campaign.journal import CampaignRecord, CampaignState
from engine.conduct.campaign.executor import CampaignExecutor
from engine.conduct.campaign.real_tools import RealTools
from engine.conduct.campaign.running import RunSetting
from engine.conduct.made_stores import MadeStores
from engine.errors import UserError
from engine.library.campaigns import CampaignJournal


def carry_out(setting: RunSetting, journal: CampaignJournal, *, on_event: OnEvent) -> CampaignRecord:
    """Do what is left to be done of a campaign that was begun or resumed; returns it as it is in the library then.

    A journal that can't be written is left as it is: later on, the campaign counts as interrupted, and can be resumed.
    """
    record = journal.record()
    made = MadeStores(setting.library.path, setting.notify)
    tools = RealTools(replace(setting, made=made), record.name)
    executor = CampaignExecutor(record.plan, journal, tools, on_event=on_event, stopping=setting.stopping)
    state, reason, is_stored = CampaignState.FAILED, "Spindle itself failed", True
    try:
        state, reason = executor.carry_out()
    finally:
        made.remove()
        try:
            journal.finish(state, reason)
        except UserError as error:
            is_stored = False
            setting.notify(f"How the campaign ended could not be stored: {error}")
    try:
        stored = journal.record()
    except UserError:
        stored = record
    return stored if is_stored else replace(stored, state=state, reason=reason)
