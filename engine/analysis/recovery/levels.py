"""Orders by second as shares of a baseline (levels), and when a level fell, was held, and recovered: array arithmetic.

1 is the baseline, NaN an unknown second, which is neither an order nor a zero: no level counts as held over it. Called
by the recovery analysis.
"""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from engine.analysis.recovery.settings import RecoverySettings
from engine.analysis.run_data import RunData
from engine.analysis.series.rates import Rates

SCATTER = 4.0
"""A second may be so many times the baseline's spread lower than its mean by chance; only a lower one shows a fault."""

ROUNDING = 1e-9
_Flags = npt.NDArray[np.bool_]


def orders_between(run: RunData, first: int, end: int) -> Rates:
    """The orders of ``first <= second < end``, a row for each client; NaN where unknown."""
    rows = [run.series.by_second(run.headline.names.n, client.number, first=first, end=end) for client in run.clients]
    wide = np.full((len(rows), max(0, end - first)), np.nan)
    for row, values in zip(wide, rows, strict=True):
        row[: len(values)] = values
    return wide


def shares_of(orders: Rates, rates: Rates) -> Rates:
    """The level of several clients together: by second, the orders of the known ones divided by their baseline.

    ``rates`` are their orders per second before the fault, NaN for a client that was unknown and does not count. A
    client whose second is unknown is left out of both sums.
    """
    known = ~np.isnan(orders) & ~np.isnan(rates)[:, np.newaxis]
    taken = np.where(known, orders, 0.0).sum(axis=0)
    before = np.where(known, rates[:, np.newaxis], 0.0).sum(axis=0)
    shares: Rates = np.divide(taken, before, out=np.full(orders.shape[1], np.nan), where=before > 0)
    return shares


@dataclass(frozen=True, kw_only=True)
class Floors:
    """The limits below which a level is too low for a share of the baseline, given how the baseline's own seconds
    scatter: for a single ``second``, and for the ``mean`` of a hold time."""

    second: float
    mean: float


def floors_of(share: float, spread_pct: float, lowest_pct: float, hold_seconds: int) -> Floors:
    """The floors of a baseline; the scatter of a mean is that of single seconds divided by the root of their number."""
    spread = spread_pct / 100
    return Floors(
        second=min(share, lowest_pct / 100, max(0.0, 1 - SCATTER * spread)),
        mean=min(share, max(0.0, 1 - SCATTER * spread / math.sqrt(hold_seconds))),
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class HeldLevels:
    """Levels by second and, for the hold time from each second on, their mean, lowest and highest.

    NaN where one of these seconds is unknown or not over yet. All arrays have the same shape: seconds, or rows of them.
    """

    levels: Rates
    means: Rates
    lows: Rates
    highs: Rates
    hold_seconds: int

    @classmethod
    def of(cls, levels: Rates, hold_seconds: int) -> "HeldLevels":
        return cls(
            levels=levels,
            means=over_windows(np.add, levels, hold_seconds) / hold_seconds,
            lows=over_windows(np.minimum, levels, hold_seconds),
            highs=over_windows(np.maximum, levels, hold_seconds),
            hold_seconds=hold_seconds,
        )

    def row(self, row: int) -> "HeldLevels":
        return HeldLevels(
            levels=self.levels[row],
            means=self.means[row],
            lows=self.lows[row],
            highs=self.highs[row],
            hold_seconds=self.hold_seconds,
        )

    def over(self, share: float, floor: float, disturbed: _Flags) -> _Flags:
        """Whether the level was held from a second on: the mean at least ``share``, no second below ``floor``, and no
        disturbed one below ``share``."""
        is_low = disturbed[: len(self.levels)] & (self.levels < share - ROUNDING)
        has_low = over_windows(np.maximum, is_low.astype(np.float64), self.hold_seconds) > 0
        return (self.means >= share - ROUNDING) & (self.lows >= floor - ROUNDING) & ~has_low

    def under(self, share: float, mean_floor: float) -> _Flags:
        """Whether all seconds of the hold time from one on were below ``share`` and their mean below the floor."""
        return (self.highs < share - ROUNDING) & (self.means < mean_floor - ROUNDING)


def over_windows(combine: np.ufunc, values: Rates, seconds: int) -> Rates:
    """``combine`` over the ``seconds`` from each second on; NaN where one of them is unknown or beyond the end."""
    combined = np.full(values.shape, np.nan)
    places = values.shape[-1] - seconds + 1
    if places > 0:
        part = combined[..., :places]
        part[:] = values[..., :places]
        for shift in range(1, seconds):
            combine(part, values[..., shift : shift + places], out=part)
    return combined


@dataclass(frozen=True, kw_only=True)
class Fall:
    """A fall of a level after it had recovered: the places ``begin <= place < end``, from the first low one to the one
    from which it was held again; ``None`` while it lasts."""

    begin: int
    end: int | None = None


@dataclass(frozen=True, kw_only=True)
class Dip:
    """The dip of a level after a fault, in seconds from the fault's own second; ``None`` is not yet or never.

    ``began`` is its first low second, ``recovered`` the first from which the threshold was held. ``relapses`` are the
    later falls, each within the settings' ``after_seconds`` of the second from which the level was held before.
    """

    began: int | None = None
    recovered: int | None = None
    relapses: tuple[Fall, ...] = ()

    @property
    def is_open(self) -> bool:
        """Whether there is a dip without a recovery so far."""
        return self.began is not None and self.recovered is None

    @property
    def is_relapsed(self) -> bool:
        """Whether the level recovered, and is in a relapse."""
        return bool(self.relapses) and self.relapses[-1].end is None

    @property
    def settled(self) -> int | None:
        """The second from which the threshold was held without a relapse: the recovery, or the end of the last
        relapse."""
        return self.relapses[-1].end if self.relapses else self.recovered


def dip_of(held: HeldLevels, floors: Floors, disturbed: _Flags, settings: RecoverySettings) -> Dip:
    """The dip of a level, whose first second is that of the fault.

    It begins within ``onset_seconds`` with a second, or a hold time, that is too low. A ``disturbed`` second (users had
    no connection, or the probe no answer) can't be low by chance: there every level below the threshold is too low, and
    none counts as held. A relapse begins with a hold time that is low, or with a second without an order.
    """
    share, levels = settings.threshold, held.levels
    under = held.under(share, floors.mean)
    low = (levels < floors.second - ROUNDING) | (disturbed[: len(levels)] & (levels < share - ROUNDING))
    began = _first(low | under, 0, settings.onset_seconds)
    if began is None:
        return Dip()
    over, fallen = held.over(share, floors.second, disturbed), under | (levels == 0)
    held_from = recovered = _first(over, began)
    relapses: list[Fall] = []
    while held_from is not None:
        back = _first(fallen, held_from + 1, held_from + settings.after_seconds)
        if back is None:
            break
        held_from = _first(over, back)
        relapses.append(Fall(begin=back, end=held_from))
    return Dip(began=began, recovered=recovered, relapses=tuple(relapses))


def reached_after(held: HeldLevels, share: float, floors: Floors, disturbed: _Flags, dip: Dip) -> int | None:
    """When a share was held again after the dip had first fallen below it; 0 when it never did, ``None`` not yet."""
    if dip.began is None:
        return 0
    fell = _first(held.levels < share - ROUNDING, dip.began, dip.recovered)
    return 0 if fell is None else _first(held.over(share, min(share, floors.second), disturbed), fell)


def _first(flags: _Flags, begin: int, end: int | None = None) -> int | None:
    """The first place from ``begin`` on that is true."""
    part = flags[begin:end]
    at = int(part.argmax()) if len(part) else 0
    return begin + at if len(part) and part[at] else None
