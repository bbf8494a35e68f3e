"""The machines that a run has read: their figures over the measuring phase, as a sentence each and for JSON.

Called by the terminal and by exports.
"""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import timedelta
from typing import Any

import numpy as np

from engine.analysis.host.figures import SpanMean, UtcSpan, mean_over, measured_span
from engine.analysis.host.measurement import HostMeasurement
from engine.analysis.host.series import HostSeries
from engine.figure_text import counted, significant
from engine.record.record import RunRecord
from engine.telemetry.host import CollectorStatus
from engine.telemetry.host_figure import HostFigure

_FULL_PCT = 99.0


@dataclass(frozen=True, kw_only=True)
class Gaps:
    """How often readings are missing between two others of the measuring phase, and for how long in all."""

    number: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, kw_only=True)
class CollectorFigures:
    """What one collector has read; ``means`` are of the measuring phase, empty if there was none.

    ``measurement`` is the number under which the run has its readings, ``None`` if there are none.
    """

    status: CollectorStatus
    measurement: int | None = None
    gaps: Gaps = Gaps()
    means: tuple[tuple[HostSeries, SpanMean], ...] = ()

    def mean_of(self, figure: HostFigure) -> SpanMean | None:
        """The figure of the whole machine: not of one of its devices."""
        named = (mean for series, mean in self.means if series.name == figure.value and not series.device)
        return next((mean for mean in named if mean.mean is not None), None)


def collector_figures(
    record: RunRecord, statuses: Iterable[CollectorStatus], measurements: Iterable[HostMeasurement]
) -> list[CollectorFigures]:
    """The figures of a run's collectors, in the order of their numbers."""
    by_collector = {each.collector: each for each in measurements if each.collector is not None}
    span = measured_span(record.started_at, record.phases)
    found = []
    for status in statuses:
        measurement = by_collector.get(status.number)
        if measurement is None or span is None:
            number = None if measurement is None else measurement.number
            found.append(CollectorFigures(status=status, measurement=number))
            continue
        means = tuple((each, mean_over(each, span, measurement.shift_seconds)) for each in measurement.series)
        gaps = _gaps(measurement.series[0], span) if measurement.series else Gaps()
        found.append(CollectorFigures(status=status, measurement=measurement.number, gaps=gaps, means=means))
    return found


def machine_sentences(figures: Sequence[CollectorFigures]) -> list[str]:
    """One for each machine: its processors, its watts, and how it was read."""
    machines = dict.fromkeys(each.status.machine for each in figures)
    return [_sentence(name, [each for each in figures if each.status.machine == name]) for name in machines]


def cost_sentence(record: RunRecord, figures: Sequence[CollectorFigures]) -> str:
    """What the collectors have taken of this workstation; empty without any."""
    seconds = sum(each.status.cpu_seconds for each in figures)
    lasted = (record.ended_at - record.started_at) / timedelta(seconds=1) if record.ended_at else 0.0
    if not figures:
        return ""
    share = f", {significant(100 * seconds / lasted, 2)} % of one processor" if lasted > 0 else ""
    return f"reading them took {significant(seconds, 2)} s of processor time{share}"


def machines_document(figures: Sequence[CollectorFigures]) -> list[dict[str, Any]]:
    """The collectors for JSON, each with the means of its counters over the measuring phase."""
    return [
        {
            **{name: value for name, value in asdict(each.status).items() if name != "number"},
            "collector": each.status.number,
            "state": each.status.state.value,
            "measurement": each.measurement,
            "gaps": each.gaps.number,
            "gap_seconds": round(each.gaps.seconds, 3),
            "series": [
                {"device": series.device, "name": series.name, "unit": series.unit, **asdict(mean)}
                for series, mean in each.means
            ],
        }
        for each in figures
    ]


def _sentence(machine: str, collectors: Sequence[CollectorFigures]) -> str:
    parts = []
    if cpu := _first(collectors, HostFigure.CPU):
        parts.append(f"CPU {significant(cpu.mean)} %, highest {significant(cpu.highest)} %")
    if watts := _watts(collectors):
        parts.append(" + ".join(f"{significant(each)} W" for each in watts))
    return f"{machine}: {'; '.join([*parts, *map(_how_read, collectors)])}"


def _watts(collectors: Sequence[CollectorFigures]) -> list[float]:
    """Of each channel of readers of one kind, which are of the machine's parts: meters rather than slow averages."""
    by_kind: dict[tuple[bool, str], list[float]] = {}
    for each in collectors:
        for series, mean in each.means:
            if series.name == HostFigure.POWER.value and mean.mean is not None:
                by_kind.setdefault((each.status.is_average, each.status.source), []).append(mean.mean)
    return min(by_kind.items(), key=lambda kind: kind[0][0], default=(None, []))[1]


def _first(collectors: Sequence[CollectorFigures], figure: HostFigure) -> SpanMean | None:
    return next((mean for each in collectors if (mean := each.mean_of(figure)) is not None), None)


def _how_read(figures: CollectorFigures) -> str:
    """Such as ``Linux over SSH: 61 readings, no gap, clock 0.0120 s ahead (± 0.00050 s)``."""
    status = figures.status
    if not status.readings:
        why = status.message.rstrip(".")
        return f"{status.source}: no reading{f' ({why})' if why else ''}"
    gaps = figures.gaps
    parts = [counted(status.readings, "reading")]
    parts.append(f"{counted(gaps.number, 'gap')} of {significant(gaps.seconds)} s in all" if gaps.number else "no gap")
    covered_pct = max((mean.covered_pct for _, mean in figures.means), default=100.0)
    if covered_pct < _FULL_PCT:
        parts.append(f"known for {covered_pct:.0f} % of the time")
    if status.offset_seconds is not None and status.offset_error_seconds is not None:
        way = "ahead" if status.offset_seconds >= 0 else "behind"
        error = significant(status.offset_error_seconds, 2)
        parts.append(f"clock {significant(abs(status.offset_seconds))} s {way} (± {error} s)")
    if status.is_average:
        parts.append("slow averages")
    return f"{status.source}: {', '.join(parts)}"


def _gaps(series: HostSeries, span: UtcSpan) -> Gaps:
    """Those that touch the span."""
    ends = series.utc_seconds[1:]
    missing = np.diff(series.utc_seconds) - (series.interval_seconds or 0.0)
    is_gap = series.after_gap[1:] & (ends > span.first) & (ends - missing < span.end)
    return Gaps(number=int(is_gap.sum()), seconds=float(missing[is_gap].sum()))
