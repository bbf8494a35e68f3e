"""The stages of a run's load in its document: figures and charts over the load, hosts beside them, and the knee; of
several results, side by side."""

from collections.abc import Sequence

from engine.analysis.comparing.change import change_of
from engine.analysis.headline import Headline
from engine.analysis.host.measurement import HostMeasurement
from engine.analysis.host.stages import StageHosts, stage_hosts
from engine.analysis.run_data import RunData
from engine.analysis.stages.curves import comparable_curves, has_curve
from engine.analysis.stages.ending import load_text
from engine.analysis.stages.table import compared_extremes, stage_sentences, stage_table
from engine.figure_text import percent, signed_percent
from engine.record.record import RunRecord
from engine.record.totals import NO_TOTALS, StageTotals
from engine.report.charts.stages import hosts_figure, throughput_figure, times_figure
from engine.report.document import Block, Column, DataTable, Section, Text
from engine.report.result_tables import number_columns
from engine.report.results import Result


def stage_sections(record: RunRecord, run: RunData, measurements: Sequence[HostMeasurement] = ()) -> list[Section]:
    """One section with the table and charts of a run with stages, and the sentences of any run whose load ended
    early."""
    stages = (record.totals or NO_TOTALS).stages
    said = [Text(text=sentence) for sentence in stage_sentences(stages, run.headline, run.sorted_events())]
    if not stages:
        return [Section(title="Load", level=2, blocks=tuple(said))] if said else []
    table = stage_table(stages, run.headline)
    shown = DataTable(
        caption="The stages of the load, each after its settling time",
        columns=(Column(title="Stage"), *number_columns(*table.columns)),
        rows=(*table.rows, *table.extremes),
        note="Minimum, maximum and average are those of the stages; percentiles are not averaged."
        if table.extremes
        else "",
    )
    hosts = stage_hosts(stages, record.started_at, measurements)
    blocks: list[Block] = [shown, *said]
    if has_curve(stages):
        of_run = [(run.headline.label, stages)]
        blocks += [throughput_figure(of_run, run.headline), times_figure(of_run, run.headline)]
    if hosts:
        blocks.append(_hosts_table(stages, hosts, run))
        if has_curve(stages):
            blocks.append(hosts_figure(stages, hosts))
    return [Section(title="Stages", blocks=tuple(blocks))]


def stage_comparison(results: Sequence[Result]) -> list[Section]:
    """The stages of several results over the same kind of load: the headline and p95 at each load that all have, and
    their curves. Empty for fewer than two results with stages."""
    places = comparable_curves([result.totals.stages for result in results])
    if not places:
        return []
    staged = [(results[place], results[place].totals.stages) for place in places]
    headline = staged[0][0].headline
    by_name = [(result.name, stages) for result, stages in staged]
    said = [
        Text(text=f"{name}: {sentence}")
        for name, stages in by_name
        for sentence in stage_sentences(stages, headline, ())
    ]
    blocks = (
        throughput_figure(by_name, headline),
        *said,
        times_figure(by_name, headline),
        *_side_by_side(staged),
        _extremes_side_by_side(by_name, headline),
    )
    return [Section(title="Stages", blocks=blocks)]


def _hosts_table(stages: Sequence[StageTotals], hosts: Sequence[StageHosts], run: RunData) -> DataTable:
    return DataTable(
        caption="Hosts in the stages, %",
        columns=(Column(title="Stage"), *number_columns(*(each.label for each in hosts))),
        rows=tuple(
            (f"{stage.number}: {load_text(stage, run.headline)}", *(percent(each.values[place]) for each in hosts))
            for place, stage in enumerate(stages)
        ),
        note="Of each host its processors, and the idle time of its busiest disk.",
    )


def _extremes_side_by_side(results: Sequence[tuple[str, Sequence[StageTotals]]], of: Headline) -> DataTable:
    table = compared_extremes(results, of)
    return DataTable(
        caption="Minimum, maximum and average of the stages",
        columns=(Column(title="Result"), *number_columns(*table.columns)),
        rows=table.rows,
        note=f"Differences are against {results[0][0]}, of all stages that each has.",
    )


def _side_by_side(staged: Sequence[tuple[Result, Sequence[StageTotals]]]) -> list[Block]:
    """A row for each load that all results have; differences are against the first result."""
    by_load = [{stage.load: stage for stage in stages} for _, stages in staged]
    loads = [load for load in by_load[0] if all(load in each for each in by_load)]
    if not loads:
        return []
    headline, names = staged[0][0].headline, [result.name for result, _ in staged]
    titles = [
        title
        for place, name in enumerate(names)
        for title in (f"{headline.label}, {name}", *(("Difference",) if place else ()))
    ]
    rows = []
    for load in loads:
        first = by_load[0][load]
        cells = [load_text(first, headline)]
        for place, each in enumerate(by_load):
            value = each[load].headline
            change = signed_percent(change_of(value, first.headline).percent)
            cells += [headline.text(value), *((change,) if place else ())]
        rows.append(tuple(cells))
    table = DataTable(
        caption=f"{headline.label} at the same load",
        columns=(Column(title="Load"), *number_columns(*titles)),
        rows=tuple(rows),
        note=f"Differences are against {names[0]}.",
    )
    return [table]
