"""The counters of hosts over the measuring phase: of one run with their extremes, of several side by side.

Called by the documents; a meter's watts are in the section on power.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from engine.analysis.host.figures import (
    SpanMean,
    clock_remarks,
    coverage_sentences,
    is_sparse,
    mean_over,
    measured_span,
)
from engine.figure_text import UNKNOWN, significant, with_unit
from engine.report.charts.host import host_figures, host_label, host_readers, repeated_labels
from engine.report.document import Block, Column, DataTable, Section, Text
from engine.report.result_tables import number_columns
from engine.report.results import ReportedRun, Result
from engine.telemetry.host_figure import HostFigure


def host_sections(results: Sequence[Result]) -> list[Section]:
    """The means of every result's run; empty when no run has measurements."""
    measured = [(result.name, _means(result.run)) for result in results if result.run is not None]
    blocks = _table(measured)
    return [Section(title="Hosts", blocks=tuple(blocks))] if blocks else []


def host_run_sections(result: Result) -> list[Section]:
    """The means and extremes of one run, and a chart for each unit."""
    if result.run is None:
        return []
    blocks = [
        *_table([(result.name, _means(result.run, repeated_labels(result.run.host)))], extremes=True),
        *host_figures(result.run),
    ]
    return [Section(title="Hosts", blocks=tuple(blocks))] if blocks else []


@dataclass(frozen=True, kw_only=True)
class _Means:
    """Each counter's figures by label, with its unit, and remarks on gaps and clocks."""

    figures: dict[str, tuple[SpanMean, str]]
    remarks: list[str]


def _table(measured: Sequence[tuple[str, _Means]], *, extremes: bool = False) -> list[Block]:
    labels = sorted({label for _, means in measured for label in means.figures})
    if not labels:
        return []
    titles = ("Mean", "Lowest", "Highest") if extremes else tuple(name for name, _ in measured)
    table = DataTable(
        caption="Counters over the measuring phase" if extremes else "Means over the measuring phase",
        columns=(Column(title="Counter"), *number_columns(*titles)),
        rows=tuple(
            (label, *(cell for _, means in measured for cell in _cells(means, label, extremes=extremes)))
            for label in labels
        ),
    )
    remarks = [Text(text=f"{name}: {remark}") for name, means in measured for remark in means.remarks]
    return [table, *remarks]


def _cells(means: _Means, label: str, *, extremes: bool) -> tuple[str, ...]:
    if label not in means.figures:
        return (UNKNOWN,)
    mean, unit = means.figures[label]
    figures = (mean.mean, mean.lowest, mean.highest) if extremes else (mean.mean,)
    return tuple(with_unit(significant(figure), unit) for figure in figures)


def _means(run: ReportedRun, repeated: Collection[str] = ()) -> _Means:
    """The means of a run. The labels that are ``repeated`` name what has read the counter.

    Without ``repeated``, the first reader's counter keeps the plain label: in a comparison it shares the row of the
    other runs' counters.
    """
    span, readers = measured_span(run.record.started_at, run.record.phases), host_readers(run.host)
    means = _Means(figures={}, remarks=[])
    for measurement in run.host:
        covered = []
        for series in measurement.series:
            if span is None or series.name == HostFigure.POWER.value:
                continue
            mean, label = mean_over(series, span, measurement.shift_seconds), host_label(series)
            if not is_sparse(measurement, series):
                covered.append((mean, label))
            if label in repeated or label in means.figures:
                label = host_label(series, readers[series.source, measurement.number])
            means.figures[label] = mean, series.unit
        means.remarks.extend(coverage_sentences(covered))
    if means.figures:
        means.remarks.extend(clock_remarks(run.record, run.data.sorted_events(), span))
    return means
