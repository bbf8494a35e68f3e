"""The counters measured on a run's hosts, each with its mean over the measuring phase.

Called by the host table and the host charts.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from engine.analysis.host.figures import SpanMean, UtcSpan, coverage_sentence, mean_over
from engine.analysis.host.measurement import HostMeasurement
from engine.analysis.host.series import HostSeries
from engine.figure_text import UNKNOWN, percent, significant

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


def few_of_each_unit(lines: Sequence[HostLine]) -> list[HostLine]:
    """The counters drawn by default: of each unit at most as many as there are colours."""
    had: Counter[str] = Counter()
    few = []
    for line in lines:
        had[line.series.unit] += 1
        if had[line.series.unit] <= _MOST_OF_A_UNIT:
            few.append(line)
    return few


def missing_text(lines: Sequence[HostLine]) -> str:
    """What is missing of the counters over the measuring phase; empty when nothing is."""
    sentences = [
        sentence
        for line in lines
        if line.mean is not None and (sentence := coverage_sentence(line.mean, line.series.label))
    ]
    more = len(sentences) - _MOST_SENTENCES
    return " ".join([*sentences[:_MOST_SENTENCES], *([f"The same is true of {more} more."] if more > 0 else [])])
