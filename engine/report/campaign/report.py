"""The document of a campaign: its runs by point with their medians, the swept fields, searches, and its journal.

Called by ``making``. It is passed on, so that it has neither the commands of actions nor the machines of conditions.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from engine.analysis.comparing.change import change_of
from engine.analysis.comparing.run_sets import SetRun
from engine.analysis.headline import Headline
from engine.campaign.journal import CampaignState, EntryState, JournalEntry
from engine.campaign.steps import ActStep, LeafStep, StepKind, WaitStep, leaves_of
from engine.figure_text import (
    UNKNOWN,
    capitalised,
    counted,
    duration,
    milliseconds,
    moment,
    percent,
    signed_percent,
    whole,
)
from engine.record.totals import NO_TOTALS
from engine.report.campaign.searches import search_sections
from engine.report.campaign.sentences import head_sentence
from engine.report.campaign.sweeps import sweep_sections
from engine.report.campaign.tree import Branch, CampaignTree
from engine.report.definitions import Term, definitions_section
from engine.report.document import (
    Block,
    Column,
    DataTable,
    Document,
    DocumentKind,
    Figure,
    KeyFigures,
    Section,
    Text,
    Warn,
)
from engine.report.method import method_sections, public_action
from engine.report.redaction import redactor
from engine.report.result_tables import number_columns, times_table
from engine.report.results import ReportedRun, ReportedSet, footer_of, result_of_run, with_unique_names
from engine.report.sets.warnings import few_of, reported_set_warnings
from engine.report.stage_section import stage_comparison, stage_sections


@dataclass(frozen=True, kw_only=True, eq=False)
class ReportedCampaign:
    """A campaign with its runs as they were read: one set of runs for each branch of its tree."""

    tree: CampaignTree
    sets: tuple[ReportedSet, ...]

    @property
    def headline(self) -> Headline:
        """What the first figure of its runs counts."""
        return self.sets[0].headline

    def medians(self) -> list[tuple[Branch, ReportedRun]]:
        """The run that represents each branch, where there is one."""
        found = []
        for branch, runs in zip(self.tree.branches, self.sets, strict=True):
            if branch.median is not None:
                found.append((branch, runs.run(branch.median.run_id)))
        return found


def campaign_report(reported: ReportedCampaign, *, made_at: datetime) -> Document:
    """The document of a campaign with at least one run."""
    tree, campaign = reported.tree, reported.tree.campaign
    medians = reported.medians()
    runs = [run.record.run_id for _, run in medians]
    results = with_unique_names([result_of_run(run) for _, run in medians])
    return Document(
        kind=DocumentKind.CAMPAIGN,
        title=campaign.name,
        subtitle=f"Begun {moment(campaign.made_at)} · {campaign.state.value}",
        made_at=made_at,
        footer=footer_of(runs),
        sections=(
            Section(title="Result", blocks=(_key_figures(reported), *_said(tree), *_warnings(reported))),
            Section(title="Runs", blocks=(_runs_table(reported), *([times_table(results)] if results else []))),
            *stage_comparison(results),
            *_stages(medians),
            *sweep_sections(tree, reported.headline),
            *search_sections(campaign),
            *_again(tree),
            Section(title="Journal", blocks=(_journal(tree),)),
            *method_sections({_place(branch): run.record for branch, run in medians}),
            definitions_section(reported.headline, _terms(tree)),
        ),
    )


def _key_figures(reported: ReportedCampaign) -> KeyFigures:
    tree, headline = reported.tree, reported.headline
    figures = [Figure(name="Runs", value=str(len(tree.runs)))]
    if len(tree.branches) > 1:
        figures.append(Figure(name="Points", value=str(len(tree.branches))))
    best = max((branch.figures.median.run for branch in tree.branches), key=_rate_of, default=None)
    is_one = len(tree.branches) == 1
    name = "Highest median" if not is_one else "Median run" if len(tree.runs) > 1 else "Result"
    figures.append(Figure(name=name, value=headline.text(_rate_of(best) or None), unit=headline.label))
    if is_one and len(tree.runs) > 1:
        figures.append(Figure(name="Spread", value=percent(tree.branches[0].figures.spread_pct)))
    if again := len(tree.campaign.again()):
        figures.append(Figure(name="Done again", value=counted(again, "step")))
    return KeyFigures(figures=tuple(figures))


def _rate_of(run: SetRun | None) -> float:
    return 0 if run is None or run.headline_rate is None else run.headline_rate


def _said(tree: CampaignTree) -> list[Block]:
    note = tree.campaign.plan.note
    medians = [
        Text(text=f"{_place(branch)}: {branch.figures.median.sentence}")
        for branch in tree.branches
        if len(branch.runs) > 1
    ]
    state = tree.campaign.state
    unfinished = state is not CampaignState.COMPLETED
    head = head_sentence(tree, with_reason=False)
    return [Warn(text=head) if unfinished else Text(text=head), *([Text(text=note)] if note else []), *medians]


def _warnings(reported: ReportedCampaign) -> list[Warn]:
    """The warnings of the runs that count, each once with the first runs that it applies to."""
    names: dict[str, list[str]] = {}
    for runs in reported.sets:
        for warning in reported_set_warnings(runs):
            names.setdefault(warning.sentence, []).extend(warning.names)
    return [Warn(text=f"{few_of(those)}: {sentence}") for sentence, those in names.items()]


def _place(branch: Branch) -> str:
    return capitalised(branch.text) if branch.text else f"Step {branch.step}"


def _runs_table(reported: ReportedCampaign) -> DataTable:
    columns = number_columns(reported.headline.label, "Against the median", "p95, ms", "Errors", "Spread")
    return DataTable(
        caption="The runs of the campaign, by point",
        columns=(Column(title="Point"), Column(title="Run"), *columns, Column(title="Role")),
        rows=tuple(row for branch in reported.tree.branches for row in _branch_rows(reported.headline, branch)),
    )


def _branch_rows(headline: Headline, branch: Branch) -> Iterator[tuple[str, ...]]:
    figures, median = branch.figures, branch.median
    rate = None if median is None else (median.totals or NO_TOTALS).headline_rate
    for number, run in enumerate(branch.runs):
        totals = run.totals or NO_TOTALS
        is_median = median is not None and run.run_id == median.run_id
        several = len(branch.runs) > 1
        yield (
            _place(branch) if number == 0 else "",
            run.run_id,
            headline.text(totals.headline_rate),
            UNKNOWN if is_median else signed_percent(change_of(totals.headline_rate, rate).percent),
            milliseconds(totals.times.p95),
            whole(totals.error_count),
            percent(figures.spread_pct) if is_median and several else "",
            "median" if is_median and several else "",
        )


def _stages(medians: Sequence[tuple[Branch, ReportedRun]]) -> list[Section]:
    """The stages of each median run whose load has some, named by its point where there are several points."""
    return [
        replace(section, title=f"{section.title}: {_place(branch)}", level=1) if len(medians) > 1 else section
        for branch, run in medians
        for section in stage_sections(run.record, run.data, run.host)
    ]


def _again(tree: CampaignTree) -> list[Section]:
    """What was done again after a stop, a kill or a failure, and the runs that did not complete."""
    campaign = tree.campaign
    rows = [(_public_title(tree, entry), str(entry.attempt), entry.run_id or UNKNOWN) for entry in campaign.again()]
    others = [
        Text(text=f"Run {run.run_id} did not complete ({run.state.value}); it is in no figure.") for run in tree.others
    ]
    if not rows and not others:
        return []
    table = DataTable(
        caption="Steps that were begun more than once",
        columns=(Column(title="Step"), Column(title="Attempt", is_number=True), Column(title="Run")),
        rows=tuple(rows),
        note="What was cut off is done again, and what had prepared a run that did not complete.",
    )
    return [Section(title="Done again", blocks=(*([table] if rows else []), *others))]


def _journal(tree: CampaignTree) -> DataTable:
    return DataTable(
        caption="The steps in the order in which they were done",
        columns=(
            Column(title="No.", is_number=True),
            Column(title="Step"),
            Column(title="Began"),
            Column(title="Took", is_number=True),
            Column(title="State"),
            Column(title="Run"),
        ),
        rows=tuple(
            (
                str(entry.number),
                _public_title(tree, entry),
                moment(entry.began_at),
                _took(entry),
                entry.state.value,
                entry.run_id or UNKNOWN,
            )
            for entry in tree.campaign.entries
        ),
    )


def _took(entry: JournalEntry) -> str:
    if entry.ended_at is None or entry.state is EntryState.SKIPPED or entry.kind == StepKind.SEARCH:
        return UNKNOWN
    return duration((entry.ended_at - entry.began_at).total_seconds())


def _public_title(tree: CampaignTree, entry: JournalEntry) -> str:
    """What the entry is about, without a command, a statement, a machine's user or a path."""
    match _leaf_of(tree, entry):
        case ActStep(injection=injection) as step:
            return entry.title.replace(step.sentence, capitalised(public_action(injection)))
        case WaitStep(condition=condition) as step:
            return entry.title.replace(step.sentence, f"Wait ({condition.verb})")
        case _:
            return redactor(tree.campaign.plan.plan)(entry.title)


def _leaf_of(tree: CampaignTree, entry: JournalEntry) -> LeafStep | None:
    """The step that an entry is one of; ``None`` for the verdicts of a search."""
    parts = entry.path.split("/")
    if entry.kind == StepKind.SEARCH or len(parts) < 5:
        return None
    return leaves_of(tree.campaign.plan.steps[int(parts[0]) - 1])[int(parts[-2]) - 1]


def _terms(tree: CampaignTree) -> Sequence[Term]:
    several = any(len(branch.runs) > 1 for branch in tree.branches)
    sets = (Term.MEDIAN, Term.SPREAD) if several else ()
    swept = (Term.SCALING, Term.LINEAR) if any(branch.point for branch in tree.branches) else ()
    return (*sets, Term.RATE, Term.RESPONSE_TIME, Term.STEADY, *swept)
