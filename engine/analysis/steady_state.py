"""Whether the measuring phase was in a steady state: slope and spread of its headline rate, window by window.

A result is only worth quoting from a steady state (TPC-C, Standard Specification, revision 5.11, clause 5.5.1: the
measurement interval lies where the throughput is sustained). A small store drifts: its customers' histories grow,
logins slow down, and the rate falls during the run. Called by run pages, the terminal and reports. A
load by stages is not meant to be steady from one to the next: each of them is judged by itself, by short windows
(``engine.analysis.stages.figures``).
"""

import math
from dataclasses import dataclass, replace

import numpy as np

from engine.analysis.backlog import backlog_totals
from engine.analysis.figures import WINDOWS_SECONDS
from engine.analysis.headline import Headline
from engine.analysis.recovery.span import faults_of
from engine.analysis.run_data import RunData
from engine.analysis.series.rates import Rates
from engine.figure_text import counted, duration
from engine.workload.registry import find_workload

DRIFT_LIMIT_PCT = 5.0
SPREAD_LIMIT_PCT = 10.0
LEAST_WINDOWS = 6
_ORDERS_A_WINDOW = 1_000
_SIGMAS = 3.0
_NOTHING = 0.05
_TEN_MINUTES_SECONDS = 600


@dataclass(frozen=True, kw_only=True)
class SteadyState:
    """How steady the seconds ``first_second <= s < end_second`` of a run were; ``None`` is unknown.

    ``window_seconds`` is the length of the consecutive windows, ``windows`` how many of them are known.
    ``slope_pct_per_10_min`` is that of the straight line through their rates (least squares) and ``drift_pct`` its
    change over the whole phase, both in per cent of ``mean_headline_rate``; ``spread_pct`` is the coefficient of
    variation of the windows (standard deviation over mean). ``is_steady`` is ``False`` when the drift is over 5 % or
    the spread over 10 %, and each exceeds what chance explains for that number of orders; ``None`` for too few windows.
    ``warning`` says so in a sentence, empty when steady. A queue within the workload's emulation that grew is neither
    steady (``engine.analysis.backlog``).
    """

    first_second: int
    end_second: int
    window_seconds: int
    windows: int
    mean_headline_rate: float | None = None
    slope_pct_per_10_min: float | None = None
    drift_pct: float | None = None
    spread_pct: float | None = None
    is_steady: bool | None = None
    warning: str = ""


def steady_state_of(run: RunData) -> SteadyState | None:
    """The steady state of a run's measured seconds before its first fault, if any.

    ``None`` before measuring, and of a load by stages.
    """
    first = run.phases.measuring_from
    if run.plan.profile is not None or first is None or run.measured_end <= first:
        return None
    faults = [math.floor(fault.at_seconds) for fault in faults_of(run) if fault.at_seconds >= first]
    end = min([run.measured_end, *faults])
    orders = run.series.by_second(run.headline.names.n, first=first, end=end)
    steady = steady_state(orders, run.headline, first_second=first, ends_with_fault=end in faults)
    return _with_backlog(steady, run, orders)


def _with_backlog(steady: SteadyState, run: RunData, orders: Rates) -> SteadyState:
    """A run is not steady either in which the queue within the workload's emulation grew."""
    backlog = find_workload(run.plan.workload).backlog
    if backlog is None:
        return steady
    depths = run.series.by_second("backlog", first=steady.first_second, end=steady.end_second)
    known = orders[~np.isnan(orders)]
    found = backlog_totals(depths, float(known.mean()) if len(known) else 0.0)
    if found is None or not found.has_grown:
        return steady
    grew = (
        f"{backlog.label} was not steady: it grew by {counted(round(found.growth), backlog.unit)}, so that the users do"
        " not keep up with it; use more users."
    )
    return replace(steady, is_steady=False, warning=" ".join(filter(None, (steady.warning, grew))))


def steady_state(
    orders: Rates,
    headline: Headline,
    *,
    first_second: int = 0,
    ends_with_fault: bool = False,
    window_seconds: int | None = None,
) -> SteadyState:
    """How steady the headline's transactions by second were, NaN where unknown, beginning with ``first_second``.

    ``ends_with_fault`` is whether they end because of a fault. Windows are as long as ``window_seconds``; ``None`` is
    so long that chance hardly scatters them.
    """
    end_second = first_second + len(orders)
    known = orders[~np.isnan(orders)]
    window_seconds = window_seconds or _window_seconds(float(known.mean()) if len(known) else 0.0)
    middles, rates = _windows(orders, window_seconds, headline.metric.per_seconds)
    mean_headline_rate = float(rates.mean()) if len(rates) else None
    unjudged = SteadyState(
        first_second=first_second,
        end_second=end_second,
        window_seconds=window_seconds,
        windows=len(rates),
        mean_headline_rate=mean_headline_rate,
    )
    if len(rates) < LEAST_WINDOWS or mean_headline_rate is None:
        return replace(
            unjudged, warning=_too_short(headline, len(known), window_seconds, ends_with_fault=ends_with_fault)
        )
    if not mean_headline_rate:
        return replace(unjudged, warning=f"No {headline.many} were placed: there is no steady state to assess.")
    return _judged(headline, unjudged, middles, rates, mean_headline_rate)


def _window_seconds(orders_per_second: float) -> int:
    """The shortest of ``WINDOWS_SECONDS`` for which chance scatters the orders by about 3 % at most."""
    enough = [seconds for seconds in WINDOWS_SECONDS if seconds * orders_per_second >= _ORDERS_A_WINDOW]
    return enough[0] if enough else WINDOWS_SECONDS[-1]


def _windows(orders: Rates, window_seconds: int, per_seconds: int) -> tuple[Rates, Rates]:
    """The middle second and the rate of each full window of which at least half is known."""
    count = len(orders) // window_seconds
    rows = orders[: count * window_seconds].reshape(count, window_seconds)
    known = (~np.isnan(rows)).sum(axis=1)
    taken = 2 * known >= window_seconds
    rates: Rates = per_seconds * np.nansum(rows[taken], axis=1) / known[taken]
    return (np.flatnonzero(taken).astype(np.float64) + 0.5) * window_seconds, rates


def _judged(
    headline: Headline, unjudged: SteadyState, middles: Rates, rates: Rates, mean_headline_rate: float
) -> SteadyState:
    seconds = unjudged.end_second - unjudged.first_second
    around = middles - middles.mean()
    slope = float(around @ rates / (around @ around))
    residuals = rates - mean_headline_rate - slope * around
    slope_error = math.sqrt(float(residuals @ residuals) / (len(rates) - 2) / float(around @ around))
    drift_pct, drift_error_pct = (100 * each * seconds / mean_headline_rate for each in (slope, slope_error))
    spread_pct = 100 * float(rates.std(ddof=1)) / mean_headline_rate
    chance_pct = 100 / math.sqrt(mean_headline_rate / headline.metric.per_seconds * unjudged.window_seconds)
    drifts = abs(drift_pct) > max(DRIFT_LIMIT_PCT, _SIGMAS * drift_error_pct)
    scatters = spread_pct > max(SPREAD_LIMIT_PCT, _SIGMAS * chance_pct)
    return replace(
        unjudged,
        slope_pct_per_10_min=100 * slope * _TEN_MINUTES_SECONDS / mean_headline_rate,
        drift_pct=drift_pct,
        spread_pct=spread_pct,
        is_steady=not (drifts or scatters),
        warning=_warning(
            headline, drift_pct if drifts else None, spread_pct if scatters else None, unjudged.window_seconds
        ),
    )


def _too_short(headline: Headline, known_seconds: int, window_seconds: int, *, ends_with_fault: bool) -> str:
    what = "before the first fault" if ends_with_fault else "measured"
    known, needed = duration(known_seconds), duration(LEAST_WINDOWS * window_seconds)
    return f"Steady state not assessed: only {known} {what}; at this rate of {headline.many} it takes {needed}."


def _warning(headline: Headline, drift_pct: float | None, spread_pct: float | None, window_seconds: int) -> str:
    """What was found and its remedy, in one sentence; empty when nothing was found."""
    found = []
    if drift_pct is not None:
        found.append(f"it {_movement(drift_pct / 100)} while it was measured")
    if spread_pct is not None:
        found.append(f"its windows of {window_seconds} s varied by {spread_pct:.0f} %")
    if not found:
        return ""
    mend = (
        f"{headline.wording.slowing}, so reset it or build a larger one"
        if drift_pct is not None and drift_pct < 0
        else "use a longer warm-up and run time"
    )
    return f"{headline.label} was not steady: {' and '.join(found)}; {mend}."


def _movement(drift: float) -> str:
    """How far the straight line falls or rises; ``drift`` is that as a share of the mean."""
    start = 1 - drift / 2
    if drift < 0:
        return f"fell by {min(100.0, -100 * drift / start):.0f} %"
    return f"rose by {100 * drift / start:.0f} %" if start > _NOTHING else "rose from almost nothing"
