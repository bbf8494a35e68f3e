"""What became of the recorded transactions: compares the ledgers with the server's data, range by range of numbers.

Pure arithmetic on arrays, called by ``engine.audit.store_audit`` and ``engine.audit.keyed_audit``. The classes:

- **present**: acknowledged, and the server holds a transaction of that number, key and check;
- **lost**: acknowledged, and the server holds none of that number;
- **replaced**: acknowledged, and what the server holds under that number has another key or check: the number was given
  out anew after a failover that lost it;
- **in doubt, present** and **in doubt, absent**: a transaction whose answer never came, by whether one of those that
  no client has an answer for is of its key, check and time;
- **cut off**: the server holds a transaction that no client has an answer for, near the early end of a client's ledger,
  and no more of them than that client's users could have had under way;
- **unknown**: the server holds a transaction of the run's range that no client has an answer for, and nothing of this
  explains.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from engine.audit.ledger_reading import RECORD_TYPE, Records

LONGEST_CALL_MS = 60_000
"""A transaction can't have been written that much earlier than the moment at which it came to be in doubt."""

_POINTS_OF_RANGE = 4_096
Whole = npt.NDArray[np.int64]
STORED_TYPE = np.dtype([(name, RECORD_TYPE[name]) for name in ("number", "key", "check")])
"""A transaction as the server holds it, in the three numbers that the ledger records."""


@dataclass(frozen=True)
class EarlyEnd:
    """A client's ledger ends early, at ``moment_ms``, because of ``cause``; ``most`` is how many transactions the
    server may hold of which this client could not note that they are made."""

    cause: str
    moment_ms: int
    most: int


@dataclass(frozen=True)
class Findings:
    """The transactions by class, as ``RECORD_TYPE``; of those present only how many there are.

    What the server holds has no time of its own: the moment of those ``unknown`` and ``cut_off`` is that of the
    acknowledged ones of neighbouring numbers, or 0 where there are none. ``cut_off_by`` is how many were cut off by
    each cause. ``others`` is how many more are unknown of which the numbers are not known, and ``others_cut_off`` how
    many of such an early end explains.
    """

    present: int
    lost: Records
    replaced: Records
    in_doubt_present: Records
    in_doubt_absent: Records
    unknown: Records
    cut_off: Records = field(default_factory=lambda: np.empty(0, RECORD_TYPE))
    cut_off_by: Mapping[str, int] = field(default_factory=dict)
    others: int = 0
    others_cut_off: int = 0

    def cut_off_at(self, ends: Sequence[EarlyEnd], *, by_moment: bool) -> "Findings":
        """The same, with those of the unknown transactions counted as cut off that one of the ``ends`` explains."""
        end_of = cut_off_at(ends, self.unknown, by_moment=by_moment)
        cut_off_by = dict.fromkeys((end.cause for end in ends), 0)
        others = self.others
        for place, end in enumerate(ends):
            known = int(np.count_nonzero(end_of == place))
            more = min(others, end.most - known)
            cut_off_by[end.cause] += known + more
            others -= more
        return replace(
            self,
            cut_off=self.unknown[end_of >= 0],
            unknown=self.unknown[end_of < 0],
            cut_off_by=cut_off_by,
            others=others,
            others_cut_off=self.others - others,
        )


@dataclass
class Comparison:
    """Adds up over ranges of numbers, each given once and in ascending order; ``present`` is how many are so far.

    Only numbers of ``unknown_above < number <= unknown_to`` are the run's own to explain; those outside were there
    before or came after it.
    """

    unknown_above: int
    unknown_to: int
    present: int = 0
    _lost: list[Records] = field(default_factory=list)
    _replaced: list[Records] = field(default_factory=list)
    _unclaimed: list[Records] = field(default_factory=list)
    _points: list[Records] = field(default_factory=list)

    def add(self, acknowledged: Records, stored: Records) -> None:
        """One range: all that the ledgers and all that the server hold of it, the latter by ascending number."""
        place = np.searchsorted(stored["number"], acknowledged["number"])
        is_there = place < len(stored)
        is_there[is_there] = stored["number"][place[is_there]] == acknowledged["number"][is_there]
        is_same = is_there.copy()
        for name in ("key", "check"):
            is_same[is_there] &= stored[name][place[is_there]] == acknowledged[name][is_there]
        is_same = _claimed_once(place, is_same)
        self.present += int(np.count_nonzero(is_same))
        self._lost.append(acknowledged[~is_there])
        self._replaced.append(acknowledged[is_there & ~is_same])
        self._points.append(_thinned(acknowledged[is_same]))
        is_claimed = np.zeros(len(stored), dtype=bool)
        is_claimed[place[is_same]] = True
        self._unclaimed.append(_without_moment(stored[~is_claimed]))

    def findings(
        self, in_doubt: Records, ends: Sequence[EarlyEnd] = (), *, within: tuple[int, int] | None = None
    ) -> Findings:
        """The findings of all ranges. What was not acknowledged is one of the transactions in doubt, was cut off at one
        of the ``ends``, or is unknown. ``within`` are the lowest and the highest number that a
        transaction of the run may have; ``None``: all that were added."""
        replaced = _joined(self._replaced)
        unclaimed = _joined(self._unclaimed)
        if within is not None:
            unclaimed = unclaimed[(unclaimed["number"] >= within[0]) & (unclaimed["number"] <= within[1])]
        points = _joined(self._points)
        known = bool(len(points))
        if known:
            points = points[np.argsort(points["number"])]
            unclaimed["moment_ms"] = np.interp(unclaimed["number"], points["number"], points["moment_ms"])
        doubtful, stored = matched(in_doubt, unclaimed, by_moment=known)
        is_unknown = np.ones(len(unclaimed), dtype=bool)
        is_unknown[stored] = False
        is_unknown &= (unclaimed["number"] > self.unknown_above) & (unclaimed["number"] <= self.unknown_to)
        # One whose number was acknowledged with other contents is counted once, as replaced.
        is_unknown &= ~np.isin(unclaimed["number"], replaced["number"])
        is_absent = np.ones(len(in_doubt), dtype=bool)
        is_absent[doubtful] = False
        found_in_doubt = unclaimed[stored]
        found_in_doubt["moment_ms"] = in_doubt["moment_ms"][doubtful]
        found = Findings(
            present=self.present,
            lost=_joined(self._lost),
            replaced=replaced,
            in_doubt_present=found_in_doubt,
            in_doubt_absent=in_doubt[is_absent],
            unknown=unclaimed[is_unknown],
        )
        return found.cut_off_at(ends, by_moment=known)


def cut_off_at(ends: Sequence[EarlyEnd], found: Records, *, by_moment: bool) -> Whole:
    """At which end each of those found was cut off, as its place in ``ends``; -1 for none.

    Of each end those nearest in time, up to its ``most``. With ``by_moment``, one may not be further from it than
    a call can last.
    """
    end_of = np.full(len(found), -1, dtype=np.int64)
    for number, end in enumerate(ends):
        distance = np.abs(found["moment_ms"].astype(np.int64) - end.moment_ms)
        is_free = end_of < 0
        near = np.flatnonzero(is_free & (distance <= LONGEST_CALL_MS) if by_moment else is_free)
        nearest = near[np.argsort(distance[near], kind="stable")]
        end_of[nearest[: end.most]] = number
    return end_of


def matched(in_doubt: Records, found: Records, *, by_moment: bool) -> tuple[Whole, Whole]:
    """Pairs of a transaction in doubt and one found with the same key and check, as two arrays of places.

    Each is in one pair at most, and there are as many pairs as can be. Where there is a choice the nearest in time are
    paired. With ``by_moment``, the one found may not be from before the call of the one in doubt.
    """
    keys = _keys(in_doubt)
    candidates = np.flatnonzero(np.isin(_keys(found), keys))
    by_key: dict[int, list[int]] = {}
    for place, key in zip(candidates.tolist(), _keys(found[candidates]).tolist(), strict=True):
        by_key.setdefault(key, []).append(place)
    pairs: list[tuple[int, int]] = []
    # The latest in doubt has the fewest to choose from, and those before it may take what it leaves.
    for doubtful in np.argsort(in_doubt["moment_ms"], kind="stable")[::-1].tolist():
        choice = by_key.get(int(keys[doubtful]))
        if not choice:
            continue
        moment = int(in_doubt["moment_ms"][doubtful])
        moments = [int(found["moment_ms"][place]) for place in choice]
        near = [
            (abs(at - moment), place)
            for at, place in zip(moments, choice, strict=True)
            if not by_moment or at >= moment - LONGEST_CALL_MS
        ]
        if near:
            _, chosen = min(near)
            choice.remove(chosen)
            pairs.append((doubtful, chosen))
    places = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return places[:, 0], places[:, 1]


def _claimed_once(place: Whole, is_same: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Of several acknowledged that are one and the same on the server, only the first is that one."""
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
    """Enough of the records to interpolate the time of any number between them."""
    in_order = records[np.argsort(records["number"])]
    return in_order[:: max(1, len(in_order) // _POINTS_OF_RANGE)]


def _without_moment(stored: Records) -> Records:
    records = np.zeros(len(stored), RECORD_TYPE)
    for name in ("number", "key", "check"):
        records[name] = stored[name]
    return records


def _joined(parts: Sequence[Records]) -> Records:
    return np.concatenate(parts) if parts else np.empty(0, RECORD_TYPE)


def _keys(records: Records) -> npt.NDArray[np.uint64]:
    """Key and check as one number."""
    return (records["key"].astype(np.uint64) << np.uint64(32)) | records["check"].astype(np.uint64)
