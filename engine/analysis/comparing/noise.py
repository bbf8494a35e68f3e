"""Noise: how much two runs' figures may differ by chance, which a significant difference has to exceed.

Pure; called by the library's compare page. Repeated runs of one plan are the best source: their set's spread is that of
single runs. Without a set, the minutes of a run show how its rate fluctuates, which is less than between repeated runs.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import inf, sqrt
from statistics import fmean, stdev

import numpy as np

from engine.analysis.comparing.comparison import Difference, Direction, figures_of
from engine.analysis.run_data import RunData
from engine.figure_text import percent
from engine.record.totals import Totals

SHOWN_DIGITS = 1
"""Decimals of a difference in per cent, wherever it is shown."""
_LEAST_RUNS = 3
_LEAST_MINUTES = 3
_RATE, _COUNT = "headline running", "count"
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
    """The spread of a run's headline rate and its transactions between its measured minutes.

    Transactions are only compared over the same length of time. Other figures can't be derived from the counts.
    """
    first, end = run.phases.measuring_from, run.measured_end
    if first is None or (client is not None and client > len(run.clients)):
        return {}
    orders = run.series.by_second(run.headline.names.n, client, first=first, end=end)
    minutes = orders[: len(orders) // 60 * 60].reshape(-1, 60)
    rates = [
        run.headline.metric.per_seconds * float(np.nanmean(minute)) for minute in minutes if not np.isnan(minute).all()
    ]
    if len(rates) < _LEAST_MINUTES or (mean := fmean(rates)) <= 0:
        return {}
    basis = f"the {len(rates)} measured minutes of the run alone; repeated runs may lie further apart"
    spread = Spread(error_pct=100 * stdev(rates) / sqrt(len(rates)) / mean, draws=len(rates), basis=basis)
    return {_RATE: spread, _COUNT: spread}


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

    Without a known noise, a difference that rounds to 0 as shown is none.
    """
    change = difference.percent[run]
    absolute = difference.absolute[run]
    if difference.direction is Direction.NONE or not absolute:
        return Verdict.NONE
    if noise is not None and change is not None and abs(change) <= noise.percent:
        return Verdict.WITHIN_NOISE
    if noise is None and change is not None and not round(change, SHOWN_DIGITS):
        return Verdict.EQUAL
    return Verdict.BETTER if (absolute > 0) is (difference.direction is Direction.UP) else Verdict.WORSE


def noise_text(noise: Noise | None) -> str:
    """The size of the noise and its basis, in a sentence."""
    if noise is None:
        return "How much of this is chance is not known: repeat the runs as a set."
    return f"Up to ±{percent(noise.percent)} may be chance: from {noise.basis}."


def _t95(freedom: float) -> float:
    """The value for a number of degrees of freedom, or for the next lower number in the table."""
    return _T95[max(known for known in _T95 if known <= max(1.0, freedom))]
