"""The counters of hosts beside the figures of runs: means over the measuring phase, a column for each run.

Called by the comparison and by the document of a set; a meter's watts stand in their section of power.
"""

from collections.abc import Sequence

from engine.analysis.host_figures import UtcSpan, clock_remarks, coverage_sentence, mean_over, measured_span
from engine.analysis.host_series import HostFigure, HostSeries
from engine.figure_text import UNKNOWN, decimal, with_unit
from engine.report.document import Block, Column, DataTable, Section, Text
from engine.report.result_tables import number_columns
from engine.report.results import ReportedRun, Result

_SHOWN = frozenset(figure.value for figure in HostFigure) - {HostFigure.POWER.value}


def host_sections(results: Sequence[Result]) -> list[Section]:
    """The means of every result's run; nothing when nothing was measured beside any of them."""
    measured = [(result.name, *_means(result.run)) for result in results if result.run is not None]
    labels = sorted({label for _, means, _ in measured for label in means})
    if not labels:
        return []
    table = DataTable(
        caption="Means over the measuring phase",
        columns=(Column(title="Counter"), *number_columns(*(name for name, _, _ in measured))),
        rows=tuple((label, *(means.get(label, UNKNOWN) for _, means, _ in measured)) for label in labels),
    )
    blocks: list[Block] = [Text(text=f"{name}: {remark}") for name, _, remarks in measured for remark in remarks]
    return [Section(title="Hosts", blocks=(table, *blocks))]


def _means(run: ReportedRun) -> tuple[dict[str, str], list[str]]:
    """Each counter's mean as text by its label, and what is to be said of gaps and of clocks.

    A counter that an earlier file has as well is told apart by what wrote its own, and that one's number.
    """
    span = measured_span(run.record.started_at, run.record.phases)
    means: dict[str, str] = {}
    remarks: list[str] = []
    for measurement in run.host:
        for series in measurement.series:
            if span is None or series.name not in _SHOWN:
                continue
            text, remark = _mean(series, measurement.shift_seconds, span)
            label = _label(series)
            means[label if label not in means else f"{label}, {measurement.kind} {measurement.number}"] = text
            remarks += [remark] if remark else []
    return means, [*remarks, *(clock_remarks(run.record, run.data.sorted_events(), span) if means else [])]


def _label(series: HostSeries) -> str:
    return f"{series.label} ({series.source})" if series.source else series.label


def _mean(series: HostSeries, shift_seconds: float, span: UtcSpan) -> tuple[str, str]:
    mean = mean_over(series, span, shift_seconds)
    return with_unit(decimal(mean.mean, 1), series.unit), coverage_sentence(mean, _label(series))
