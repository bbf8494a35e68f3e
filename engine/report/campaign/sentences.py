"""Sentences about a campaign, shared by the terminal, the window, notifications and its document."""

from collections import Counter

from engine.analysis.headline import headline_of
from engine.campaign.journal import CampaignRecord, CampaignState
from engine.figure_text import counted
from engine.record.record import RunRecord
from engine.record.totals import NO_TOTALS
from engine.report.campaign.result import is_search_result
from engine.report.campaign.tree import CampaignTree


def head_sentence(tree: CampaignTree, *, with_reason: bool = True) -> str:
    """What state a campaign is in, and how much was measured; ``with_reason`` adds why it failed."""
    campaign = tree.campaign
    runs = counted(len(tree.runs), "run")
    points = f" at {counted(len(tree.branches), 'point')}" if len(tree.branches) > 1 else ""
    has_reason = with_reason and campaign.reason and campaign.state is CampaignState.FAILED
    reason = f" ({campaign.reason.rstrip('.')})" if has_reason else ""
    return f"The campaign {campaign.state.predicate}{reason}; {runs}{points} completed."


def result_sentence(tree: CampaignTree) -> str:
    """What a campaign found: the answers of its searches, else its median run, or the highest one of its points; empty
    before there is any."""
    answers = [entry.reason for entry in tree.campaign.last_entries() if is_search_result(entry)]
    if answers:
        return " ".join(answers)
    medians = [(branch, run, rate) for branch in tree.branches if (run := branch.median) and (rate := _rate(run))]
    if not medians:
        return ""
    branch, run, rate = max(medians, key=lambda each: each[2])
    headline = headline_of(run.plan.workload)
    figure = f"{headline.text(rate)} {headline.label}"
    if len(tree.branches) > 1:
        return f"Highest of {len(tree.branches)} points: {figure} with {branch.text}."
    return f"Median of {len(branch.runs)} runs: {figure}." if len(branch.runs) > 1 else f"{figure}."


def _rate(run: RunRecord) -> float | None:
    return (run.totals or NO_TOTALS).headline_rate


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
