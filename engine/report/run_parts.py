"""The common parts of documents of one run: subtitle, warnings, faults, omissions.

Called by ``one_run`` and ``recovery_evidence``.
"""

from collections.abc import Iterator, Mapping, Sequence

from engine.analysis.headline import headline_of
from engine.analysis.recovery.figures import Recovery
from engine.analysis.run_data import RunData
from engine.figure_text import capitalised, duration, moment
from engine.plan.pace import has_ramp
from engine.plan.plan import RunPlan
from engine.record.clock import RunClock
from engine.record.record import Origin, RunRecord
from engine.report.document import Block, Column, DataTable, Facts, Section, Text, Warn
from engine.report.host_findings import finding_sentences
from engine.report.recovery_text import recovery_table, recovery_titles
from engine.report.redaction import redactor
from engine.report.results import ReportedRun
from engine.report.run_warnings import run_warnings
from engine.report.volumes import volume_sentences

_TEXTS = ("Fault", "State", "Relapses")


def run_subtitle(record: RunRecord) -> str:
    """The run's id, its start and its final state."""
    return f"Run {record.run_id} · {moment(record.started_at)} · {record.state.value}"


def run_notices(reported: ReportedRun) -> list[Block]:
    """The notices at the begin: the reason of a failure, what limits the figures, findings about hosts, the notes."""
    record, run = reported.record, reported.data
    redact = redactor(record.plan)
    blocks: list[Block] = [Warn(text=f"It ended early: {redact(record.failure)}")] if record.failure else []
    blocks += [Warn(text=redact(sentence)) for sentence in run_warnings(record, run)]
    events = run.sorted_events()
    blocks += [Text(text=redact(sentence)) for sentence in volume_sentences(record, events, reported.host)]
    found = finding_sentences(record, events, reported.host)
    blocks += [Text(text=redact(f"Finding: {sentence}")) for sentence in found]
    return blocks + ([Text(text=record.note)] if record.note else [])


def left_out_section(record: RunRecord, run: RunData) -> Section:
    """What the figures do not include, and what is unknown of the run."""
    return Section(title="What was left out", blocks=tuple(Text(text=text) for text in _left_out(record, run)))


def _left_out(record: RunRecord, run: RunData) -> Iterator[str]:
    first, end = run.phases.measuring_from, run.phases.measuring_to
    if first is None:
        yield "The run ended before measuring began: it has no figures."
    elif first:
        start = "ramp" if has_ramp(record.plan) else "start"
        yield f"The {start} and the warm-up, {duration(first)} before measuring began, are not part of any figure."
    if end is not None and run.end > end:
        what = capitalised(run.headline.units)
        yield f"{what} that ended after {run.clock.second(end)}, after measuring, are not part of any figure."
    if record.origin is Origin.DS2_LOG:
        yield "The run was read from a driver's output; what DVD Store 2 does not print (percentiles) is unknown."
    elif record.origin.is_imported:
        program = record.environment.get("program", "another program")
        yield f"The run was read from what {program} printed; what that does not print is unknown."
    yield run.headline.wording.untimed
    if record.audit is None or not run.headline.has_users:
        not_compared = f"The {run.headline.many} were not compared with the servers after the run."
        yield run.headline.wording.unaudited or not_compared


def time_note(clock: RunClock) -> str:
    """The origin of the moments in a table or a chart."""
    if clock.is_measuring:
        return "Times are since measuring began, in minutes and seconds; before it they are negative."
    return "Times are since the run's start, in minutes and seconds, as it never began to measure."


def faults_table(plan: RunPlan, recoveries: Sequence[Recovery]) -> DataTable:
    """A row for each fault: time, label, and recovery."""
    redact, titles = redactor(plan), recovery_titles(headline_of(plan.workload))
    return DataTable(
        caption="The faults and their recoveries",
        columns=tuple(Column(title=title, is_number=title not in _TEXTS) for title in titles),
        rows=tuple((at, redact(label), *figures) for at, label, *figures in recovery_table(recoveries)),
        note=time_note(recoveries[0].clock) if recoveries else "",
    )


def left_out_sections(runs: Mapping[str, ReportedRun]) -> list[Section]:
    """A line for each run under its name in the document; what applies to all of them once."""
    by_run = {name: _sentences(run) for name, run in runs.items()}
    if not by_run:
        return []
    shared = [sentence for sentence in next(iter(by_run.values())) if all(sentence in each for each in by_run.values())]
    own = {name: [sentence for sentence in each if sentence not in shared] for name, each in by_run.items()}
    rows = tuple((name, " ".join(sentences)) for name, sentences in own.items() if sentences)
    blocks: list[Block] = [Facts(rows=rows)] if rows else []
    return [Section(title="What was left out", blocks=(*blocks, *(Text(text=sentence) for sentence in shared)))]


def _sentences(run: ReportedRun) -> list[str]:
    section = left_out_section(run.record, run.data)
    return [block.text for block in section.blocks if isinstance(block, Text)]
