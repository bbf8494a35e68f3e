"""Charts of a load by stages: throughput, response times and hosts over the load, with the knee.

Called by the documents of a run, of a campaign, and of a comparison.
"""

from collections.abc import Callable, Sequence

import numpy as np

from engine.analysis.headline import Headline
from engine.analysis.host.stages import StageHosts
from engine.analysis.stages.ending import load_text_of
from engine.analysis.stages.knee import knee_of_stages
from engine.record.totals import StageTotals
from engine.report.document import ChartFigure, Line, LineChart, LineStyle, Mark

_HEIGHT_MM = 56.0


def throughput_figure(results: Sequence[tuple[str, Sequence[StageTotals]]], of: Headline) -> ChartFigure:
    """The headline over the load of each result, by its name, and where its knee is."""
    lines = tuple(_line(name, stages, lambda stage: stage.headline) for name, stages in results)
    return _figure(f"{of.label} over the load", of.label, results, lines, marks=tuple(_knees(results, of)))


def times_figure(results: Sequence[tuple[str, Sequence[StageTotals]]], of: Headline) -> ChartFigure:
    """The mean and the 95th percentile of the response times over the load."""
    lines = []
    for number, (name, stages) in enumerate(results):
        prefix = f"{name}, " if len(results) > 1 else ""
        lines += [
            _line(f"{prefix}mean", stages, lambda stage: stage.times.mean, hue=2 * number),
            _line(f"{prefix}p95", stages, lambda stage: stage.times.p95, hue=2 * number + 1),
        ]
    caption = f"Response time of {of.a_one} over the load"
    return _figure(caption, "Response time, ms", results, tuple(lines))


def hosts_figure(stages: Sequence[StageTotals], hosts: Sequence[StageHosts]) -> ChartFigure:
    """Processors and disks over the load."""
    x = np.array([stage.load for stage in stages], dtype=np.float64)
    lines = tuple(Line(label=each.label, x=x, y=_values(each.values), style=LineStyle.SERIES) for each in hosts)
    caption = "CPU, and the idle time of the busiest disk, over the load"
    return _figure(caption, "%", [("", stages)], lines)


def _line(
    label: str, stages: Sequence[StageTotals], read: Callable[[StageTotals], float | None], *, hue: int | None = None
) -> Line:
    x = np.array([stage.load for stage in stages], dtype=np.float64)
    return Line(label=label, x=x, y=_values([read(stage) for stage in stages]), style=LineStyle.SERIES, hue=hue)


def _values(values: Sequence[float | None]) -> "np.typing.NDArray[np.float64]":
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)


def _knees(results: Sequence[tuple[str, Sequence[StageTotals]]], of: Headline) -> list[Mark]:
    marks = []
    for name, stages in results:
        knee = knee_of_stages(stages)
        if knee is not None:
            whose = f" of {name}" if len(results) > 1 else ""
            marks.append(Mark(x=knee.load, label=f"knee{whose}: {load_text_of(knee.load, stages[0], of)}"))
    return marks


def _figure(
    caption: str,
    y_label: str,
    results: Sequence[tuple[str, Sequence[StageTotals]]],
    lines: tuple[Line, ...],
    marks: tuple[Mark, ...] = (),
) -> ChartFigure:
    is_rate = results[0][1][0].users is None
    return ChartFigure(
        caption=f"{caption}.",
        chart=LineChart(
            x_label="Rate that is due" if is_rate else "Users",
            y_label=y_label,
            lines=lines,
            marks=marks,
            height_mm=_HEIGHT_MM,
            alt=f"{caption}; the table of stages holds the figures.",
        ),
    )
