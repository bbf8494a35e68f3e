"""A fault's seconds prepared for the analysis: orders and levels by client and second, baselines, dips, the account.

Also determines the baseline of a fault that follows another one. Called by the recovery analysis.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from engine.analysis.recovery.baseline import Baseline, Baselines, baselines_at
from engine.analysis.recovery.calls import users_away
from engine.analysis.recovery.levels import Dip, HeldLevels, dip_of, orders_between, over_windows, shares_of
from engine.analysis.recovery.settings import RecoverySettings
from engine.analysis.recovery.span import Ending, FaultSpan, faults_of, span_of
from engine.analysis.run_data import RunData
from engine.analysis.series.rates import Rates
from engine.telemetry.event import RunEvent

_NEAR_SECONDS = 600


@dataclass(frozen=True, kw_only=True, eq=False)
class FaultView:
    """One fault and the seconds that are attributed to it; a place is a second counted from the fault's own.

    Row 0 is all clients together, row n client n. ``orders`` has only rows of clients.
    """

    run: RunData
    span: FaultSpan
    settings: RecoverySettings
    baselines: Baselines
    orders: Rates

    @cached_property
    def rows(self) -> range:
        return range(1 + len(self.run.clients))

    @cached_property
    def stores(self) -> tuple[int | None, ...]:
        """The number of each client's store, which identifies its probe."""
        numbers = {store.with_label(""): number for number, store in enumerate(self.run.plan.stores(), 1)}
        return tuple(numbers.get(client.target.with_label("")) for client in self.run.clients)

    def baseline(self, row: int) -> Baseline:
        return self.baselines.clients[row - 1] if row else self.baselines.total

    @cached_property
    def levels(self) -> Rates:
        """The orders as shares of the baseline, by row; NaN where unknown, or where there is no baseline."""
        rates = self.baselines.rates[:, np.newaxis]
        own: Rates = np.divide(self.orders, rates, out=np.full(self.orders.shape, np.nan), where=rates > 0)
        levels: Rates = np.vstack((shares_of(self.orders, self.baselines.rates), own))
        return levels

    @cached_property
    def _judged(self) -> tuple[HeldLevels, tuple[Dip, ...]]:
        """The held levels and the dips, computed from the first places if those suffice: most faults are soon over."""
        for places in (_NEAR_SECONDS, self.span.seconds):
            held = HeldLevels.of(self.levels[:, :places], self.settings.hold_seconds)
            dips = tuple(self._dip(row, held) for row in self.rows)
            if all(self._is_final(dip, places) for dip in dips):
                break
        return held, dips

    def _is_final(self, dip: Dip, places: int) -> bool:
        """Whether a dip can't change any more by what follows the first ``places``."""
        begin = self.settings.onset_seconds if dip.began is None else dip.settled
        return begin is not None and begin + self.settings.after_seconds + self.settings.hold_seconds < places

    @property
    def held(self) -> HeldLevels:
        """The levels held over the hold time, at least as far as any dip extends."""
        return self._judged[0]

    @cached_property
    def window_levels(self) -> Rates:
        """The mean level of the lowest window's length from each place on, by row, as far as figures need it."""
        seconds = self.settings.lowest_window_seconds
        places = max(self.judged_places(row) for row in self.rows)
        return over_windows(np.add, self.levels[:, : places + seconds - 1], seconds) / seconds

    def is_judged(self, row: int) -> bool:
        """Whether a row has a baseline that can be used."""
        return self.baselines.total.is_usable and self.baseline(row).is_usable

    def taken(self, row: int) -> Rates:
        """The orders by place of a client, or of all known clients together."""
        if not row:
            return self._together
        own: Rates = self.orders[row - 1]
        return own

    @cached_property
    def _together(self) -> Rates:
        known = ~np.isnan(self.orders)
        together: Rates = np.where(known.any(axis=0), np.where(known, self.orders, 0.0).sum(axis=0), np.nan)
        return together

    @cached_property
    def total_dip(self) -> Dip:
        """The dip of all clients together, computed without those of the clients."""
        total = shares_of(self.orders, self.baselines.rates)
        return self._dip(0, HeldLevels.of(total[np.newaxis, :], self.settings.hold_seconds))

    @property
    def dips(self) -> tuple[Dip, ...]:
        """The dip of each row; a row whose baseline is refused has none."""
        return self._judged[1]

    def _dip(self, row: int, held: HeldLevels) -> Dip:
        if not self.is_judged(row):
            return Dip()
        floors = self.baseline(row).floors(self.settings)
        return dip_of(held.row(row), floors, self.disturbed[row], self.settings)

    @cached_property
    def away(self) -> Rates:
        """Users that had no connection, by client and place; see ``users_away``."""
        return users_away(self.run, self.span)

    @cached_property
    def disturbed(self) -> npt.NDArray[np.bool_]:
        """By row, the places in which users had no connection, or the probe saw a blackout."""
        clients = self.away > 0
        for row, store in zip(clients, self.stores, strict=True):
            if store in self.run.probes:
                for outage in self.run.probes[store].outages(self.span.first, self.span.end):
                    begin, end = self._place(outage.begin), self._place(outage.end) + 1
                    row[begin:end] = True
        return np.vstack((clients.any(axis=0), clients))

    def _place(self, moment: float | None) -> int:
        """The place of a moment of the run's clock; ``None`` is the last place."""
        return self.span.seconds if moment is None else max(0, math.floor(moment) - self.span.first)

    @cached_property
    def account_places(self) -> int:
        """The length of the account: until every row with a dip has first recovered; 0 without a dip."""
        ends = [self.span.seconds if dip.is_open else dip.recovered or 0 for dip in self.dips]
        return max(ends)

    @property
    def account_is_open(self) -> bool:
        return any(dip.is_open for dip in self.dips)

    def judged_places(self, row: int) -> int:
        """The number of places for a row's own figures: its dip, or without one the time in which it might have begun.

        Without a baseline it is unknown what belongs to the fault: then all places.
        """
        dip, places = self.dips[row], self.span.seconds
        if dip.began is not None:
            return places if dip.recovered is None else dip.recovered
        if self.baselines.total.is_usable:
            return min(places, max(self.account_places, self.settings.onset_seconds))
        return places


def view_of(run: RunData, fault: RunEvent, settings: RecoverySettings, at: int | None = None) -> FaultView:
    """A fault's view as of the second ``at``."""
    *_, (_, view) = views_of(run, settings, at, until=fault)
    return view


def views_of(
    run: RunData, settings: RecoverySettings, at: int | None = None, *, until: RunEvent | None = None
) -> Iterator[tuple[RunEvent, FaultView]]:
    """The views of the run's faults in order, each based on the one before; only those that ``until`` needs, if
    given."""
    faults = faults_of(run) if until is None else _chain(run, until, settings)
    earlier: FaultView | None = None
    for fault in faults:
        earlier = view_after(run, fault, settings, at, earlier)
        yield fault, earlier


def view_after(
    run: RunData,
    fault: RunEvent,
    settings: RecoverySettings,
    at: int | None,
    earlier: FaultView | None,
    *,
    baselines: Baselines | None = None,
) -> FaultView:
    """A fault's view, based on that of the fault before it; ``baselines`` are its own if they are known already."""
    span = span_of(run, fault, settings, at)
    return FaultView(
        run=run,
        span=span,
        settings=settings,
        baselines=_baselines(run, span, settings, at, earlier) if baselines is None else baselines,
        orders=orders_between(run, span.first, span.end),
    )


def _chain(run: RunData, until: RunEvent, settings: RecoverySettings) -> list[RunEvent]:
    """The fault and the earlier ones, back to the first that can't be related to the one before it."""
    key = (until.at_seconds, until.number)
    chain = [until]
    for fault in reversed([each for each in faults_of(run) if (each.at_seconds, each.number) < key]):
        if math.floor(chain[-1].at_seconds) - math.floor(fault.at_seconds) > settings.horizon_seconds:
            break
        chain.append(fault)
    return chain[::-1]


def _baselines(
    run: RunData, span: FaultSpan, settings: RecoverySettings, at: int | None, earlier: FaultView | None
) -> Baselines:
    """The baselines before a fault, or those of an earlier one that the run had not recovered from."""
    known_end = run.measured_end if at is None else min(at, run.measured_end)
    before = earlier
    if before is None or before.span.ending is Ending.HORIZON or not before.baselines.total.is_usable:
        return baselines_at(run, span.first, settings, known_end=known_end)
    dip, places = before.total_dip, before.span.seconds
    if dip.is_open or dip.is_relapsed or places < settings.hold_seconds:
        return before.baselines.of(before.span.fault.number)
    not_before = before.span.first + (dip.settled or 0)
    own = baselines_at(run, span.first, settings, not_before=not_before, known_end=known_end)
    is_too_short = own.total.known_seconds < settings.least_baseline_seconds
    return before.baselines.of(before.span.fault.number) if is_too_short else own
