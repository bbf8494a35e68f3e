"""A campaign as plain values for JSON, for scripts."""

from typing import Any

from engine.analysis.headline import headline_of
from engine.campaign.journal import CampaignRecord, JournalEntry
from engine.campaign.steps import StepKind
from engine.record.record import RunRecord
from engine.record.totals import NO_TOTALS
from engine.report.campaign.tree import Branch, CampaignTree


def campaign_result(tree: CampaignTree) -> dict[str, Any]:
    """A campaign, its points with their runs, its searches and its journal; unknown figures are null."""
    campaign = tree.campaign
    return {
        **campaign_head(campaign),
        "plan": campaign.plan.to_dict(),
        "points": [_point(branch) for branch in tree.branches],
        "searches": [_search(entry) for entry in campaign.last_entries() if is_search_result(entry)],
        "other_runs": [{"run_id": run.run_id, "state": run.state.value} for run in tree.others],
        "journal": [journal_row(entry) for entry in campaign.entries],
    }


def campaign_head(campaign: CampaignRecord) -> dict[str, Any]:
    """What a campaign is, and how far it has come."""
    return {
        "name": campaign.name,
        "state": campaign.state.value,
        "reason": campaign.reason,
        "made_at": campaign.made_at.isoformat(),
        "ended_at": campaign.ended_at.isoformat() if campaign.ended_at else None,
        "run_ids": list(campaign.run_ids),
    }


def is_search_result(entry: JournalEntry) -> bool:
    """Whether the entry is what a whole search found."""
    return entry.kind == StepKind.SEARCH and "points" in entry.data


def journal_row(entry: JournalEntry) -> dict[str, Any]:
    """An entry of the journal."""
    return {
        "number": entry.number,
        "path": entry.path,
        "attempt": entry.attempt,
        "kind": entry.kind,
        "title": entry.title,
        "state": entry.state.value,
        "began_at": entry.began_at.isoformat(),
        "ended_at": entry.ended_at.isoformat() if entry.ended_at else None,
        "reason": entry.reason,
        "run_id": entry.run_id,
        "data": dict(entry.data),
    }


def _point(branch: Branch) -> dict[str, Any]:
    figures = branch.figures
    return {
        "step": branch.step,
        "point": dict(branch.point),
        "set": branch.set_name,
        "median": None if branch.median is None else branch.median.run_id,
        "spread_pct": figures.spread_pct,
        "runs": [_run(run) for run in branch.runs],
    }


def _run(run: RunRecord) -> dict[str, Any]:
    totals = run.totals or NO_TOTALS
    return {
        "run_id": run.run_id,
        "name": run.name,
        "state": run.state.value,
        headline_of(run.plan.workload).metric.id: totals.headline_rate,
        "p95_ms": totals.times.p95,
    }


def _search(entry: JournalEntry) -> dict[str, Any]:
    return {"step": int(entry.path), "sentence": entry.reason, **entry.data}
