"""The recovery figures of a repeated fault: each value, the median and the worst.

A repetition that did not recover counts as worse and later than all that did. A figure that is merely unknown, such as
the probe's without a probe, is left out. Called by reports and by repeated faults.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median

from engine.analysis.recovery.figures import Recovery, RecoveryState

Value = float | None


@dataclass(frozen=True, kw_only=True)
class FigureSpread:
    """One figure of all repetitions, in order. ``name`` includes the unit, as in the recoveries.

    ``median`` and ``worst`` are ``None`` when nothing is known, or when the value was never reached; ``not_reached``
    counts those.
    """

    name: str
    each: tuple[Value, ...]
    median: Value
    worst: Value
    not_reached: int = 0


@dataclass(frozen=True, kw_only=True)
class RecoverySpread:
    """All figures of the repetitions, their number, and how many recovered for good or never dipped."""

    repetitions: int
    recovered: int
    figures: tuple[FigureSpread, ...]

    def figure(self, name: str) -> FigureSpread:
        """The figure of that name; raises ``KeyError``."""
        return {figure.name: figure for figure in self.figures}[name]


def recovery_spread(recoveries: Sequence[Recovery]) -> RecoverySpread:
    """The spread of all clients' figures over the repetitions of a fault."""
    well = (RecoveryState.RECOVERED, RecoveryState.STEADY)
    return RecoverySpread(
        repetitions=len(recoveries),
        recovered=sum(recovery.state in well for recovery in recoveries),
        figures=tuple(_figure(name, recoveries) for name in _FIGURES),
    )


_ONCE_RECOVERED = (RecoveryState.RECOVERED, RecoveryState.RELAPSED)
_FIGURES: dict[str, tuple[Callable[[Recovery], Value], bool]] = {
    "detection_lag_seconds": (lambda each: each.total.felt.detection_lag_seconds, False),
    "blackout_longest_seconds": (lambda each: each.total.felt.blackout_seconds, False),
    "blackout_total_seconds": (lambda each: float(each.total.felt.blackout.total_seconds), False),
    "brownout_seconds": (lambda each: each.total.felt.brownout_seconds, False),
    "recovered_seconds": (lambda each: each.total.felt.recovered_seconds, True),
    "relapses": (lambda each: float(each.total.felt.relapses) if each.state in _ONCE_RECOVERED else None, False),
    "settled_seconds": (lambda each: each.total.felt.settled_seconds, True),
    "all_users_back_seconds": (lambda each: each.total.calls.all_users_back_seconds, False),
    "transactions_not_taken": (lambda each: each.total.felt.transactions_not_taken, False),
    "transactions_not_taken_baseline_seconds": (
        lambda each: each.total.felt.transactions_not_taken_baseline_seconds,
        False,
    ),
    "drop_pct": (lambda each: each.total.published.drop_pct, False),
    "stabilised_seconds": (lambda each: each.total.published.stabilised_seconds, False),
    "back_seconds": (lambda each: each.total.published.back_seconds, False),
    "tpc_e_recovered_seconds": (lambda each: each.total.tpc_e.recovered_seconds, False),
    "baseline_headline_rate": (lambda each: each.total.baseline.headline_rate, False),
    "lowest_second_pct": (lambda each: each.total.felt.lowest_second_pct, False),
    "level_after_pct": (lambda each: each.total.felt.level_after_pct, False),
}
"""Every figure: where it is, and whether it is missing where a dip was not recovered from."""

_LOWER_IS_WORSE = frozenset(("baseline_headline_rate", "lowest_second_pct", "level_after_pct"))


def _figure(name: str, recoveries: Sequence[Recovery]) -> FigureSpread:
    of, needs_recovery = _FIGURES[name]
    each = tuple(of(recovery) for recovery in recoveries)
    open_ones = sum(
        needs_recovery and value is None and recovery.state in _OPEN
        for value, recovery in zip(each, recoveries, strict=True)
    )
    known = [float(value) for value in each if value is not None] + [math.inf] * open_ones
    worst = min if name in _LOWER_IS_WORSE else max
    return FigureSpread(
        name=name,
        each=each,
        median=_finite(median(known)) if known else None,
        worst=_finite(worst(known)) if known else None,
        not_reached=open_ones,
    )


_OPEN = (RecoveryState.NOT_RECOVERED, RecoveryState.DOWN, RecoveryState.DEGRADED, RecoveryState.RELAPSED)


def _finite(value: float) -> Value:
    return value if math.isfinite(value) else None
