"""The counters measured on a run's hosts, each with its mean over the measuring phase.

Called by the host table and the host charts.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.analysis.host.chosen import DevicesInUse, ShownCounter
from engine.analysis.host.figures import SpanMean, UtcSpan, coverage_sentence, mean_over
from engine.analysis.host.groups import panel_of
from engine.analysis.host.measurement import HostMeasurement
from engine.analysis.host.series import HostSeries, by_second
from engine.analysis.run_data import RunData
from engine.figure_text import UNKNOWN, percent, significant
from widgets.parts.host.host_charts import HostCurve

_MOST_OF_A_UNIT = 8
_MOST_SENTENCES = 2


@dataclass(frozen=True, kw_only=True)
class HostLine:
    """A counter of a measurement; ``mean`` is over the run's measuring phase, ``None`` without one."""

    measurement: HostMeasurement
    series: HostSeries
    mean: SpanMean | None

    @property
    def key(self) -> tuple[int, int]:
        """The measurement's number, and the counter's index in it."""
        return self.measurement.number, self.measurement.series.index(self.series)

    @property
    def machine(self) -> str:
        """What was measured: the host named in the file, else the file."""
        return self.measurement.machine_of(self.series)

    @property
    def as_shown(self) -> ShownCounter:
        """The counter for the choice of those that are drawn first."""
        known = self.series.values[~np.isnan(self.series.values)]
        return ShownCounter(
            key=self.key,
            reader=self.measurement.number,
            machine=self.machine,
            device=self.series.device,
            name=self.series.name,
            mean=float(known.mean()) if len(known) else math.nan,
        )

    def curve(self, run: RunData) -> HostCurve:
        """The counter on the time axis of a run, which has begun."""
        assert run.started_at is not None
        series, shift_seconds = self.series, self.measurement.shift_seconds
        return HostCurve(
            key=self.key,
            machine=self.machine,
            name=series.name,
            device=series.device,
            unit=series.unit,
            values=by_second(series, run.started_at.timestamp(), run.end, shift_seconds),
            reader=self.measurement.number,
            source=self.measurement.reader,
        )

    @property
    def texts(self) -> tuple[str, ...]:
        """The texts of the line's cells."""
        mean = self.mean
        figures = (None, None, None) if mean is None else (mean.mean, mean.lowest, mean.highest)
        return (
            self.series.label,
            self.series.source or UNKNOWN,
            self.series.unit or UNKNOWN,
            *map(significant, figures),
            UNKNOWN if mean is None else percent(mean.covered_pct),
            self.measurement.file_name,
        )


def host_lines(measurements: Sequence[HostMeasurement], span: UtcSpan | None) -> list[HostLine]:
    """A line for each counter, with its mean over a span of the wall clock."""
    return [
        HostLine(
            measurement=each,
            series=series,
            mean=None if span is None else mean_over(series, span, each.shift_seconds),
        )
        for each in measurements
        for series in each.series
    ]


def first_choice(lines: Sequence[HostLine]) -> list[HostLine]:
    """The counters drawn by default: of the common figures those that are shown during a run, and of each other unit
    at most as many as there are colours."""
    counters = [line.as_shown for line in lines]
    devices = DevicesInUse()
    devices.update(counters)
    first = devices.first(counters)
    had: Counter[str] = Counter()
    chosen = []
    for line in lines:
        is_common = panel_of(line.series.name) is not None
        had[line.series.unit] += not is_common
        if line.key in first or (not is_common and had[line.series.unit] <= _MOST_OF_A_UNIT):
            chosen.append(line)
    return chosen


def missing_text(lines: Sequence[HostLine]) -> str:
    """What is missing of the counters over the measuring phase; empty when nothing is."""
    sentences = [
        sentence
        for line in lines
        if line.mean is not None and (sentence := coverage_sentence(line.mean, line.series.label))
    ]
    more = len(sentences) - _MOST_SENTENCES
    return " ".join([*sentences[:_MOST_SENTENCES], *([f"The same is true of {more} more."] if more > 0 else [])])
