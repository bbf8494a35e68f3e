"""Charts of the counters of hosts and meters over a run, one for each common figure or other unit, and scale.

Called by the document of one run.
"""

from collections import Counter
from collections.abc import Iterable

from engine.analysis.host.groups import HostGroup, host_groups
from engine.analysis.host.labels import Reader, counter_label, reader_names
from engine.analysis.host.measurement import HostMeasurement
from engine.analysis.host.series import HostSeries, by_second
from engine.figure_text import capitalised, counted
from engine.report.charts.run import line_by_second, marks_between, phase_bands, time_label
from engine.report.document import AxisFormat, ChartFigure, LineChart
from engine.report.results import ReportedRun

MOST_LINES = 8
_HEIGHT_MM = 46.0
_Drawn = tuple[HostSeries, HostMeasurement]


def host_figures(run: ReportedRun) -> list[ChartFigure]:
    """The measurements of hosts and meters, by figure or unit; series whose scales differ too much get separate
    charts."""
    if run.data.started_at is None:
        return []
    drawn = [(series, measurement) for measurement in run.host for series in measurement.series]
    return [_figure(run, group) for group in host_groups(drawn, lambda each: each[0])]


def host_label(series: HostSeries, reader: str = "") -> str:
    """The label of a counter: its name, its device, its host, and what has read it where that is to be told."""
    return counter_label(series.label, series.source, reader)


def host_readers(measurements: Iterable[HostMeasurement]) -> dict[Reader, str]:
    """What to call each measurement, by the host of its series and its number."""
    return reader_names(((series.source, each.number), each.reader) for each in measurements for series in each.series)


def repeated_labels(measurements: Iterable[HostMeasurement]) -> set[str]:
    """The labels of counters that several have read."""
    times = Counter(host_label(series) for each in measurements for series in each.series)
    return {label for label, number in times.items() if number > 1}


def _figure(run: ReportedRun, group: HostGroup[_Drawn]) -> ChartFigure:
    data, more = run.data, len(group.members) - MOST_LINES
    assert data.started_at is not None
    epoch = data.started_at.timestamp()
    readers, repeated = host_readers(run.host), repeated_labels(run.host)
    lines = []
    for series, measurement in group.members[:MOST_LINES]:
        label = host_label(series)
        if label in repeated:
            label = host_label(series, readers[series.source, measurement.number])
        lines.append(line_by_second(data, label, by_second(series, epoch, data.end, measurement.shift_seconds)))
    return ChartFigure(
        caption=f"Hosts: {group.name}.",
        chart=LineChart(
            x_label=time_label(data.clock),
            y_label=capitalised(group.axis_title),
            lines=tuple(lines),
            marks=marks_between(data, 0, data.end),
            bands=phase_bands(data),
            x_format=AxisFormat.CLOCK,
            height_mm=_HEIGHT_MM,
            alt=f"Curves of {', '.join(line.label for line in lines)} over the run; the table has their means.",
        ),
        note=f"{counted(more, 'more counter')} of this kind: see the table." if more > 0 else "",
    )
