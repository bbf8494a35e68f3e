"""The audit of one store: compares its clients' ledgers with the server's data, one range of order ids at a time.

Called by ``engine.conduct.auditing``; any number of clients may have driven the store.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from engine.audit.comparing import Comparison, EarlyEnd, Findings
from engine.audit.consistency import LineSums
from engine.audit.ledger_reading import RECORD_TYPE, LedgerContent, Records
from engine.audit.report import Consistency, OrderCounts, OrderExample
from engine.databases.database import IsCancelled, Progress, ReportProgress
from engine.errors import Cancelled
from engine.workloads.dvdstore.stored_orders import Cents, HistorySums, Lines, Orders

_MOST_EXAMPLES = 200
_BLOCK = 65_536
_SHARE_OF_RANGES = 0.8


class Auditor(Protocol):
    """Reads the orders of one store in the state of one moment; implemented by ``engine.workloads.dvdstore.auditor``.

    Orders are read by ranges of ids, ``after < id <= to``, of at most ``most_ids``. Each call raises ``TargetError``,
    and ``Cancelled`` when the audit is cancelled.
    """

    most_ids: int

    def state(self) -> tuple[str, int] | None:
        """``StoreState.as_built_at`` and ``high_water`` now; ``None`` when there is no complete store."""
        ...

    def prices(self) -> Cents:
        """The price of every product in cents, by product id; 0 where there is no such product."""
        ...

    def orders(self, after: int, to: int) -> Orders:
        """The orders of a range by ascending id, as ``ORDER_TYPE``."""
        ...

    def lines(self, after: int, to: int) -> Lines:
        """The lines of the orders of a range, as ``LINE_TYPE``, in any order."""
        ...

    def history(self, after: int, to: int) -> HistorySums:
        """The history rows of the orders of a range, which may be of any length."""
        ...

    def products_off(self) -> int:
        """How many products have been sold more or less often than all order lines say."""
        ...


class NotPossible(Exception):  # noqa: N818 - a finding for the report
    """Why a store can't be audited, as a sentence."""


@dataclass(frozen=True, kw_only=True)
class StoreBefore:
    """What the run recorded of a store when it began: the names are those of ``StoreState``."""

    as_built_at: str
    highest_order: int
    is_pristine: bool


@dataclass(frozen=True, kw_only=True)
class StoreFindings:
    """The orders by class, and what ties out and what does not; ``place_of`` as for ``examples_of``."""

    findings: Findings
    consistency: tuple[Consistency, ...]
    place_of: Callable[[int], str] | None = None


def compare_store(
    auditor: Auditor,
    before: StoreBefore,
    ledgers: Sequence[LedgerContent],
    *,
    ends: Sequence[EarlyEnd] = (),
    unknown_to: int | None,
    report_progress: ReportProgress,
    cancelled: IsCancelled,
) -> StoreFindings:
    """Compare a store with all ledgers of its clients, ``ends`` being the early ones among their ends.

    Orders above ``unknown_to`` belong to later runs; ``None`` is that there are none. Raises ``NotPossible``,
    ``Cancelled`` and ``TargetError``.
    """
    highest = require_same_store(auditor.state(), before)
    acknowledged = [_ById(ledger.acknowledged) for ledger in ledgers]
    # After a lossy failover the server may assign ids again that existed before the run.
    after = min([before.highest_order, *(part.lowest - 1 for part in acknowledged if len(part))])
    upper = highest if unknown_to is None else min(highest, unknown_to)
    to = max([after, upper, *(part.highest for part in acknowledged if len(part))])
    comparison = Comparison(unknown_above=before.highest_order, unknown_to=upper)
    sums = LineSums(auditor.prices())
    for begin, end in _ranges(after, to, auditor.most_ids):
        if cancelled():
            raise Cancelled
        share = _SHARE_OF_RANGES * (begin - after) / (to - after)
        report_progress(Progress(doing=f"comparing orders {begin + 1:,} to {end:,}", share=share))
        orders = auditor.orders(begin, end)
        comparison.add(np.concatenate([part.between(begin, end) for part in acknowledged]), orders)
        sums.add(begin, end, orders, auditor.lines(begin, end))
    report_progress(Progress(doing="checking history and sales", share=_SHARE_OF_RANGES))
    consistency = sums.checks(auditor.history(after, to), auditor.products_off())
    in_doubt = np.concatenate([ledger.in_doubt for ledger in ledgers])
    return StoreFindings(findings=comparison.findings(in_doubt, ends), consistency=consistency)


def counts_of(findings: Findings) -> OrderCounts:
    """How many orders there are of each class."""
    return OrderCounts(
        present=findings.present,
        **{name: len(getattr(findings, name)) for name in _CLASSES},
    )


def examples_of(
    findings: Findings, place_of: Callable[[int], str] | None = None
) -> dict[str, tuple[OrderExample, ...]]:
    """The first orders of each class that has any, but for those present; by time where that is known.

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
    moment_ms, order, customer, net_cents = record
    at_seconds = None if name in _WITHOUT_MOMENT else moment_ms / 1000
    if place_of is not None:
        place = place_of(customer)
        return OrderExample(order=order or None, customer=net_cents, net_cents=None, at_seconds=at_seconds, place=place)
    return OrderExample(order=order or None, customer=customer, net_cents=net_cents, at_seconds=at_seconds)


def require_same_store(found: tuple[str, int] | None, before: StoreBefore) -> int:
    """The high water of the store that was found; raises ``NotPossible`` if it is not the one from before the run."""
    if found is None:
        raise NotPossible("the database no longer holds a complete store")
    as_built_at, highest = found
    if as_built_at != before.as_built_at:
        raise NotPossible("the store was reset or rebuilt after the run began, so its orders are gone")
    return highest


def _ranges(after: int, to: int, most: int) -> Iterator[tuple[int, int]]:
    for begin in range(after, to, most):
        yield begin, min(begin + most, to)


class _ById:
    """The orders of one ledger, found by id without reading it all each time: ids rise as the run goes on, nearly."""

    def __init__(self, acknowledged: Records) -> None:
        self._records = acknowledged
        starts = np.arange(0, len(acknowledged), _BLOCK)
        ids = acknowledged["order"]
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
        """The orders of ``after < id <= to``."""
        blocks = np.flatnonzero((self._highs > after) & (self._lows <= to)).tolist()
        return _joined(_within(self._records[block * _BLOCK : (block + 1) * _BLOCK], after, to) for block in blocks)


def _within(records: Records, after: int, to: int) -> Records:
    return np.array(records[(records["order"] > after) & (records["order"] <= to)])


def _joined(parts: Iterable[Records]) -> Records:
    return np.concatenate([np.empty(0, RECORD_TYPE), *parts])
