"""What the documents of one run have in common: its line below the title, its warnings, its faults, what was left out.

Called by ``one_run`` and ``recovery_evidence``.
"""

from collections.abc import Iterator, Sequence

from engine.analysis.recovery_figures import Recovery
from engine.analysis.run_data import RunData
from engine.figure_text import clock, moment
from engine.plan import RunPlan
from engine.record import Origin, RunRecord
from engine.report.discreet import discreet
from engine.report.document import Block, Column, DataTable, Section, Text, Warn
from engine.report.recovery_text import recovery_table
from engine.report.result_tables import number_columns
from engine.report.run_warnings import run_warnings


def run_subtitle(record: RunRecord) -> str:
    """The run's id, when it began and how it ended."""
    return f"Run {record.run_id} · {moment(record.started_at)} · {record.state.value}"


def run_notices(record: RunRecord, run: RunData) -> list[Block]:
    """What a reader must know first: why it failed, what limits its figures, and what was noted."""
    hide = discreet(record.plan)
    blocks: list[Block] = [Warn(text=f"It ended early: {hide(record.failure)}")] if record.failure else []
    blocks += [Warn(text=hide(sentence)) for sentence in run_warnings(record, run)]
    return blocks + ([Text(text=record.note)] if record.note else [])


def left_out_section(record: RunRecord, run: RunData) -> Section:
    """What of the run is in none of the figures, and what is not known of it."""
    return Section(title="What was left out", blocks=tuple(Text(text=text) for text in _left_out(record, run)))


def _left_out(record: RunRecord, run: RunData) -> Iterator[str]:
    first, end = run.phases.measuring_from, run.phases.measuring_to
    if first is None:
        yield "The run ended before measuring began: it has no figures."
    elif first:
        yield f"The ramp and the warm-up, until {clock(first)} on the run's clock, are not part of any figure."
    if end is not None and run.end > end:
        yield f"Orders that ended after {clock(end)}, after measuring, are not part of any figure."
    if record.origin is Origin.DS2_LOG:
        yield "The run was read from a driver's output; what DVD Store 2 does not print (percentiles) is unknown."
    yield "The price look-up and the think time of an order are in no response time."
    if record.audit is None:
        yield "The orders were not compared with the servers after the run."


def faults_table(plan: RunPlan, recoveries: Sequence[Recovery]) -> DataTable:
    """A line for each fault: when, what, and what it comes to."""
    hide = discreet(plan)
    return DataTable(
        caption="The faults and their recoveries",
        columns=(
            Column(title="At", is_number=True),
            Column(title="Fault"),
            Column(title="State"),
            *number_columns("Recovered after", "Black-out", "Orders missed", "Drop of the running OPM"),
        ),
        rows=tuple((at, hide(label), *figures) for at, label, *figures in recovery_table(recoveries)),
        note="Times are on the run's clock, which begins with the ramp.",
    )
