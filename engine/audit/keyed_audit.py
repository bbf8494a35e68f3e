"""Compares a store with the ledgers where numbers are unique only together with a key, such as a district's orders.

Works for every workload whose ``StoreDefinition`` says what it has ``recorded``: each key is compared by itself. Called
by ``engine.conduct.auditing``.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from engine.audit.comparing import ORDER_TYPE, Comparison, EarlyEnd, Findings
from engine.audit.ledger_reading import RECORD_TYPE, LedgerContent, Records
from engine.audit.report import Consistency
from engine.audit.store_audit import StoreBefore, StoreFindings, require_same_store
from engine.databases.database import IsCancelled, Progress, ReportProgress
from engine.databases.definition import Recorded, StoreDefinition
from engine.databases.snapshot import Snapshot
from engine.errors import Cancelled

_KEYS_AT_ONCE = 10_000
_SHARE_OF_KEYS = 0.5
_BY_KEY = ("customer", "order")


def compare_by_key(
    snapshot: Snapshot,
    definition: StoreDefinition,
    recorded: Recorded,
    before: StoreBefore,
    ledgers: Sequence[LedgerContent],
    *,
    ends: Sequence[EarlyEnd] = (),
    is_last: bool,
    report_progress: ReportProgress,
    cancelled: IsCancelled,
) -> StoreFindings:
    """Compare a store with all ledgers of its clients, ``ends`` being the early ones among their ends.

    ``recorded`` is the definition's. The records' ``customer`` is the key, ``net_cents`` the check. ``is_last`` is that
    no later run has used the store. Raises ``NotPossible``, ``Cancelled`` and ``TargetError``.
    """
    require_same_store(snapshot.identity(), before)
    in_doubt = np.concatenate([ledger.in_doubt for ledger in ledgers])
    highest = max([
        int(snapshot.value(recorded.highest_key)),
        *(int(ledger.acknowledged["customer"].max(initial=0)) for ledger in ledgers),
    ])  # fmt: skip
    built = recorded.built if before.is_pristine else None
    parts: list[Findings] = []
    for after in range(0, highest, _KEYS_AT_ONCE):
        if cancelled():
            raise Cancelled
        to = min(after + _KEYS_AT_ONCE, highest)
        report_progress(Progress(doing="comparing with the ledgers", share=_SHARE_OF_KEYS * after / highest))
        acknowledged = np.concatenate([_of_keys(ledger.acknowledged, after, to) for ledger in ledgers])
        stored = _stored(snapshot, recorded, after, to)
        doubtful = _of_keys(in_doubt, after, to)
        for key in np.unique(np.concatenate([acknowledged["customer"], stored["customer"], doubtful["customer"]])):
            records, rows, doubts = (_of_key(each, key) for each in (acknowledged, stored, doubtful))
            parts.append(_compared(records, rows, doubts, built=built, is_last=is_last))
    findings = _joined(parts).cut_off_at(ends, by_moment=any(part.present for part in parts))
    consistency = tuple(_consistency(snapshot, definition, report_progress))
    return StoreFindings(findings=findings, consistency=consistency, place_of=recorded.place_of)


def _compared(
    acknowledged: Records, stored: Records, in_doubt: Records, *, built: int | None, is_last: bool
) -> Findings:
    """The findings of one key. Where the store was not as built, or was used later, nothing below the run's first
    number or above its last one is the run's to explain."""
    numbers = acknowledged["order"]
    lowest, highest = int(numbers.min(initial=2**32 - 1)), int(numbers.max(initial=0))
    last = int(stored["order"].max(initial=0)) if is_last else highest
    comparison = Comparison(unknown_above=lowest - 1 if built is None else built, unknown_to=last)
    comparison.add(acknowledged, stored)
    return comparison.findings(in_doubt)


def _stored(snapshot: Snapshot, recorded: Recorded, after: int, to: int) -> Records:
    """What the store holds of a range of keys, by key and number."""
    columns = ("key_", "number_", "check_")
    found = [numbers for _, numbers in snapshot.numbers(recorded.query, columns, after, to)]
    stored = np.empty(sum(len(numbers[0]) for numbers in found), ORDER_TYPE)
    for place, name in enumerate(("customer", "order", "net_cents")):
        stored[name] = np.concatenate([np.empty(0, np.int64), *(numbers[place] for numbers in found)])
    return _sorted(stored)


def _of_keys(records: Records, after: int, to: int) -> Records:
    keys = records["customer"]
    return _sorted(np.array(records[(keys > after) & (keys <= to)]))


def _of_key(by_key: Records, key: int) -> Records:
    first, end = np.searchsorted(by_key["customer"], [key, key + 1])
    return by_key[first:end]


def _sorted(records: Records) -> Records:
    return records[np.lexsort([records[name] for name in reversed(_BY_KEY)])]


def _joined(parts: Sequence[Findings]) -> Findings:
    def all_of(name: str) -> Records:
        return np.concatenate([np.empty(0, RECORD_TYPE), *(getattr(part, name) for part in parts)])

    return Findings(
        present=sum(part.present for part in parts),
        lost=all_of("lost"),
        replaced=all_of("replaced"),
        in_doubt_present=all_of("in_doubt_present"),
        in_doubt_absent=all_of("in_doubt_absent"),
        unknown=all_of("unknown"),
    )


def _consistency(
    snapshot: Snapshot, definition: StoreDefinition, report_progress: ReportProgress
) -> Iterator[Consistency]:
    for number, (what, violations) in enumerate(definition.consistency.items()):
        share = _SHARE_OF_KEYS + (1 - _SHARE_OF_KEYS) * number / len(definition.consistency)
        report_progress(
            Progress(doing=f"checking {number + 1} of {len(definition.consistency)} conditions", share=share)
        )
        yield Consistency(what=what, wrong=snapshot.count(violations))
