"""The document that proves a recovery: the effect of the fault, second by second, by every definition, and the losses.

Called by ``making``.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from itertools import groupby

from engine.analysis.headline import Headline
from engine.analysis.recovery.figures import Recovery, RecoveryState, SubjectRecovery
from engine.analysis.recovery.settings import RecoverySettings
from engine.analysis.recovery.spread import recovery_spread
from engine.audit.report import AuditReport
from engine.errors import BadInput
from engine.figure_text import counted, duration, percent, shortest, whole, with_unit
from engine.plan.plan import RunPlan
from engine.record.clock import RunClock
from engine.record.record import RunRecord
from engine.report.audit_section import audit_section
from engine.report.charts.recovery import fault_figure, tpc_figure
from engine.report.charts.run import draws_intended, headline_figure, times_figure
from engine.report.definitions import Term
from engine.report.document import (
    Block,
    Column,
    DataTable,
    Document,
    DocumentKind,
    Facts,
    Figure,
    KeyFigures,
    Notes,
    Section,
    Text,
)
from engine.report.event_table import event_table
from engine.report.fault_repetitions import repeated_faults, spread_rows
from engine.report.method import method_sections
from engine.report.recovery_rows import recovery_rows
from engine.report.recovery_text import drop_title, missed_title, recovery_sentences, relapse_cell
from engine.report.redaction import redactor
from engine.report.result_tables import number_columns
from engine.report.results import ReportedRun
from engine.report.run_parts import faults_table, left_out_section, run_notices, run_subtitle
from engine.workload.registry import DVD_STORE
from resources import read_text

_PUBLISHED = "What DVD Store 2's published tests say of orders as OPM is said here of {many} as {label}."
_NO_USERS = (
    "{workload} has threads of a program in the place of users: a thread is down while its program does not run, which"
    " is what is said of users without a connection. There is no probe, no call and no audit."
)
_WORDS = re.compile(r"(?P<key>`[^`]*`)|(?<![A-Za-z])(?:[Oo]rders|(?:an )?order|OPM)(?![A-Za-z])")
_SETTINGS = (
    ("Baseline", "baseline_seconds", "s before the fault"),
    ("Known seconds that a baseline needs", "least_baseline_seconds", "s"),
    ("Largest spread of a baseline", "most_spread_pct", "%"),
    ("Largest drift of a baseline", "most_drift_pct", "%"),
    ("Threshold", "threshold_pct", "% of the baseline"),
    ("Hold time", "hold_seconds", "s"),
    ("Latest start of a dip", "onset_seconds", "s after the fault"),
    ("Lowest window", "lowest_window_seconds", "s"),
    ("Level after, and relapses", "after_seconds", "s after the recovery"),
    ("Longest time attributed to a fault", "horizon_seconds", "s"),
)


def recovery_evidence(
    run: ReportedRun, recoveries: Sequence[Recovery], settings: RecoverySettings, *, made_at: datetime
) -> Document:
    """The evidence of a run's recoveries, sorted by the time of the fault, as judged with ``settings``.

    Raises ``BadInput`` for a run without a fault.
    """
    record = run.record
    if not recoveries:
        raise BadInput(
            f"run {record.run_id} has no fault to recover from; mark one as a fault, or ask for the kind 'run'."
        )
    return Document(
        kind=DocumentKind.RECOVERY,
        title=run.title,
        subtitle=run_subtitle(record),
        made_at=made_at,
        footer=f"Run {record.run_id}",
        sections=(
            Section(title="Result", blocks=_result(run, recoveries)),
            *_fault_sections(run, recoveries, settings),
            *_repetitions(record.plan, recoveries),
            audit_section(record),
            *method_sections({run.title: record}),
            left_out_section(record, run.data),
            Section(title="Event log", blocks=(event_table(run.data),)),
            *_definitions(run, settings),
        ),
    )


def _result(run: ReportedRun, recoveries: Sequence[Recovery]) -> tuple[Block, ...]:
    notices, times = run_notices(run), times_figure(run.data)
    only = recoveries[0] if len(recoveries) == 1 else None
    opening = faults_table(run.record.plan, recoveries) if only is None else _key_figures(run.record, only)
    return (opening, *notices, headline_figure(run.data, recoveries), *([] if times is None else [times]))


def _key_figures(record: RunRecord, recovery: Recovery) -> KeyFigures:
    felt = recovery.total.felt
    has_more = felt.relapses > (recovery.state is RecoveryState.RELAPSED)
    relapses = f", {counted(felt.relapses, 'relapse')}" if has_more else ""
    headline = recovery.headline
    gone = None if record.audit is None else AuditReport.from_dict(record.audit).counts.gone
    lost = Figure(name=f"Acknowledged {headline.recorded.many} lost", value=whole(gone))
    errors = Figure(name="Errors", value=whole(sum(recovery.total.calls.errors.values())))
    return KeyFigures(
        figures=(
            Figure(name="State", value=f"{recovery.state.value.capitalize()}{relapses}"),
            Figure(name="Recovered after", value=duration(felt.recovered_seconds)),
            Figure(name="Black-out", value=duration(felt.blackout_seconds)),
            Figure(name=missed_title(headline), value=whole(felt.transactions_not_taken)),
            lost if headline.has_users else errors,
            Figure(name=drop_title(headline), value=percent(recovery.total.published.drop_pct, 2)),
        )
    )


def _fault_sections(run: ReportedRun, recoveries: Sequence[Recovery], settings: RecoverySettings) -> Iterator[Section]:
    redact = redactor(run.record.plan)
    for recovery in recoveries:
        label, at = redact(recovery.fault.label), recovery.clock.moment(recovery.fault.at_seconds)
        tpc = tpc_figure(run.data, recovery)
        blocks: list[Block] = [Text(text=redact(" ".join(recovery_sentences(recovery))))]
        blocks.append(fault_figure(run.data, recovery, settings))
        blocks += [_too_short()] if tpc is None else [tpc]
        yield Section(title=f"{label}, at {at}", blocks=tuple(blocks))
        yield Section(title="Figures of all clients together", level=2, blocks=tuple(_figures(recovery, redact)))
        if len(recovery.clients) > 1:
            yield Section(title="Figures of each client", level=2, blocks=(_clients(recovery),))


def _too_short() -> Text:
    return Text(text="TPC-E's graph of one-minute bins takes two whole minutes after the fault; this one has fewer.")


def _figures(recovery: Recovery, redact: Callable[[str], str]) -> Iterator[DataTable]:
    """A table for each group of figures of all clients together, with the meaning of each figure."""
    for group, rows in groupby(recovery_rows(recovery, recovery.total), key=lambda row: row.group):
        yield DataTable(
            caption=group,
            columns=(Column(title="Figure"), Column(title="Value", is_number=True), Column(title="Meaning")),
            rows=tuple((row.figure, redact(row.value), row.meaning) for row in rows),
        )


def _clients(recovery: Recovery) -> DataTable:
    missed, before = missed_title(recovery.headline), f"{recovery.headline.label} before"
    titles = ("Black-out", "Brown-out", "Lowest second", missed, before, "Level after")
    return DataTable(
        caption="The clients through the fault",
        columns=(
            Column(title="Client"),
            Column(title="State"),
            *number_columns("Recovered after"),
            Column(title="Relapses"),
            *number_columns(*titles),
        ),
        rows=tuple(
            (client.label, *_client_cells(recovery.headline, client, recovery.clock)) for client in recovery.clients
        ),
        total=("All clients", *_client_cells(recovery.headline, recovery.total, recovery.clock)),
    )


def _client_cells(headline: Headline, subject: SubjectRecovery, clock: RunClock) -> tuple[str, ...]:
    felt = subject.felt
    return (
        subject.state.value,
        duration(felt.recovered_seconds),
        relapse_cell(subject, clock),
        duration(felt.blackout_seconds),
        duration(felt.brownout_seconds),
        percent(felt.lowest_second_pct),
        whole(felt.transactions_not_taken),
        headline.text(subject.baseline.headline_rate),
        percent(felt.level_after_pct),
    )


def _repetitions(plan: RunPlan, recoveries: Sequence[Recovery]) -> list[Section]:
    """For repeated faults: each figure's median and worst, and its value in every round."""
    redact = redactor(plan)
    tables = [
        DataTable(
            caption=f"{redact(label)}, {len(rounds)} times",
            columns=(Column(title="Figure"), *number_columns("Median", "Worst"), Column(title="Each")),
            rows=tuple(
                (figure, median, worst, ", ".join(each))
                for figure, median, worst, each in spread_rows(rounds[0].headline, recovery_spread(rounds))
            ),
        )
        for label, rounds in repeated_faults(recoveries).items()
    ]
    return [Section(title="Repetitions", blocks=tuple(tables))] if tables else []


def _definitions(run: ReportedRun, settings: RecoverySettings) -> list[Section]:
    """The settings of the analysis, and the program's own help page of definitions.

    That page covers only recoveries; the terms of the other charts precede it.
    """
    shares = ", ".join(shortest(share) for share in settings.shares_pct)
    judged_by = [(name, with_unit(shortest(getattr(settings, key)), unit)) for name, key, unit in _SETTINGS]
    judged_by.append(("Reported shares", with_unit(shares, "% of the baseline")))
    headline = run.data.headline
    text = _in_words_of(headline, read_text("help", "recovery.md").partition("\n")[2])
    terms: list[Block] = [Facts(rows=(Term.INTENDED.define(headline),))] if draws_intended(run.data) else []
    if run.record.plan.workload != DVD_STORE:
        terms.append(Text(text=_PUBLISHED.format(many=headline.many, label=headline.label)))
    if not headline.has_users:
        terms.append(Text(text=_NO_USERS.format(workload=headline.workload)))
    return [
        Section(title="Judged by", blocks=(Facts(rows=tuple(judged_by)),)),
        Section(title="Definitions", blocks=(*terms, Notes(markdown=text))),
    ]


def _in_words_of(headline: Headline, page: str) -> str:
    """The help page, which is written in the words of DVD Store, in those of another headline.

    Paragraphs on DVD Store itself stay as they are; names in JSON become those of the headline.
    """
    words = {
        "orders": headline.many,
        "Orders": headline.heading,
        "order": headline.one,
        "an order": headline.a_one,
        "OPM": headline.label,
    }

    def worded(found: re.Match[str]) -> str:
        key = found["key"]
        return words[found[0]] if key is None else key.replace("orders_", headline.key("transactions_"))

    paragraphs = page.split("\n\n")
    return "\n\n".join(each if "DVD Store" in each else _WORDS.sub(worded, each) for each in paragraphs)
