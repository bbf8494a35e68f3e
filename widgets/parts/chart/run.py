"""What a run shows on a chart besides its curves: phases, marks, the origin of its clock, and a picture's caption."""

from collections.abc import Callable, Iterable, Iterator
from operator import attrgetter

from engine.analysis.headline import Headline
from engine.analysis.run_data import RunData
from engine.faults.marks import is_mark
from engine.figure_text import counted, milliseconds, moment, with_unit
from engine.plan.pace import has_ramp
from engine.record.clock import MIDDLE_OF_SECOND as MIDDLE_OF_SECOND
from engine.record.clock import RunClock
from engine.record.record import Phases
from engine.telemetry.event import EventKind, RunEvent
from widgets.parts.chart.layers import Band
from widgets.parts.chart.marks import ChartMark
from widgets.parts.chart.picture import Caption

_MARKED = (EventKind.MARK, EventKind.INJECTION, EventKind.FAULT_END)


def run_bands(run: RunData, *, words: bool = True) -> tuple[Band, ...]:
    """The phases of a run as far as it is known; measuring by the stages of its load, if it has any."""
    first = "ramp" if has_ramp(run.plan) else "start"
    bands, stages = phase_bands(run.phases, run.end, first, words=words), tuple(_stage_bands(run, words=words))
    return (*(band for band in bands if not stages or band.first != run.phases.measuring_from), *stages)


def _stage_bands(run: RunData, *, words: bool) -> Iterator[Band]:
    """Bands of two tints in turn, with the load of each stage."""
    for span in run.stage_spans():
        colour = attrgetter("band_measuring" if span.number % 2 else "band_stage")
        yield Band(first=span.begins, end=span.ends, word=span.stage.load_text if words else "", colour=colour)


def phase_bands(phases: Phases, end: int, first_word: str = "ramp", *, words: bool = True) -> tuple[Band, ...]:
    """The phases up to the second ``end``; the first is called ``first_word``. The time after measuring has no name."""
    edges = (0, phases.warming_up_from, phases.measuring_from, phases.measuring_to)
    names = ((first_word, "band_ramp"), ("warm-up", "band_warmup"), ("measuring", "band_measuring"), ("", "band_ramp"))
    begun = [(edge, *name) for edge, name in zip(edges, names, strict=True) if edge is not None]
    ends = [edge for edge, _, _ in begun[1:]] + [end]
    return tuple(
        Band(first=first, end=until, word=word if words else "", colour=attrgetter(colour))
        for (first, word, colour), until in zip(begun, ends, strict=True)
        if until > first
    )


def chart_marks(events: Iterable[RunEvent]) -> tuple[ChartMark, ...]:
    """The marks among a run's events, and the injections, which are fixed."""
    return tuple(
        ChartMark(
            number=event.number,
            at_seconds=event.at_seconds,
            label=event.label,
            is_fixed=not is_mark(event.kind, by_hand=event.by_hand),
        )
        for event in events
        if event.kind in _MARKED
    )


def headline_text(headline: Headline) -> Callable[[float], str]:
    """Writes a value of the headline metric with its label: ``186 604 OPM``."""
    return lambda value: f"{headline.text(value)} {headline.label}"


def run_caption(run: RunData, what: str) -> Caption:
    """The caption of a picture: the run's name, id and date, what is drawn, how far it came, and its main figures."""
    started = "" if run.started_at is None else f"started {moment(run.started_at)}"
    figures = run.figures()
    measured = counted(max(0, run.measured_end - (run.phases.measuring_from or 0)), "measured second")
    head = [
        f"{run.headline.text(figures.headline_rate_running)} {run.headline.label} running",
        f"p95 {with_unit(milliseconds(figures.p95_ms), 'ms')}",
    ]
    errors = figures.error_count
    head.append("errors unknown" if errors is None else counted(errors, "error"))
    return Caption(
        run.name or run.run_id,
        (
            " · ".join(filter(None, (run.run_id, started, f"{run.state.value}, {measured}"))),
            " · ".join((what, *head)),
        ),
    )


def clock_origin(phases: Phases) -> tuple[int, str]:
    """The second from which a run's time is counted, and what happened then."""
    clock = RunClock.of(phases)
    return clock.origin_second, clock.since
