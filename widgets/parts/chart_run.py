"""What a run puts on a chart besides its curves: the bands of its phases, its marks, and where its clock begins."""

from collections.abc import Iterable
from operator import attrgetter

from engine.faults.marks import is_mark
from engine.record import Phases
from engine.run_clock import MIDDLE_OF_SECOND as MIDDLE_OF_SECOND
from engine.run_clock import RunClock
from engine.sample import EventKind, RunEvent
from widgets.parts.chart_ground import Band
from widgets.parts.chart_marks import ChartMark

_MARKED = (EventKind.MARK, EventKind.INJECTION, EventKind.FAULT_END)


def phase_bands(phases: Phases, end: int, *, words: bool = True) -> tuple[Band, ...]:
    """The phases up to the second ``end``; what follows the measuring phase has no name of its own."""
    edges = (0, phases.warming_up_from, phases.measuring_from, phases.measuring_to)
    names = (("ramp", "band_ramp"), ("warm-up", "band_warmup"), ("measuring", "band_measuring"), ("", "band_ramp"))
    begun = [(edge, *name) for edge, name in zip(edges, names, strict=True) if edge is not None]
    ends = [edge for edge, _, _ in begun[1:]] + [end]
    return tuple(
        Band(first=first, end=until, word=word if words else "", colour=attrgetter(colour))
        for (first, word, colour), until in zip(begun, ends, strict=True)
        if until > first
    )


def chart_marks(events: Iterable[RunEvent]) -> tuple[ChartMark, ...]:
    """The marks among a run's events, and what Spindle did to the targets, which stays where it is."""
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


def clock_origin(phases: Phases) -> tuple[int, str]:
    """The second from which a run's time is told, and what happened then."""
    clock = RunClock.of(phases)
    return clock.origin_second, clock.since
