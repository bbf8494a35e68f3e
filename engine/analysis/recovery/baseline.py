"""The baseline of a fault: mean and spread of the orders in the window before it; refused if that is not a steady
state.

Called by the recovery analysis, and by the wait for a steady baseline before a fault.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from engine.analysis.headline import Headline
from engine.analysis.recovery.levels import Floors, floors_of, orders_between, shares_of
from engine.analysis.recovery.settings import RecoverySettings
from engine.analysis.run_data import RunData
from engine.analysis.series.rates import Rates
from engine.figure_text import duration

_DRIFT_SECONDS = 20


@dataclass(frozen=True, kw_only=True)
class Baseline:
    """The orders of one client, or (``client`` ``None``) of all, in the seconds ``first_second <= s < end_second``.

    ``transactions_per_second`` is the mean over the ``known_seconds``; the total's is the sum of its clients' means.
    ``spread_pct`` is the coefficient of variation of its seconds (standard deviation over mean), ``drift_pct`` how much
    its second half is above (or, negative, below) its first, ``lowest_pct`` its lowest second, each in per cent of the
    mean. ``of_fault`` is the number of an earlier fault whose baseline it is, because the run had not recovered from
    that. ``refusal`` says why it can't be used for comparisons; empty if it can. ``headline_rate`` is the mean as a
    value of the workload's headline metric.
    """

    client: int | None = None
    first_second: int = 0
    end_second: int = 0
    known_seconds: int = 0
    transactions_per_second: float | None = None
    spread_pct: float | None = None
    drift_pct: float | None = None
    lowest_pct: float | None = None
    of_fault: int | None = None
    refusal: str = ""
    headline_rate: float | None = None

    @property
    def is_usable(self) -> bool:
        return not self.refusal

    def floors(self, settings: RecoverySettings) -> Floors:
        """The levels, as shares of this baseline, under which a second or a hold time is too low for the threshold."""
        lowest_pct = 100.0 if self.lowest_pct is None else self.lowest_pct
        return floors_of(settings.threshold, self.spread_pct or 0.0, lowest_pct, settings.hold_seconds)


@dataclass(frozen=True, kw_only=True)
class Baselines:
    """The baseline of all clients together and of each, in their order."""

    total: Baseline
    clients: tuple[Baseline, ...]

    @cached_property
    def rates(self) -> Rates:
        """Orders per second by client; NaN where it is not known."""
        rates = [client.transactions_per_second for client in self.clients]
        return np.array([np.nan if rate is None else rate for rate in rates], dtype=np.float64)

    def of(self, fault: int) -> "Baselines":
        """The same baselines for a later fault, marked as those before fault number ``fault`` unless they are those of
        an older one."""

        def marked(baseline: Baseline) -> Baseline:
            return baseline if baseline.of_fault is not None else replace(baseline, of_fault=fault)

        return Baselines(total=marked(self.total), clients=tuple(marked(client) for client in self.clients))


def baseline_at(run: RunData, second: int, settings: RecoverySettings) -> Baseline:
    """The baseline of all clients for a fault in this second; its ``refusal`` says what is missing."""
    return baselines_at(run, second, settings).total


def baselines_at(
    run: RunData, second: int, settings: RecoverySettings, *, not_before: int = 0, known_end: int | None = None
) -> Baselines:
    """The baselines over the measured seconds before ``second``, and not before ``not_before``.

    Ramp and warm-up are never part of a baseline. Seconds from ``known_end`` on count as unknown.
    """
    measuring_from = run.phases.measuring_from
    if measuring_from is None or second < measuring_from:
        return _refused(run, second, "The fault came before measuring began: there was no baseline yet.")
    if run.phases.measuring_to is not None and second >= run.phases.measuring_to:
        return _refused(run, second, "The fault came after measuring had ended.")
    first = max(measuring_from, not_before, second - settings.baseline_seconds)
    orders = orders_between(run, first, second)
    if known_end is not None and known_end < second:
        orders[:, max(0, known_end - first) :] = np.nan
    clients = tuple(
        _baseline(run, client.number, first, second, row, settings)
        for client, row in zip(run.clients, orders, strict=True)
    )
    rates = np.array(
        [np.nan if each.transactions_per_second is None else each.transactions_per_second for each in clients]
    )
    rate = float(np.nansum(rates))
    shares = shares_of(orders, rates) if rate > 0 else _nothing_taken(orders)
    total = _judged(run, None, first, second, shares, rate, settings)
    return Baselines(total=total, clients=clients)


def _baseline(run: RunData, client: int, first: int, end: int, orders: Rates, settings: RecoverySettings) -> Baseline:
    known = orders[~np.isnan(orders)]
    rate = float(known.mean()) if len(known) else 0.0
    shares = orders / rate if rate > 0 else _nothing_taken(orders[np.newaxis, :])
    return _judged(run, client, first, end, shares, rate, settings)


def _nothing_taken(orders: Rates) -> Rates:
    """The refusal of a baseline without any order in its known seconds."""
    nothing: Rates = np.where(np.isnan(orders).all(axis=0), np.nan, 0.0)
    return nothing


def _judged(
    run: RunData, client: int | None, first: int, end: int, shares: Rates, rate: float, settings: RecoverySettings
) -> Baseline:
    """The baseline computed from its seconds as shares of its mean."""
    known = shares[~np.isnan(shares)]
    spread = 100 * float(known.std() / known.mean()) if rate > 0 else None
    drift = _drift_pct(known) if rate > 0 else None
    return Baseline(
        client=client,
        first_second=first,
        end_second=end,
        known_seconds=len(known),
        transactions_per_second=rate if len(known) else None,
        spread_pct=spread,
        drift_pct=drift,
        lowest_pct=100 * float(known.min()) if rate > 0 else None,
        refusal=_refusal(run.headline, len(known), end - first, spread, drift, settings),
        headline_rate=run.headline.per_period(rate) if len(known) else None,
    )


def _drift_pct(known: Rates) -> float | None:
    """How much the mean of the second half is above the first's; 0 for too few seconds."""
    half = len(known) // 2
    if len(known) < _DRIFT_SECONDS or known[:half].mean() == 0:
        return None
    return 100 * float(known[-half:].mean() / known[:half].mean() - 1)


def _refusal(
    headline: Headline,
    known_seconds: int,
    seconds: int,
    spread_pct: float | None,
    drift_pct: float | None,
    settings: RecoverySettings,
) -> str:
    least, span = duration(settings.least_baseline_seconds), duration(seconds)
    if seconds < settings.least_baseline_seconds:
        return f"Only {span} were measured before the fault; a baseline needs at least {least}."
    if known_seconds < settings.least_baseline_seconds:
        known = duration(known_seconds)
        return f"Only {known} of the {span} before the fault are known; a baseline needs at least {least}."
    if spread_pct is None:
        return f"No {headline.one} was placed in the {span} before the fault."
    if spread_pct > settings.most_spread_pct:
        return (
            f"The {span} before the fault were not steady: {headline.many} per second varied by {spread_pct:.0f} %; "
            f"at most {settings.most_spread_pct:g} % is steady."
        )
    if drift_pct is not None and abs(drift_pct) > settings.most_drift_pct:
        way = "more" if drift_pct > 0 else "fewer"
        return (
            f"The {span} before the fault were not steady: their second half had {abs(drift_pct):.0f} % {way} "
            f"{headline.many} than their first; at most {settings.most_drift_pct:g} % is steady."
        )
    return ""


def _refused(run: RunData, second: int, refusal: str) -> Baselines:
    def nothing(client: int | None) -> Baseline:
        return Baseline(client=client, first_second=second, end_second=second, refusal=refusal)

    return Baselines(total=nothing(None), clients=tuple(nothing(client.number) for client in run.clients))
