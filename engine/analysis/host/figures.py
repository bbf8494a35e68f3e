"""The counters of hosts and meters averaged over a part of a run: its measuring phase, or its peak.

Called by the run page, the terminal and reports.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from engine.analysis.host.measurement import HostMeasurement
from engine.analysis.host.series import HostSeries
from engine.analysis.run_data import RunData
from engine.analysis.series.rates import Rates
from engine.analysis.totals import PEAK_WINDOW_SECONDS
from engine.errors import BadInput
from engine.figure_text import capitalised, counted
from engine.record.clock import RunClock
from engine.record.record import Phases, RunRecord
from engine.telemetry.event import EventCode, RunEvent
from engine.telemetry.host_figure import HostFigure

MOST_SHIFT_SECONDS = 366 * 86_400
_MOST_ALIKE = 3
_LATENCIES = (HostFigure.DISK_LATENCY.value, HostFigure.DISK_READ_LATENCY.value, HostFigure.DISK_WRITE_LATENCY.value)
# There the clock of runs goes on in a suspend, as those of hosts and meters do.
_COUNTS_SUSPENDS = "Windows"


@dataclass(frozen=True, kw_only=True)
class UtcSpan:
    """A span of the wall clock, seconds since 1970: ``first <= t < end``. Raises ``BadInput`` when it is empty."""

    first: float
    end: float

    def __post_init__(self) -> None:
        if not self.first < self.end:
            raise BadInput("the span to average over is empty; give an end that is later than its start.")


@dataclass(frozen=True, kw_only=True)
class SpanMean:
    """A series over a span: the mean by time, the lowest and highest value, how many samples touch the span, and for
    what share of it a value is known, in per cent. ``None`` is not known: no value lies in the span.
    """

    mean: float | None
    lowest: float | None
    highest: float | None
    samples: int
    covered_pct: float


def mean_over(series: HostSeries, span: UtcSpan, shift_seconds: float = 0.0) -> SpanMean:
    """The mean of what is known in the span, each value weighted by how long it held there; gaps count as nothing.

    ``shift_seconds`` is added to the series' times: 90 for a clock that was 90 s behind. Raises ``BadInput`` for one
    of more than a year.
    """
    check_shift(shift_seconds)
    begins, ends = series.begins + shift_seconds, series.utc_seconds + shift_seconds
    held = np.clip(np.minimum(ends, span.end) - np.maximum(begins, span.first), 0.0, None)
    held[np.isnan(series.values)] = 0.0
    inside = held > 0
    if not inside.any():
        return SpanMean(mean=None, lowest=None, highest=None, samples=0, covered_pct=0.0)
    values, weights = series.values[inside], held[inside]
    return SpanMean(
        mean=float(np.clip(np.average(values, weights=weights), values.min(), values.max())),
        lowest=float(values.min()),
        highest=float(values.max()),
        samples=int(inside.sum()),
        covered_pct=min(100.0, 100 * float(weights.sum()) / (span.end - span.first)),
    )


def check_shift(shift_seconds: float) -> None:
    """Raises ``BadInput`` for a shift that is no number of seconds within a year."""
    if not abs(shift_seconds) <= MOST_SHIFT_SECONDS:
        raise BadInput(f"the shift is {shift_seconds:g} s; give a number of seconds within a year.")


def coverage_sentence(mean: SpanMean | None, label: str) -> str:
    """What is missing of a series over its span, in one sentence; empty when nothing is.

    Less than a per cent is a sample that came late. ``None`` is the mean of a run that never measured.
    """
    if mean is None:
        return f"{label}: the run has no measuring phase to average over."
    if mean.mean is None:
        return f"{label}: no value lies in the span; check the clock and shift the series."
    if mean.covered_pct < 99:
        return f"{label}: values are known for {mean.covered_pct:.0f} % of the span; the gaps are left out."
    return ""


def is_sparse(measurement: HostMeasurement, series: HostSeries) -> bool:
    """Whether a series is unknown at times though it was read: a latency, in a second without an operation."""
    return measurement.collector is not None and series.name in _LATENCIES


def coverage_sentences(means: Iterable[tuple[SpanMean | None, str]]) -> list[str]:
    """What is missing of several series, each with its label.

    Of more than three that lack the same, as those of a host that was not read for a while, there is one sentence.
    """
    labels: dict[str, list[str]] = {}
    for mean, label in means:
        if sentence := coverage_sentence(mean, label):
            labels.setdefault(sentence.removeprefix(label), []).append(label)
    return [
        f"{told}{text}"
        for text, of_text in labels.items()
        for told in (
            of_text if len(of_text) <= _MOST_ALIKE else [f"{of_text[0]} and {len(of_text) - 1} other counters"]
        )
    ]


def clock_remarks(record: RunRecord, events: Iterable[RunEvent], span: UtcSpan | None) -> list[str]:
    """Where the workstation's clocks part a span of the run from what hosts and meters timed, a sentence each.

    The events say how much in words alone, so that no span is moved by it.
    """
    given = [] if span is None else list(events)
    end = 0.0 if span is None else span.end - record.started_at.timestamp()
    is_counted = (record.environment.get("workstation") or {}).get("system") == _COUNTS_SUSPENDS
    suspends = [
        each
        for each in given
        if each.code is EventCode.WORKSTATION_SUSPENDED and each.at_seconds < end and not is_counted
    ]
    settings = [each for each in given if each.code is EventCode.WORKSTATION_CLOCK_SET]
    clock = RunClock.of(record.phases)
    return [
        *_remark(
            suspends,
            clock,
            "Its seconds leave that out, the clocks of hosts and meters do not: from there on, what is averaged is as"
            " much too early.",
        ),
        *_remark(
            settings,
            clock,
            "What is averaged is timed by the clock as it was before; shift what was measured by clocks that were"
            " right.",
        ),
    ]


def _remark(events: list[RunEvent], clock: RunClock, meaning: str) -> list[str]:
    if not events:
        return []
    first, *later = events
    more = f" So it was {counted(len(later), 'more time', 'more times')}." if later else ""
    return [f"{capitalised(first.label)} at {clock.second(first.at_seconds)}. {meaning}{more}"]


def measured_span(started_at: datetime, phases: Phases) -> UtcSpan | None:
    """The measuring phase of a run whose second 0 began at ``started_at``; ``None`` when it has none, or not yet."""
    first, end = phases.measuring_from, phases.measuring_to
    if first is None or end is None or end <= first:
        return None
    return _span(started_at, first, end)


def peak_span(run: RunData, window_seconds: int = PEAK_WINDOW_SECONDS) -> UtcSpan | None:
    """The window of the measured seconds with the most orders, the first of several: that of the totals' peak OPM.

    A shorter measuring phase is the window itself; ``None`` when nothing was measured.
    """
    measuring_from = run.phases.measuring_from
    if run.started_at is None or measuring_from is None or run.measured_end <= measuring_from:
        return None
    orders: Rates = np.nan_to_num(
        run.series.by_second(run.headline.names.n, first=measuring_from, end=run.measured_end)
    )
    window = max(1, min(window_seconds, len(orders)))
    first = measuring_from + int(np.convolve(orders, np.ones(window), mode="valid").argmax())
    return _span(run.started_at, first, first + window)


def _span(started_at: datetime, first: int, end: int) -> UtcSpan:
    epoch = started_at.timestamp()
    return UtcSpan(first=epoch + first, end=epoch + end)
