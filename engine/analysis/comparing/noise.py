"""Noise: how much two runs' figures may differ by chance, which a significant difference has to exceed.

Pure; called by the library's compare page. Repeated runs of one plan are the best source: their set's spread is that of
single runs. Without a set, the minutes of a run show how its figures fluctuate, which is less than between repeated
runs.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import inf, sqrt
from statistics import fmean, stdev

import numpy as np

from engine.analysis.comparing.comparison import Difference, Direction, Unit, figures_of
from engine.analysis.run_data import RunData
from engine.analysis.series.rates import Rates
from engine.figure_text import percent
from engine.record.totals import Totals

SHOWN_DIGITS = 1
"""Decimals of a difference in per cent, wherever it is shown."""
_LEAST_RUNS = 3
_LEAST_MINUTES = 3
_RATE, _COUNT, _MEAN = "headline running", "count", "Service time mean"
_TIME_STEP_PCT = 100 / 512  # the widest bucket of ``engine.histogram``
# Student's t: what 95 % of all draws stay within on both sides, by degrees of freedom.
_T95 = {
    1: 12.71, 2: 4.30, 3: 3.18, 4: 2.78, 5: 2.57, 6: 2.45, 7: 2.36, 8: 2.31, 9: 2.26, 10: 2.23, 12: 2.18, 15: 2.13,
    20: 2.09, 30: 2.04, 60: 2.00, inf: 1.96,
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Spread:
    """The standard error of one run's figure in per cent of it, the number of values that it is computed from, and what
    they are."""

    error_pct: float
    draws: int
    basis: str


@dataclass(frozen=True, kw_only=True)
class Noise:
    """Differences up to ``percent`` of the baseline's figure may be chance; ``basis`` says how that is known."""

    percent: float
    basis: str


class Verdict(StrEnum):
    """The meaning of a difference; none for a figure that is neither good nor bad, or unknown."""

    BETTER = "better"
    WORSE = "worse"
    WITHIN_NOISE = "within noise"
    UNKNOWN = "noise unknown"
    EQUAL = "no difference"
    NONE = ""


def set_spreads(name: str, totals: Sequence[Totals], client: int | None = None) -> dict[str, Spread]:
    """The spread of each figure among the runs of a set, by the figure's name; ``totals`` are those of the runs that
    count."""
    if len(totals) < _LEAST_RUNS:
        return {}
    runs = [figures_of(each, client) for each in totals]
    basis = f"the spread of the {len(totals)} runs of set “{name}”"
    found = {}
    for figure in runs[0]:
        values = [run[figure] for run in runs]
        known = [value for value in values if value is not None]
        if len(known) >= _LEAST_RUNS and (mean := fmean(known)) > 0:
            found[figure] = Spread(error_pct=100 * stdev(known) / mean, draws=len(known), basis=basis)
    return found


def own_spread(run: RunData, client: int | None = None) -> dict[str, Spread]:
    """The spread of a run's headline rate, its transactions and their mean service time between its measured minutes.

    Transactions are only compared over the same length of time. Percentiles can't be derived from the counts.
    """
    first, end = run.phases.measuring_from, run.measured_end
    if first is None or (client is not None and client > len(run.clients)):
        return {}
    names = run.headline.names
    orders, times_us = (
        _by_minute(run.series.by_second(name, client, first=first, end=end)) for name in (names.n, names.sum_us)
    )
    is_known = ~np.isnan(orders)
    seconds, counts, sums_us = is_known.sum(axis=1), np.nansum(orders, axis=1), np.nansum(times_us, axis=1)
    of_rate = _spread_of(counts[seconds > 0] / seconds[seconds > 0])
    of_mean = _spread_of(sums_us[counts > 0] / counts[counts > 0])
    found = {_RATE: of_rate, _COUNT: of_rate, _MEAN: of_mean}
    return {figure: spread for figure, spread in found.items() if spread is not None}


def _by_minute(seconds: Rates) -> Rates:
    """The values of whole minutes, a row for each."""
    return seconds[: len(seconds) // 60 * 60].reshape(-1, 60)


def _spread_of(minutes: Rates) -> Spread | None:
    """The spread of the mean of a figure's values in several minutes."""
    if len(minutes) < _LEAST_MINUTES or (mean := fmean(minutes)) <= 0:
        return None
    basis = f"the {len(minutes)} measured minutes of the run alone; repeated runs may lie further apart"
    return Spread(error_pct=100 * stdev(minutes) / sqrt(len(minutes)) / mean, draws=len(minutes), basis=basis)


def noise_between(one: Spread | None, other: Spread | None) -> Noise | None:
    """The noise of the difference of two runs' figures; if one spread is unknown, the other is used for both."""
    spreads = [each for each in (one or other, other or one) if each is not None]
    if not spreads:
        return None
    variances = [each.error_pct**2 for each in spreads]
    total = sum(variances)
    freedom = inf
    if total:
        freedom = total**2 / sum(v**2 / (each.draws - 1) for v, each in zip(variances, spreads, strict=True))
    bases = dict.fromkeys(each.basis for each in spreads)
    return Noise(percent=_t95(freedom) * sqrt(total), basis=", and ".join(bases))


def verdict_of(difference: Difference, run: int, noise: Noise | None) -> Verdict:
    """The meaning of the difference of a run's figure from the baseline.

    Equal figures have no difference. Without a known noise, one that rounds to 0 as shown is none, nor is one of
    response times within the precision in which they are stored; any other may be chance, except between some and none
    at all, as of errors.
    """
    change = difference.percent[run]
    absolute = difference.absolute[run]
    if difference.direction is Direction.NONE or absolute is None:
        return Verdict.NONE
    if not absolute:
        return Verdict.EQUAL
    if noise is not None and change is not None and abs(change) <= noise.percent:
        return Verdict.WITHIN_NOISE
    if noise is None and change is not None and difference.values[run]:
        return Verdict.EQUAL if _is_below_precision(change, difference.unit) else Verdict.UNKNOWN
    return Verdict.BETTER if (absolute > 0) is (difference.direction is Direction.UP) else Verdict.WORSE


def _is_below_precision(change_pct: float, unit: Unit) -> bool:
    return not round(change_pct, SHOWN_DIGITS) or (unit is Unit.MILLISECONDS and abs(change_pct) <= _TIME_STEP_PCT)


def noise_text(noise: Noise | None) -> str:
    """The size of the noise and its basis, in a sentence."""
    if noise is None:
        return "How much of this is chance is not known: repeat the runs as a set."
    return f"Up to ±{percent(noise.percent)} may be chance: from {noise.basis}."


def _t95(freedom: float) -> float:
    """The value for a number of degrees of freedom, or for the next lower number in the table."""
    return _T95[max(known for known in _T95 if known <= max(1.0, freedom))]
