"""The audit of one store: compares its clients' ledgers with the server's data, one range of numbers at a time.

For workloads whose recorded transactions have numbers that are unique in the whole store, such as the orders of the DVD
Store; ``engine.audit.keyed_audit`` is for the others. Called by ``engine.conduct.auditing``; any number of clients may
have driven the store.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from engine.audit.comparing import Comparison, EarlyEnd, Findings
from engine.audit.ledger_reading import RECORD_TYPE, LedgerContent, Records
from engine.audit.report import Consistency, OrderCounts, OrderExample
from engine.databases.progress import IsCancelled, Progress, ReportProgress
from engine.databases.snapshot import Auditor
from engine.errors import Cancelled
from engine.figure_text import whole

_MOST_EXAMPLES = 200
_BLOCK = 65_536
_SHARE_OF_RANGES = 0.8


class NotPossible(Exception):  # noqa: N818 - a finding for the report
    """Why a store can't be audited, as a sentence."""


@dataclass(frozen=True, kw_only=True)
class StoreBefore:
    """What the run recorded of a store when it began: the names are those of ``StoreState``."""

    as_built_at: str
    high_water: int
    is_pristine: bool


@dataclass(frozen=True, kw_only=True)
class StoreFindings:
    """The recorded transactions by class, and what ties out and what does not; ``place_of`` as for ``examples_of``."""

    findings: Findings
    consistency: tuple[Consistency, ...]
    place_of: Callable[[int], str] | None = None


def compare_by_number(
    auditor: Auditor,
    identity: tuple[str, int] | None,
    before: StoreBefore,
    ledgers: Sequence[LedgerContent],
    *,
    ends: Sequence[EarlyEnd] = (),
    unknown_to: int | None,
    report_progress: ReportProgress,
    cancelled: IsCancelled,
) -> StoreFindings:
    """Compare a store with all ledgers of its clients, ``ends`` being the early ones among their ends.

    ``identity`` is that of the ``Snapshot`` which the auditor reads. Numbers above ``unknown_to`` belong to later runs;
    ``None`` is that there are none. Raises ``NotPossible``, ``Cancelled`` and ``TargetError``.
    """
    highest = require_same_store(identity, before)
    acknowledged = [_ById(ledger.acknowledged) for ledger in ledgers]
    # After a lossy failover the server may assign numbers again that existed before the run.
    after = min([before.high_water, *(part.lowest - 1 for part in acknowledged if len(part))])
    upper = highest if unknown_to is None else min(highest, unknown_to)
    to = max([after, upper, *(part.highest for part in acknowledged if len(part))])
    comparison = Comparison(unknown_above=before.high_water, unknown_to=upper)
    for begin, end in _ranges(after, to, auditor.most_numbers):
        if cancelled():
            raise Cancelled
        share = _SHARE_OF_RANGES * (begin - after) / (to - after)
        report_progress(Progress(doing=f"comparing numbers {whole(begin + 1)} to {whole(end)}", share=share))
        comparison.add(np.concatenate([part.between(begin, end) for part in acknowledged]), auditor.stored(begin, end))
    report_progress(Progress(doing="checking the consistency", share=_SHARE_OF_RANGES))
    consistency = tuple(Consistency(what=what, wrong=wrong) for what, wrong in auditor.violations(after, to).items())
    in_doubt = np.concatenate([ledger.in_doubt for ledger in ledgers])
    return StoreFindings(findings=comparison.findings(in_doubt, ends), consistency=consistency)


def counts_of(findings: Findings) -> OrderCounts:
    """How many transactions there are of each class."""
    counts = {name: len(getattr(findings, name)) for name in _CLASSES}
    counts["cut_off"] += findings.others_cut_off
    counts["unknown"] += findings.others
    return OrderCounts(present=findings.present, **counts)


def examples_of(
    findings: Findings, place_of: Callable[[int], str] | None = None
) -> dict[str, tuple[OrderExample, ...]]:
    """The first transactions of each class that has any, but for those present; by time where that is known.

    ``place_of`` names the place of a record's key, where that is no customer; the record's check is the customer then.
    """
    found = {}
    for name in _CLASSES:
        records = getattr(findings, name)
        in_time = records[np.argsort(records["moment_ms"], kind="stable")[:_MOST_EXAMPLES]]
        if len(in_time):
            found[name] = tuple(_example(name, record, place_of) for record in in_time.tolist())
    return found


_CLASSES = ("lost", "replaced", "in_doubt_present", "in_doubt_absent", "cut_off", "unknown")
_WITHOUT_MOMENT = ("cut_off", "unknown")


def _example(name: str, record: tuple[int, int, int, int], place_of: Callable[[int], str] | None) -> OrderExample:
    moment_ms, number, key, check = record
    at_seconds = None if name in _WITHOUT_MOMENT else moment_ms / 1000
    if place_of is not None:
        return OrderExample(
            order=number or None, customer=check, net_cents=None, at_seconds=at_seconds, place=place_of(key)
        )
    return OrderExample(order=number or None, customer=key, net_cents=check, at_seconds=at_seconds)


def require_same_store(found: tuple[str, int] | None, before: StoreBefore) -> int:
    """The high water of the store that was found; raises ``NotPossible`` if it is not the one from before the run."""
    if found is None:
        raise NotPossible("the database no longer holds a complete store")
    as_built_at, highest = found
    if as_built_at != before.as_built_at:
        raise NotPossible("the store was reset or rebuilt after the run began, so what it wrote is gone")
    return highest


def _ranges(after: int, to: int, most: int) -> Iterator[tuple[int, int]]:
    for begin in range(after, to, most):
        yield begin, min(begin + most, to)


class _ById:
    """The transactions of one ledger, found by number without reading it all each time: numbers rise with the run,
    nearly."""

    def __init__(self, acknowledged: Records) -> None:
        self._records = acknowledged
        starts = np.arange(0, len(acknowledged), _BLOCK)
        ids = acknowledged["number"]
        self._lows = np.minimum.reduceat(ids, starts) if len(starts) else ids[:0]
        self._highs = np.maximum.reduceat(ids, starts) if len(starts) else ids[:0]

    def __len__(self) -> int:
        return len(self._records)

    @property
    def lowest(self) -> int:
        return int(self._lows.min())

    @property
    def highest(self) -> int:
        return int(self._highs.max())

    def between(self, after: int, to: int) -> Records:
        """Those of ``after < number <= to``."""
        blocks = np.flatnonzero((self._highs > after) & (self._lows <= to)).tolist()
        return _joined(_within(self._records[block * _BLOCK : (block + 1) * _BLOCK], after, to) for block in blocks)


def _within(records: Records, after: int, to: int) -> Records:
    return np.array(records[(records["number"] > after) & (records["number"] <= to)])


def _joined(parts: Iterable[Records]) -> Records:
    return np.concatenate([np.empty(0, RECORD_TYPE), *parts])
