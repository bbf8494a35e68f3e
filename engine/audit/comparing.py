"""What became of the orders: compares the ledgers with the server's data, one range of order ids at a time.

Pure arithmetic on arrays, called by ``engine.audit.store_audit``. The classes:

- **present**: acknowledged, and the server holds an order of that id, customer and net amount;
- **lost**: acknowledged, and the server holds no order of that id;
- **replaced**: acknowledged, and what the server holds under that id is another customer's or of another amount: the
  id was given out anew after a failover that lost it;
- **in doubt, present** and **in doubt, absent**: a purchase whose answer never came, by whether one of the orders that
  nobody was told of is of its customer, amount and time;
- **cut off**: the server holds an order that no client was told of, near the early end of a client's ledger, and no
  more of them than that client's users could have had under way;
- **unknown**: the server holds an order of the run's range that no client was told of, and nothing of this explains.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from engine.audit.ledger_reading import RECORD_TYPE, Records

LONGEST_CALL_MS = 60_000
"""An order can't have been written that much earlier than the moment at which its purchase came to be in doubt."""

_POINTS_OF_RANGE = 4_096
Whole = npt.NDArray[np.int64]
ORDER_TYPE = np.dtype([(name, RECORD_TYPE[name]) for name in ("order", "customer", "net_cents")])


@dataclass(frozen=True)
class EarlyEnd:
    """A client's ledger ends early, at ``moment_ms``, because of ``cause``; ``most`` is how many orders the server may
    hold of which this client could not note that they are placed."""

    cause: str
    moment_ms: int
    most: int


@dataclass(frozen=True)
class Findings:
    """The orders by class, as ``RECORD_TYPE``; of those present only their number.

    Server orders have no time of their own: the moment of those ``unknown`` and ``cut_off`` is that of the acknowledged
    orders of neighbouring ids, or 0 where there are none. ``cut_off_by`` is how many were cut off by each cause.
    """

    present: int
    lost: Records
    replaced: Records
    in_doubt_present: Records
    in_doubt_absent: Records
    unknown: Records
    cut_off: Records = field(default_factory=lambda: np.empty(0, RECORD_TYPE))
    cut_off_by: Mapping[str, int] = field(default_factory=dict)

    def cut_off_at(self, ends: Sequence[EarlyEnd], *, by_moment: bool) -> "Findings":
        """The same, with those of the unknown orders counted as cut off that one of the ``ends`` explains."""
        end_of = cut_off_at(ends, self.unknown, by_moment=by_moment)
        cut_off_by = dict.fromkeys((end.cause for end in ends), 0)
        for place in end_of[end_of >= 0].tolist():
            cut_off_by[ends[place].cause] += 1
        cut_off, unknown = self.unknown[end_of >= 0], self.unknown[end_of < 0]
        return replace(self, cut_off=cut_off, unknown=unknown, cut_off_by=cut_off_by)


@dataclass
class Comparison:
    """Adds up over ranges of order ids, each given once and in ascending order.

    Only orders of ``unknown_above < id <= unknown_to`` are the run's own to explain; those outside were there before
    or came after it.
    """

    unknown_above: int
    unknown_to: int
    _present: int = 0
    _lost: list[Records] = field(default_factory=list)
    _replaced: list[Records] = field(default_factory=list)
    _unclaimed: list[Records] = field(default_factory=list)
    _points: list[Records] = field(default_factory=list)

    def add(self, acknowledged: Records, stored: Records) -> None:
        """One range: all that the ledgers and all that the server hold of it, the latter by ascending id."""
        place = np.searchsorted(stored["order"], acknowledged["order"])
        is_there = place < len(stored)
        is_there[is_there] = stored["order"][place[is_there]] == acknowledged["order"][is_there]
        is_same = is_there.copy()
        for name in ("customer", "net_cents"):
            is_same[is_there] &= stored[name][place[is_there]] == acknowledged[name][is_there]
        is_same = _claimed_once(place, is_same)
        self._present += int(np.count_nonzero(is_same))
        self._lost.append(acknowledged[~is_there])
        self._replaced.append(acknowledged[is_there & ~is_same])
        self._points.append(_thinned(acknowledged[is_same]))
        is_claimed = np.zeros(len(stored), dtype=bool)
        is_claimed[place[is_same]] = True
        self._unclaimed.append(_without_moment(stored[~is_claimed]))

    def findings(self, in_doubt: Records, ends: Sequence[EarlyEnd] = ()) -> Findings:
        """The findings of all ranges. An order that was not acknowledged is a purchase in doubt, was cut off at one of
        the ``ends``, or is unknown."""
        replaced = _joined(self._replaced)
        unclaimed = _joined(self._unclaimed)
        points = _joined(self._points)
        known = bool(len(points))
        if known:
            points = points[np.argsort(points["order"])]
            unclaimed["moment_ms"] = np.interp(unclaimed["order"], points["order"], points["moment_ms"])
        purchases, orders = matched(in_doubt, unclaimed, by_moment=known)
        is_unknown = np.ones(len(unclaimed), dtype=bool)
        is_unknown[orders] = False
        is_unknown &= (unclaimed["order"] > self.unknown_above) & (unclaimed["order"] <= self.unknown_to)
        # An order whose id was acknowledged with other contents is counted once, as replaced.
        is_unknown &= ~np.isin(unclaimed["order"], replaced["order"])
        is_absent = np.ones(len(in_doubt), dtype=bool)
        is_absent[purchases] = False
        found_in_doubt = unclaimed[orders]
        found_in_doubt["moment_ms"] = in_doubt["moment_ms"][purchases]
        found = Findings(
            present=self._present,
            lost=_joined(self._lost),
            replaced=replaced,
            in_doubt_present=found_in_doubt,
            in_doubt_absent=in_doubt[is_absent],
            unknown=unclaimed[is_unknown],
        )
        return found.cut_off_at(ends, by_moment=known)


def cut_off_at(ends: Sequence[EarlyEnd], orders: Records, *, by_moment: bool) -> Whole:
    """At which end each of the orders was cut off, as its place in ``ends``; -1 for none.

    Of each end the orders nearest in time, up to its ``most``. With ``by_moment``, one may not be further from it than
    a call can last.
    """
    end_of = np.full(len(orders), -1, dtype=np.int64)
    for number, end in enumerate(ends):
        distance = np.abs(orders["moment_ms"].astype(np.int64) - end.moment_ms)
        is_free = end_of < 0
        near = np.flatnonzero(is_free & (distance <= LONGEST_CALL_MS) if by_moment else is_free)
        nearest = near[np.argsort(distance[near], kind="stable")]
        end_of[nearest[: end.most]] = number
    return end_of


def matched(in_doubt: Records, orders: Records, *, by_moment: bool) -> tuple[Whole, Whole]:
    """Pairs of a purchase in doubt and an order of the same customer and amount, as two arrays of places.

    Each purchase and each order is in one pair at most, and there are as many pairs as can be. Where there is a choice
    the nearest in time are paired. With ``by_moment``, an order may not be from before the purchase's call.
    """
    keys = _keys(in_doubt)
    candidates = np.flatnonzero(np.isin(_keys(orders), keys))
    by_key: dict[int, list[int]] = {}
    for place, key in zip(candidates.tolist(), _keys(orders[candidates]).tolist(), strict=True):
        by_key.setdefault(key, []).append(place)
    pairs: list[tuple[int, int]] = []
    # The latest purchase has the fewest orders to choose from, and those before it may take what it leaves.
    for purchase in np.argsort(in_doubt["moment_ms"], kind="stable")[::-1].tolist():
        choice = by_key.get(int(keys[purchase]))
        if not choice:
            continue
        moment = int(in_doubt["moment_ms"][purchase])
        moments = [int(orders["moment_ms"][place]) for place in choice]
        near = [
            (abs(at - moment), place)
            for at, place in zip(moments, choice, strict=True)
            if not by_moment or at >= moment - LONGEST_CALL_MS
        ]
        if near:
            _, chosen = min(near)
            choice.remove(chosen)
            pairs.append((purchase, chosen))
    found = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return found[:, 0], found[:, 1]


def _claimed_once(place: Whole, is_same: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Of several acknowledged orders that are one and the same on the server, only the first is that one."""
    claims = place[is_same]
    _, first = np.unique(claims, return_index=True)
    if len(first) == len(claims):
        return is_same
    is_first = np.zeros(len(claims), dtype=bool)
    is_first[first] = True
    once = is_same.copy()
    once[is_same] = is_first
    return once


def _thinned(records: Records) -> Records:
    """Enough of the records to interpolate the time of any order id between them."""
    in_order = records[np.argsort(records["order"])]
    return in_order[:: max(1, len(in_order) // _POINTS_OF_RANGE)]


def _without_moment(stored: Records) -> Records:
    records = np.zeros(len(stored), RECORD_TYPE)
    for name in ("order", "customer", "net_cents"):
        records[name] = stored[name]
    return records


def _joined(parts: Sequence[Records]) -> Records:
    return np.concatenate(parts) if parts else np.empty(0, RECORD_TYPE)


def _keys(records: Records) -> npt.NDArray[np.uint64]:
    """Customer and amount as one number."""
    return (records["customer"].astype(np.uint64) << np.uint64(32)) | records["net_cents"].astype(np.uint64)
