"""A campaign as the terminal prints it: its runs by point with their median run, its searches, and its journal."""

from rich.table import Table

from app.cli.terminal import one_line
from app.cli.text_page import TextPage, plain_table
from engine.analysis.headline import headline_of
from engine.campaign.journal import JournalEntry
from engine.figure_text import UNKNOWN, decimal, duration
from engine.record.totals import NO_TOTALS
from engine.report.campaign.result import is_search_result
from engine.report.campaign.sentences import again_sentences, head_sentence
from engine.report.campaign.tree import CampaignTree


def campaign_text(tree: CampaignTree, width: int | None = None) -> str:
    """Text of ``width`` columns, without a trailing newline; ``None``: lines are not wrapped."""
    campaign, page = tree.campaign, TextPage(width)
    page.line(f"\n{one_line(campaign.name)}  ·  campaign")
    page.sentence(head_sentence(tree))
    if campaign.plan.note:
        page.sentence(one_line(campaign.plan.note))
    if tree.branches:
        page.line()
        page.table(_runs(tree))
    for entry in campaign.last_entries():
        if is_search_result(entry):
            page.line()
            page.sentence(entry.reason)
    if campaign.entries:
        page.line()
        page.table(_journal(campaign.entries))
    for sentence in again_sentences(campaign):
        page.sentence(sentence)
    return page.text()


def _runs(tree: CampaignTree) -> Table:
    headline = headline_of(tree.campaign.plan.plan.workload)
    numbers = (headline.label, "p95 ms", "spread %")
    table = plain_table(("point", "run", "name", *numbers, ""), numbers=numbers, folding=("point", "name"))
    for branch in tree.branches:
        figures, median = branch.figures, branch.median
        for place, run in enumerate(branch.runs):
            totals = run.totals or NO_TOTALS
            is_median = median is not None and run.run_id == median.run_id and len(branch.runs) > 1
            table.add_row(
                (branch.text or f"step {branch.step}") if place == 0 else "",
                run.run_id,
                one_line(run.name),
                headline.text(totals.headline_rate),
                decimal(totals.times.p95),
                decimal(figures.spread_pct) if is_median else "",
                "median" if is_median else "",
            )
    return table


def _journal(entries: tuple[JournalEntry, ...]) -> Table:
    table = plain_table(("#", "step", "state", "took", "run", "why"), numbers=("#",), folding=("step", "why"))
    for entry in entries:
        took = UNKNOWN if entry.ended_at is None else duration((entry.ended_at - entry.began_at).total_seconds())
        again = f" (attempt {entry.attempt})" if entry.attempt > 1 else ""
        table.add_row(
            str(entry.number), one_line(entry.title) + again, entry.state.value, took, entry.run_id,
            one_line(entry.reason),
        )  # fmt: skip
    return table
