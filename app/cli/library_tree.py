"""`spindle library list --tree`: campaigns, run sets and runs as an indented list."""

from collections.abc import Iterator, Sequence

from app.cli.terminal import one_line
from engine.analysis.comparing.run_set import set_runs
from engine.analysis.comparing.run_sets import set_figures
from engine.analysis.headline import headline_of
from engine.figure_text import percent
from engine.record.record import RunRecord
from engine.record.totals import NO_TOTALS

_INDENT = "  "


def tree_lines(records: Sequence[RunRecord]) -> Iterator[str]:
    """A line for each campaign, set and run. Campaigns, sets and runs of none come in the order of their newest runs;
    within a campaign or a set the oldest is first."""
    newest = {_root(record): record.started_at for record in reversed(records)}
    roots = sorted(newest, key=lambda root: newest[root], reverse=True)
    by_root = {root: [record for record in reversed(records) if _root(record) == root] for root in roots}
    for (campaign, _, _), members in by_root.items():
        if campaign:
            yield f"{one_line(campaign)}  ·  campaign of {len(members)} runs"
        yield from _sets(members, _INDENT if campaign else "")


def _root(record: RunRecord) -> tuple[str, str, str]:
    """What a run is listed under: its campaign, else its set, else itself."""
    if record.campaign:
        return record.campaign, "", ""
    return "", record.run_set, "" if record.run_set else record.run_id


def _sets(members: Sequence[RunRecord], indent: str) -> Iterator[str]:
    grouped: dict[str, list[RunRecord]] = {}  # a run of no set between those of a set does not divide the set
    for record in members:
        grouped.setdefault(record.run_set or record.run_id, []).append(record)
    for runs in grouped.values():
        run_set = runs[0].run_set
        if not run_set:
            yield f"{indent}{_run(runs[0])}"
            continue
        figures = set_figures(set_runs(runs))
        median = figures.median.run
        spread = f", spread {percent(figures.spread_pct)}" if figures.spread_pct is not None else ""
        yield f"{indent}{one_line(run_set)}  ·  set of {len(runs)} runs{spread}"
        for record in runs:
            mark = "  ·  median" if median is not None and record.run_id == median.run_id else ""
            yield f"{indent}{_INDENT}{_run(record)}{mark}"


def _run(record: RunRecord) -> str:
    headline = headline_of(record.plan.workload)
    reached = f"{headline.text((record.totals or NO_TOTALS).headline_rate)} {headline.label}"
    return f"{record.run_id}  {one_line(record.name)}  ·  {record.state.value}, {reached}"
