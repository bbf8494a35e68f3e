"""Compares runs: aligns them at a common moment, and computes their curves and the differences of their figures.

Pure; called by the library's compare page. A run's offset is the second on its own clock that is 0 in the comparison.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from engine.analysis.comparing.change import Change, change_of
from engine.analysis.comparing.run_factors import same_length
from engine.analysis.comparing.variability import totals_variability_pct
from engine.analysis.figures import WINDOW_SECONDS
from engine.analysis.headline import Headline
from engine.analysis.host.power import PowerFigures
from engine.analysis.run_data import RunData
from engine.analysis.series.headline_curves import HeadlineCurves, Reading
from engine.analysis.series.rates import Rates
from engine.record.totals import NO_TIMES, NO_TOTALS, Figures, Totals
from engine.telemetry.event import EventKind, RunEvent
from engine.workload.transaction import Metric

LEAST_RUNS, MOST_RUNS = 2, 8


class Align(StrEnum):
    """The moment of each run that is 0 in the comparison."""

    START = "start"
    MEASURING = "start of measuring"
    FAULT = "first fault"
    MARK = "mark"


@dataclass(frozen=True, order=True)
class Moment:
    """The moment that runs are aligned at; a mark is identified by its label and its occurrence among the marks with
    that label, from 1."""

    align: Align
    label: str = ""
    occurrence: int = 1


def offset_seconds(run: RunData, moment: Moment) -> float | None:
    """The moment in seconds of the run's clock; ``None`` when the run does not have it."""
    if moment.align is Align.START:
        return 0.0
    if moment.align is Align.MEASURING:
        first = run.phases.measuring_from
        return None if first is None else float(first)
    if moment.align is Align.FAULT:
        fault = first_fault(run)
        return None if fault is None else fault.at_seconds
    return _marks(run).get(moment)


def first_fault(run: RunData) -> RunEvent | None:
    """The first fault of a run, injected or marked."""
    return next((event for event in run.sorted_events() if event.is_fault), None)


@dataclass(frozen=True)
class Place:
    """How a run is aligned; ``instead_of`` is the label of the fault that it is aligned at because it does not have the
    requested mark."""

    offset_seconds: float
    instead_of: str = ""


def place_of(run: RunData, moment: Moment) -> Place | None:
    """How a run is aligned: at the moment, or at its first fault when it has no mark with that label."""
    offset = offset_seconds(run, moment)
    if offset is not None:
        return Place(offset)
    fault = first_fault(run) if moment.align is Align.MARK else None
    return None if fault is None else Place(fault.at_seconds, fault.label)


def headline_curve(
    run: RunData, reading: Reading, *, client: int | None = None, window_seconds: int = WINDOW_SECONDS
) -> Rates:
    """The headline rate by second, of all clients or of one; unknown throughout for a client that the run does not
    have."""
    if client is not None and client > len(run.clients):
        return np.full(run.end, np.nan)
    curves = HeadlineCurves(run, reading, window_seconds)
    curves.update()
    return (curves.total() if client is None else curves.client(client)).copy()


def shared_marks(runs: Sequence[RunData]) -> dict[Moment, int]:
    """Each mark that runs can be aligned at and how many runs have it, sorted by that number, then by first occurrence.

    A mark of a single run is left out, unless another run has a fault that can take its place.
    """
    had = Counter(moment for run in runs for moment in _marks(run))
    return {
        moment: count
        for moment, count in had.most_common()
        if count >= LEAST_RUNS or sum(place_of(run, moment) is not None for run in runs) >= LEAST_RUNS
    }


def _marks(run: RunData) -> dict[Moment, float]:
    seen: Counter[str] = Counter()
    moments: dict[Moment, float] = {}
    for event in run.sorted_events():
        if event.kind in (EventKind.MARK, EventKind.INJECTION):
            seen[event.label] += 1
            moments[Moment(Align.MARK, event.label, seen[event.label])] = event.at_seconds
    return moments


class Direction(StrEnum):
    """Whether a higher or a lower figure is better."""

    UP = "higher is better"
    DOWN = "lower is better"
    NONE = ""


class Unit(StrEnum):
    """The unit of a compared figure, which decides how it is formatted."""

    RATE = "headline"
    COUNT = ""
    PER_MINUTE = "per minute"
    MILLISECONDS = "ms"
    PERCENT = "%"
    SECONDS = "s"
    WATTS = "W"
    RATE_PER_WATT = "headline/W"


@dataclass(frozen=True, kw_only=True)
class Difference:
    """One figure of all compared runs, in their order; ``None`` is unknown. ``title`` is what it is called, and
    ``unit_text`` its unit as shown.

    ``absolute``, ``percent`` and ``times`` are relative to the baseline run, see ``engine.analysis.comparing.change``;
    they are unknown for a count of a run that was measured for a different length of time.
    """

    figure: str
    title: str
    unit: Unit
    unit_text: str
    metric: Metric
    values: tuple[float | None, ...]
    absolute: tuple[float | None, ...]
    percent: tuple[float | None, ...]
    times: tuple[float | None, ...]
    direction: Direction = Direction.NONE


def differences(
    headline: Headline,
    totals: Sequence[Totals | None],
    *,
    baseline: int = 0,
    client: int | None = None,
    power: Sequence[PowerFigures | None] = (),
    has_two_times: bool = True,
) -> list[Difference]:
    """The differences of the totals of several runs of one workload, of all clients or of one (``client``, from 1).

    ``baseline`` is the index of the run that the others are compared with. Response times as intended, and the watts in
    ``power``, are included if any run has them; without ``has_two_times`` those as intended are not, since they repeat
    the others. Counts of runs of different lengths are not compared; the meaningful ones are included per minute as
    well.
    """
    watts = [*power, *[None] * (len(totals) - len(power))] if client is None else [None] * len(totals)
    figures = [figures_of(each, client) | _watts(drawn) for each, drawn in zip(totals, watts, strict=True)]
    seconds = [run["Measured"] for run in figures]
    comparable = [same_length((each, seconds[baseline])) for each in seconds]
    hidden = {name for name in _BY_THE_MINUTE if all(comparable)} | {
        name for name in _IF_KNOWN if all(run[name] is None for run in figures)
    }
    hidden.update(() if has_two_times else _AS_INTENDED)
    hidden.update(() if headline.is_transactional else _OF_DATABASES, () if headline.has_users else _OF_CONNECTIONS)
    return [
        _difference(headline, name, unit, [run[name] for run in figures], baseline, comparable)
        for name, unit in _UNITS.items()
        if name not in hidden
    ]


_UNITS = {
    "headline running": Unit.RATE,
    "headline peak": Unit.RATE,
    "count": Unit.COUNT,
    "Service time mean": Unit.MILLISECONDS,
    "Service time p50": Unit.MILLISECONDS,
    "Service time p95": Unit.MILLISECONDS,
    "Service time p99": Unit.MILLISECONDS,
    "Service time max": Unit.MILLISECONDS,
    "As intended p50": Unit.MILLISECONDS,
    "As intended p95": Unit.MILLISECONDS,
    "As intended p99": Unit.MILLISECONDS,
    "Rollbacks": Unit.PERCENT,
    "Errors": Unit.COUNT,
    "Retries": Unit.COUNT,
    "Reconnects": Unit.COUNT,
    "Errors per minute": Unit.PER_MINUTE,
    "Retries per minute": Unit.PER_MINUTE,
    "Reconnects per minute": Unit.PER_MINUTE,
    "Variability": Unit.PERCENT,
    "Measured": Unit.SECONDS,
    "Active power": Unit.WATTS,
    "Idle power": Unit.WATTS,
    "headline per watt": Unit.RATE_PER_WATT,
}
_AS_INTENDED = ("As intended p50", "As intended p95", "As intended p99")
_IF_KNOWN = (*_AS_INTENDED, "Rollbacks", "Active power", "Idle power", "headline per watt")
_OF_DATABASES = ("Retries", "Retries per minute")
_OF_CONNECTIONS = ("Reconnects", "Reconnects per minute")
_BY_THE_MINUTE = ("Errors per minute", "Retries per minute", "Reconnects per minute")
_UP = ("headline running", "headline peak", "count", "headline per watt")
_NEITHER = ("Rollbacks", "Measured")


def figures_of(totals: Totals | None, client: int | None = None) -> dict[str, float | None]:
    """All figures that are compared, from a run's totals or one of its clients (from 1), without watts."""
    figures = _figures(totals or NO_TOTALS, client)
    minutes = (figures["Measured"] or 0) / 60
    for name in _BY_THE_MINUTE:
        count = figures[name.removesuffix(" per minute")]
        figures[name] = None if count is None or not minutes else count / minutes
    return figures


def _figures(totals: Totals, client: int | None) -> dict[str, float | None]:
    of = totals if client is None else _client(totals, client)
    times, intended = of.times, of.intended or NO_TIMES
    return {
        "headline running": of.headline_rate,
        "headline peak": of.peak,
        "count": of.count,
        "Service time mean": times.mean,
        "Service time p50": times.p50,
        "Service time p95": times.p95,
        "Service time p99": times.p99,
        "Service time max": times.max,
        "As intended p50": intended.p50,
        "As intended p95": intended.p95,
        "As intended p99": intended.p99,
        "Rollbacks": of.rollback_pct,
        "Errors": of.error_count,
        "Retries": of.counts.get("retries"),
        "Reconnects": of.counts.get("reconnects"),
        "Variability": totals_variability_pct(totals) if client is None else None,
        "Measured": totals.measured_seconds,
    }


def _watts(power: PowerFigures | None) -> dict[str, float | None]:
    return {
        "Active power": None if power is None else power.active_watts,
        "Idle power": None if power is None else power.idle_watts,
        "headline per watt": None if power is None else power.headline_rate_per_watt,
    }


def _client(totals: Totals, client: int) -> Figures:
    return totals.clients[client - 1] if client <= len(totals.clients) else NO_TOTALS


def _title(headline: Headline, figure: str) -> str:
    if figure == "count":
        return headline.heading
    times = figure if headline.is_transactional else figure.replace("Service time", "Response time")
    return times.replace("headline", headline.label)


def _unit_text(headline: Headline, unit: Unit) -> str:
    return unit.replace("headline", headline.label)


def _difference(
    headline: Headline,
    name: str,
    unit: Unit,
    values: Sequence[float | None],
    baseline: int,
    comparable: Sequence[bool],
) -> Difference:
    changes = [
        Change() if unit is Unit.COUNT and not is_comparable else change_of(value, values[baseline])
        for value, is_comparable in zip(values, comparable, strict=True)
    ]
    return Difference(
        figure=name,
        title=_title(headline, name),
        unit=unit,
        unit_text=_unit_text(headline, unit),
        metric=headline.metric,
        values=tuple(values),
        absolute=tuple(change.absolute for change in changes),
        percent=tuple(change.percent for change in changes),
        times=tuple(change.times for change in changes),
        direction=Direction.UP if name in _UP else Direction.NONE if name in _NEITHER else Direction.DOWN,
    )
