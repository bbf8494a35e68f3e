"""Runs beside each other: aligned at a moment that they share, their curves, and how their figures differ.

Pure; called by the library's compare page. A run's offset is the second of its own clock that stands at 0 in the
comparison.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np

from engine.analysis.change import change_of
from engine.analysis.figures import WINDOW_SECONDS
from engine.analysis.opm_curves import OpmCurves, Reading
from engine.analysis.power import PowerFigures
from engine.analysis.run_data import RunData
from engine.analysis.series import Rates
from engine.analysis.variability import totals_variability_pct
from engine.sample import EventKind

LEAST_RUNS, MOST_RUNS = 2, 8


class Align(StrEnum):
    """What the compared runs have in common at 0."""

    START = "start"
    MEASURING = "end of warm-up"
    MARK = "mark"


@dataclass(frozen=True, order=True)
class Moment:
    """What runs are aligned at; a mark is named by its label, and by which of that label it is, from 1."""

    align: Align
    label: str = ""
    occurrence: int = 1


def offset_seconds(run: RunData, moment: Moment) -> float | None:
    """When the moment was, in seconds of the run's own clock; ``None`` when the run has none such."""
    if moment.align is Align.START:
        return 0.0
    if moment.align is Align.MEASURING:
        first = run.phases.measuring_from
        return None if first is None else float(first)
    return _marks(run).get(moment)


def opm_curve(
    run: RunData, reading: Reading, *, client: int | None = None, window_seconds: int = WINDOW_SECONDS
) -> Rates:
    """Orders per minute by second, of all clients or of one; a client that the run has not is unknown throughout."""
    if client is not None and client > len(run.clients):
        return np.full(run.end, np.nan)
    curves = OpmCurves(run, reading, window_seconds)
    curves.update()
    return (curves.total() if client is None else curves.client(client)).copy()


def shared_marks(runs: Sequence[RunData]) -> dict[Moment, int]:
    """Every mark that can be aligned at and how many of the runs have it: those of most runs first, then as they came.

    A mark of one run alone aligns nothing and is left out.
    """
    had = Counter(moment for run in runs for moment in _marks(run))
    return {moment: count for moment, count in had.most_common() if count >= LEAST_RUNS}


def _marks(run: RunData) -> dict[Moment, float]:
    seen: Counter[str] = Counter()
    moments: dict[Moment, float] = {}
    for event in run.sorted_events():
        if event.kind is EventKind.MARK:
            seen[event.label] += 1
            moments[Moment(Align.MARK, event.label, seen[event.label])] = event.at_seconds
    return moments


class Unit(StrEnum):
    """What a compared figure is counted in, and so how it is written."""

    OPM = "OPM"
    COUNT = ""
    MILLISECONDS = "ms"
    PERCENT = "%"
    SECONDS = "s"
    WATTS = "W"
    OPM_PER_WATT = "OPM/W"


@dataclass(frozen=True, kw_only=True)
class Difference:
    """One figure of every compared run, in their order; ``None`` is not known.

    ``absolute``, ``percent`` and ``times`` are against the baseline run, as ``engine.analysis.change`` says.
    """

    figure: str
    unit: Unit
    values: tuple[float | None, ...]
    absolute: tuple[float | None, ...]
    percent: tuple[float | None, ...]
    times: tuple[float | None, ...]


def differences(
    totals: Sequence[Mapping[str, Any] | None],
    *,
    baseline: int = 0,
    client: int | None = None,
    power: Sequence[PowerFigures | None] = (),
) -> list[Difference]:
    """The figures of several runs' totals beside each other, of all clients or of the ``client``-th (from 1).

    ``baseline`` is the place of the run that the others are measured against. Times as intended, and the watts of what
    the runs were measured on, which are in ``power``, are there where any run has them.
    """
    figures = [_figures(each or {}, client) for each in totals]
    if client is None:
        watts = [*power, *[None] * (len(totals) - len(power))]
        figures = [{**run, **_watts(each)} for run, each in zip(figures, watts, strict=True)]
    found = [_difference(name, unit, [run.get(name) for run in figures], baseline) for name, unit in _UNITS.items()]
    return [each for each in found if each.figure not in _IF_KNOWN or any(value is not None for value in each.values)]


_UNITS = {
    "OPM running": Unit.OPM,
    "OPM peak": Unit.OPM,
    "Orders": Unit.COUNT,
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
    "Variability": Unit.PERCENT,
    "Measured": Unit.SECONDS,
    "Active power": Unit.WATTS,
    "Idle power": Unit.WATTS,
    "OPM per watt": Unit.OPM_PER_WATT,
}
_IF_KNOWN = ("As intended p50", "As intended p95", "As intended p99", "Active power", "Idle power", "OPM per watt")


def _figures(totals: Mapping[str, Any], client: int | None) -> dict[str, float | None]:
    of = totals if client is None else _client(totals, client)
    times: Mapping[str, Any] = of.get("rt_ms") or {}
    intended: Mapping[str, Any] = of.get("rt_intended_ms") or {}
    errors = of.get("errors")
    return {
        "OPM running": of.get("opm"),
        "OPM peak": of.get("opm_peak"),
        "Orders": of.get("orders"),
        "Service time mean": times.get("mean"),
        "Service time p50": times.get("p50"),
        "Service time p95": times.get("p95"),
        "Service time p99": times.get("p99"),
        "Service time max": times.get("max"),
        "As intended p50": intended.get("p50"),
        "As intended p95": intended.get("p95"),
        "As intended p99": intended.get("p99"),
        "Rollbacks": of.get("rollback_pct"),
        "Errors": None if errors is None else sum(errors.values()),
        "Retries": of.get("retries"),
        "Reconnects": of.get("reconnects"),
        "Variability": totals_variability_pct(totals) if client is None else None,
        "Measured": totals.get("measured_seconds"),
    }


def _watts(power: PowerFigures | None) -> dict[str, float | None]:
    if power is None:
        return {}
    return {
        "Active power": power.active_watts,
        "Idle power": power.idle_watts,
        "OPM per watt": power.opm_per_watt,
    }


def _client(totals: Mapping[str, Any], client: int) -> Mapping[str, Any]:
    clients: Sequence[Mapping[str, Any]] = totals.get("clients") or ()
    return clients[client - 1] if client <= len(clients) else {}


def _difference(name: str, unit: Unit, values: Sequence[float | None], baseline: int) -> Difference:
    changes = [change_of(value, values[baseline]) for value in values]
    return Difference(
        figure=name,
        unit=unit,
        values=tuple(values),
        absolute=tuple(change.absolute for change in changes),
        percent=tuple(change.percent for change in changes),
        times=tuple(change.times for change in changes),
    )
