"""Sentences about a campaign, shared by the terminal and its document."""

from collections import Counter

from engine.campaign.journal import CampaignRecord, CampaignState
from engine.figure_text import counted
from engine.report.campaign.tree import CampaignTree


def head_sentence(tree: CampaignTree, *, with_reason: bool = True) -> str:
    """What state a campaign is in, and how much was measured; ``with_reason`` adds why it failed."""
    campaign = tree.campaign
    runs = counted(len(tree.runs), "run")
    points = f" at {counted(len(tree.branches), 'point')}" if len(tree.branches) > 1 else ""
    is_told = with_reason and campaign.reason and campaign.state is CampaignState.FAILED
    reason = f" ({campaign.reason.rstrip('.')})" if is_told else ""
    return f"The campaign is {campaign.state}{reason}; {runs}{points} completed."


def again_sentences(campaign: CampaignRecord) -> list[str]:
    """What was done again, and why: a sentence for each entry that was not the first of its kind, and one for several
    of which the same is to be said."""
    earlier = {(entry.path, entry.attempt): entry for entry in campaign.entries}
    said: Counter[tuple[str, str]] = Counter()
    for entry in campaign.again():
        before = earlier[entry.path, entry.attempt - 1]
        why = before.reason or "it had been done, and the run that it prepared did not complete"
        run = f" as run {entry.run_id}" if entry.run_id else ""
        said[run, f"{entry.title}. The attempt before: {why.rstrip('.')}."] += 1
    return [f"Done again{f' {times} times' if times > 1 else ''}{run}: {what}" for (run, what), times in said.items()]
