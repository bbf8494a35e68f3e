"""The charts of one run over time: headline rate and response times by second, with phases, marks and faults.

Called by the documents of one run.
"""

from collections.abc import Sequence

import numpy as np

from engine.analysis.comparing.comparison import headline_curve
from engine.analysis.figures import WINDOW_SECONDS
from engine.analysis.headline import Headline
from engine.analysis.recovery.figures import Recovery
from engine.analysis.run_data import RunData
from engine.analysis.series.headline_curves import Reading
from engine.analysis.series.rates import Rates
from engine.figure_text import counted, listed
from engine.plan.pace import has_ramp
from engine.record.clock import MIDDLE_OF_SECOND, RunClock
from engine.report.document import AxisFormat, Band, BandTone, ChartFigure, Level, Line, LineChart, LineStyle, Mark
from engine.report.redaction import redactor
from engine.telemetry.event import EventKind, RunEvent

_MOST_CLIENTS = 8
_TIMES_HEIGHT_MM = 56.0
_DECADE = 10


def time_label(clock: RunClock) -> str:
    """The title of a time axis: its origin and its unit."""
    return f"Time {clock.since}, min:s"


def tints(headline: Headline) -> str:
    """What the tints after a fault mean."""
    return f"Tinted are the seconds under the threshold after a fault, stronger those without {headline.a_one}."


def headline_figure(run: RunData, recoveries: Sequence[Recovery] = ()) -> ChartFigure:
    """The headline rate of all clients over a window of 10 s and running, and of each of up to eight clients.

    The low seconds after a fault are tinted.
    """
    end = run.end
    running = f"All clients, running {run.headline.label}"
    lines = [
        line_by_second(run, "All clients", headline_curve(run, Reading.WINDOW), LineStyle.TOTAL),
        line_by_second(run, running, headline_curve(run, Reading.RUNNING), LineStyle.AVERAGE),
    ]
    if 1 < len(run.clients) <= _MOST_CLIENTS:
        lines += [
            line_by_second(
                run, each.label, headline_curve(run, Reading.WINDOW, client=each.number), hue=each.number - 1
            )
            for each in run.clients
        ]
    low = [band for recovery in recoveries for band in low_bands(recovery)]
    return ChartFigure(
        caption=f"{run.headline.rate_heading} over the {WINDOW_SECONDS} s before each second.",
        chart=LineChart(
            x_label=time_label(run.clock),
            y_label=run.headline.label,
            lines=tuple(lines),
            marks=marks_between(run, 0, end),
            bands=(*phase_bands(run), *low),
            x_format=AxisFormat.CLOCK,
            height_mm=80,
            alt=f"Curves of the {run.headline.rate} of {counted(len(run.clients), 'client')} over the whole run.",
        ),
        note="Seconds without data are not drawn." + (f" {tints(run.headline)}" if low else ""),
    )


def times_figure(run: RunData) -> ChartFigure | None:
    """Mean, p95 and p99 of the response times by second; ``None`` when no response time is known.

    With think time also p95 and p99 as intended.
    """
    times = run.latency
    curves = [("mean", run.mean_ms()), ("p95", times.p95_ms()), ("p99", times.p99_ms())]
    intended = [("p95 as intended", times.intended_p95_ms()), ("p99 as intended", times.intended_p99_ms())]
    has_schedule = draws_intended(run)
    if has_schedule:
        curves = [("mean", curves[0][1]), *((f"service {label}", values) for label, values in curves[1:]), *intended]
    lines = tuple(
        line_by_second(run, label, values)
        for label, values in ((label, run.until_full_end(values[: run.end])) for label, values in curves)
        if not np.isnan(values).all()
    )
    if not lines:
        return None
    return ChartFigure(
        caption=_times_caption(run.headline, has_schedule=has_schedule),
        chart=LineChart(
            x_label=time_label(run.clock),
            y_label="Response time, ms",
            lines=lines,
            is_logarithmic=_spans_a_decade(lines),
            marks=marks_between(run, 0, run.end),
            bands=phase_bands(run),
            x_format=AxisFormat.CLOCK,
            height_mm=_TIMES_HEIGHT_MM,
            alt=f"Curves of the {listed([line.label for line in lines])} of the {run.headline.many}' response times"
            " over the run.",
        ),
    )


def _spans_a_decade(lines: Sequence[Line]) -> bool:
    """Whether a linear axis would show the lowest of the values next to nothing."""
    values = np.concatenate([line.y[line.y > 0] for line in lines])
    return bool(len(values) and values.max() >= _DECADE * values.min())


def _times_caption(headline: Headline, *, has_schedule: bool) -> str:
    of_what = f"Response time of the {headline.many} of each second"
    if not has_schedule:
        return f"{of_what}."
    return (
        f"{of_what}, and of all transactions as intended."
        if headline.is_mixed
        else (f"{of_what}, as served and as intended.")
    )


def draws_intended(run: RunData) -> bool:
    """Whether response times as intended are drawn: those of a schedule. In an open loop they are others only in a mix,
    where they are of all transactions.
    """
    if run.plan.is_open_loop and not run.headline.is_mixed:
        return False
    times = run.latency
    return not all(np.isnan(values).all() for values in (times.intended_p95_ms(), times.intended_p99_ms()))


def seconds_figure(
    run: RunData,
    first: int,
    end: int,
    *,
    caption: str,
    level: Level | None,
    note: str = "",
    low: Sequence[Band] = (),
) -> ChartFigure:
    """The headline rate of every second ``first <= second < end``, of all clients and of up to eight of them.

    ``low`` are spans to tint, from ``low_bands``.
    """
    span = (first, end)
    lines = [line_by_second(run, "All clients", headline_curve(run, Reading.SECOND), LineStyle.TOTAL, span=span)]
    if 1 < len(run.clients) <= _MOST_CLIENTS:
        for each in run.clients:
            curve = headline_curve(run, Reading.SECOND, client=each.number)
            lines.append(line_by_second(run, each.label, curve, span=span, hue=each.number - 1))
    left, right = run.clock.shown(first), run.clock.shown(end)
    return ChartFigure(
        caption=caption,
        chart=LineChart(
            x_label=time_label(run.clock),
            y_label=f"{run.headline.label} of each second",
            lines=tuple(lines),
            marks=marks_between(run, first, end),
            bands=(*(band for band in phase_bands(run) if left <= band.x0 and band.x1 <= right), *low),
            level=level,
            x_format=AxisFormat.CLOCK,
            height_mm=80,
            alt=f"{caption} The table of figures has what there is to see.",
        ),
        note=note,
    )


def phase_bands(run: RunData) -> tuple[Band, ...]:
    """The ramp or start, the warm-up and the stages of the load as bands; every other stage, and measuring without any,
    is white."""
    warming_up, measuring, shown = run.phases.warming_up_from, run.phases.measuring_from, run.clock.shown
    bands = []
    if warming_up:
        bands.append(Band(x0=shown(0), x1=shown(warming_up), label="ramp" if has_ramp(run.plan) else "start"))
    if measuring is not None and warming_up is not None and measuring > warming_up:
        bands.append(Band(x0=shown(warming_up), x1=shown(measuring), label="warm-up"))
    for span in run.stage_spans():
        tone = BandTone.PLAIN if span.number % 2 else BandTone.PHASE
        bands.append(Band(x0=shown(span.begins), x1=shown(span.ends), label=span.stage.load_text, tone=tone))
    return tuple(bands)


def low_bands(recovery: Recovery) -> tuple[Band, ...]:
    """The low seconds after a fault, and those without an order, as bands."""
    shown = recovery.clock.shown
    return tuple(
        Band(x0=shown(span.first), x1=shown(span.end), tone=BandTone.OUT if span.is_blackout else BandTone.LOW)
        for span in recovery.low_spans
    )


def marks_between(run: RunData, first: float, end: float) -> tuple[Mark, ...]:
    """The marks, faults and other injections within a span of the run's seconds."""
    redact = redactor(run.plan)
    return tuple(
        Mark(x=run.clock.shown(event.at_seconds), label=redact(event.label), is_fault=event.is_fault)
        for event in run.sorted_events()
        if _is_shown(event) and first <= event.at_seconds <= end
    )


def _is_shown(event: RunEvent) -> bool:
    return event.is_fault or event.kind in (EventKind.MARK, EventKind.INJECTION, EventKind.FAULT_END)


def line_by_second(
    run: RunData,
    label: str,
    values: Rates,
    style: LineStyle = LineStyle.SERIES,
    *,
    span: tuple[int, int | None] = (0, None),
    hue: int | None = None,
) -> Line:
    """A curve by second, restricted to ``span``; each value is drawn in the middle of its second."""
    chosen = values[slice(*span)]
    x = np.arange(len(chosen), dtype=np.float64) + MIDDLE_OF_SECOND + run.clock.shown(span[0])
    return Line(label=label, x=x, y=chosen, style=style, hue=hue)
