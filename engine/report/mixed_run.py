"""The document of a mixed run: the headlines of all loads over one time axis, then each load as in a run's document.

Called by ``making``.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from engine.analysis.headline import headline_of
from engine.analysis.recovery.figures import Recovery
from engine.analysis.run_data import RunData
from engine.figure_text import capitalised, decimal, listed, whole
from engine.record.record import RunRecord
from engine.record.totals import NO_TOTALS
from engine.report.charts.run import headline_figure
from engine.report.document import Block, ChartFigure, Column, DataTable, Document, DocumentKind, Section
from engine.report.event_table import event_table
from engine.report.one_run import one_run_report
from engine.report.result_tables import number_columns
from engine.report.results import ReportedRun
from engine.report.run_parts import run_subtitle
from engine.report.run_power import WattsOver
from engine.subject import Subject
from engine.telemetry.event import RunEvent
from engine.workload.registry import find_workload

_ONCE = ("Workstation", "Load machines", "Hosts", "Power")
"""Chapters of a run's document that say the same for all of its loads."""
_RESULT, _EVENT_LOG = "Result", "Event log"


@dataclass(frozen=True, kw_only=True, eq=False)
class ReportedLoad:
    """A load of a mixed run, as a run of its own, and the recoveries of this load from the run's faults."""

    run: ReportedRun
    recoveries: Sequence[Recovery]


def mixed_run_report(
    record: RunRecord,
    events: Sequence[RunEvent],
    loads: Sequence[ReportedLoad],
    *,
    made_at: datetime,
    watts_over: WattsOver = WattsOver.MEASURED,
) -> Document:
    """The document of a mixed run, from its record, its events and its loads in their order."""
    titles = record.plan.titles
    charts = [_headline_chart(title, load) for title, load in zip(titles, loads, strict=True)]
    sections = [Section(title=_RESULT, blocks=(_loads_table(record), *charts))]
    common: dict[str, Section] = {}
    for title, load in zip(titles, loads, strict=True):
        document = one_run_report(load.run, made_at=made_at, recoveries=load.recoveries, watts_over=watts_over)
        for section in document.sections:
            if section.title in _ONCE:
                common.setdefault(section.title, section)
            elif section.title == _RESULT:
                sections.append(replace(section, title=title, blocks=_without_headline(section.blocks)))
            elif section.title != _EVENT_LOG:
                sections.append(
                    replace(section, title=f"{title}: {section.title}" if section.level == 1 else section.title)
                )
    event_log = Section(title=_EVENT_LOG, blocks=(event_table(_whole_run(record, events)),))
    return Document(
        kind=DocumentKind.RUN,
        title=record.name or record.run_id,
        subtitle=run_subtitle(record),
        made_at=made_at,
        footer=f"Run {record.run_id}",
        sections=(*sections, *common.values(), event_log),
    )


def _headline_chart(title: str, load: ReportedLoad) -> ChartFigure:
    figure = headline_figure(load.run.data, load.recoveries)
    return replace(figure, caption=f"{title}: {figure.caption}")


def _without_headline(blocks: tuple[Block, ...]) -> tuple[Block, ...]:
    """The result of a load without its first chart, which stands among those of all loads."""
    chart = next((block for block in blocks if isinstance(block, ChartFigure)), None)
    return tuple(block for block in blocks if block is not chart)


def _whole_run(record: RunRecord, events: Sequence[RunEvent]) -> RunData:
    """The events of all loads with the labels of all clients; it has no samples."""
    whole_run = RunData(record.plan.loads[0])
    whole_run.clients = record.plan.client_plans()
    whole_run.set_state(record.state, record.phases)
    for event in events:
        whole_run.put_event(event)
    return whole_run


def _loads_table(record: RunRecord) -> DataTable:
    """A row for each load: what it drove, and its figures."""
    totals = (record.totals or NO_TOTALS).loads
    workloads = [find_workload(load.workload) for load in record.plan.loads]
    stores = "Databases" if all(each.subject is Subject.DATABASE for each in workloads) else "Stores"
    who = listed(list(dict.fromkeys(each.wording.who[1] for each in workloads)))
    rows = []
    for place, (title, load) in enumerate(zip(record.plan.titles, record.plan.loads, strict=True)):
        of, headline = totals[place] if place < len(totals) else NO_TOTALS, headline_of(load.workload)
        rows.append(
            (
                title,
                ", ".join(store.database for store in load.stores()),
                str(len(load.client_plans())),
                str(load.users),
                headline.labelled(of.headline_rate),
                *map(decimal, (of.times.mean, of.times.p95, of.times.p99)),
                whole(of.error_count),
            )
        )
    return DataTable(
        caption="The loads in the measuring phase",
        columns=(
            Column(title="Load"),
            Column(title=stores),
            *number_columns("Clients", capitalised(who), "Headline", "Mean, ms", "p95", "p99", "Errors"),
        ),
        rows=tuple(rows),
        note="All loads ran at the same time, under one clock. Response times are of the transactions that the headline"
        " counts.",
    )
