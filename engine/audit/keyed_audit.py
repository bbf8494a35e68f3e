"""Compares a store with the ledgers where numbers are unique only together with a key, such as a district's orders.

Works for every workload whose ``StoreDefinition`` says what it has ``recorded``: each key is compared by itself. Called
by ``engine.conduct.auditing``.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from engine.audit.comparing import STORED_TYPE, Comparison, EarlyEnd, Findings, Whole
from engine.audit.ledger_reading import RECORD_TYPE, LedgerContent, Records
from engine.audit.report import Consistency
from engine.audit.store_audit import StoreBefore, StoreFindings, require_same_store
from engine.databases.definition import Recorded, StoreDefinition
from engine.databases.progress import IsCancelled, Progress, ReportProgress
from engine.databases.snapshot import Snapshot
from engine.errors import Cancelled

_KEYS_AT_ONCE = 10_000
_SHARE_OF_KEYS = 0.5
_BY_KEY = ("key", "number")


def compare_by_key(
    snapshot: Snapshot,
    definition: StoreDefinition,
    recorded: Recorded,
    before: StoreBefore,
    ledgers: Sequence[LedgerContent],
    *,
    ends: Sequence[EarlyEnd] = (),
    later: int | None,
    report_progress: ReportProgress,
    cancelled: IsCancelled,
) -> StoreFindings:
    """Compare a store with all ledgers of its clients, ``ends`` being the early ones among their ends.

    ``recorded`` is the definition's. ``later`` is the store's high water when the next run on it began, ``None`` if
    there was none. Raises ``NotPossible``, ``Cancelled`` and ``TargetError``.

    In a store as built that no later run has used, each number above the built ones is the run's to explain. Elsewhere
    the first and the last number of the run are not known of each key, only how many it can have had of all keys: as
    many as were added to the store meanwhile. What has no answer is then *unknown* by its number between the
    acknowledged ones of its key, and by how many there are for the rest (``Findings.others``): they came from somebody
    else, before, after or beside the acknowledged ones of a key. A transaction in doubt is looked for no further from
    the acknowledged ones than so many.
    """
    require_same_store(snapshot.identity(), before)
    in_doubt = np.concatenate([ledger.in_doubt for ledger in ledgers])
    highest = max([
        int(snapshot.value(recorded.highest_key)),
        *(int(ledger.acknowledged["key"].max(initial=0)) for ledger in ledgers),
    ])  # fmt: skip
    is_known = before.is_pristine and later is None
    compared: list[tuple[_Numbers, Comparison, Records]] = []
    for after in range(0, highest, _KEYS_AT_ONCE):
        if cancelled():
            raise Cancelled
        to = min(after + _KEYS_AT_ONCE, highest)
        report_progress(Progress(doing="comparing with the ledgers", share=_SHARE_OF_KEYS * after / highest))
        acknowledged = _sorted(np.concatenate([_of_keys(ledger.acknowledged, after, to) for ledger in ledgers]))
        stored = _stored(snapshot, recorded, after, to)
        doubtful = _sorted(_of_keys(in_doubt, after, to))
        for key in np.unique(np.concatenate([acknowledged["key"], stored["key"], doubtful["key"]])):
            records, rows, doubts = (_of_key(each, key) for each in (acknowledged, stored, doubtful))
            numbers = _Numbers.of(records, rows, built=recorded.built, before=before, is_last=later is None)
            comparison = Comparison(unknown_above=numbers.first - 1, unknown_to=numbers.last)
            comparison.add(records, rows)
            compared.append((numbers, comparison, doubts))
    present = sum(comparison.present for _, comparison, _ in compared)
    unclaimed = 0 if is_known else max(0, _added(snapshot, definition, before, later) - present)
    findings = joined([
        comparison.findings(doubts, within=numbers.within(unclaimed)) for numbers, comparison, doubts in compared
    ])  # fmt: skip
    known = (findings.in_doubt_present, findings.unknown, findings.replaced, findings.lost)
    # A server that lost numbers may have given them out again, and counted these once: they excuse as many others.
    others = max(0, unclaimed - sum(map(len, known)))
    findings = replace(findings, others=others).cut_off_at(ends, by_moment=present > 0)
    consistency = tuple(_consistency(snapshot, definition, report_progress))
    return StoreFindings(findings=findings, consistency=consistency, place_of=recorded.place_of)


@dataclass(frozen=True)
class _Numbers:
    """What is known of the numbers that a run had of one key: those from ``first`` to ``last`` are its to explain.

    It had none below the first if ``is_first_known``, and none above the last if ``is_last_known``. Where there is no
    number of the run to go by, the first is above the last. ``stored`` are all numbers of the key, ascending.
    """

    first: int
    last: int
    is_first_known: bool
    is_last_known: bool
    stored: Whole

    @classmethod
    def of(
        cls, acknowledged: Records, stored: Records, *, built: int, before: StoreBefore, is_last: bool
    ) -> "_Numbers":
        numbers = stored["number"].astype(np.int64)
        newest = int(numbers.max(initial=built))
        first = built + 1 if before.is_pristine else int(acknowledged["number"].min(initial=newest + 1))
        last = newest if is_last else int(acknowledged["number"].max(initial=built))
        return cls(first, last, before.is_pristine, is_last, numbers)

    def within(self, unclaimed: int) -> tuple[int, int]:
        """The lowest and the highest number that the run can have had, if no client claimed so many."""
        lowest, highest = self.first, self.last
        if self.first > self.last and not (self.is_first_known or self.is_last_known):
            return 0, int(self.stored.max(initial=0))
        if not self.is_first_known and unclaimed:
            lowest = int(self.stored[self.stored < self.first][-unclaimed:].min(initial=self.first))
        if not self.is_last_known and unclaimed:
            highest = int(self.stored[self.stored > self.last][:unclaimed].max(initial=self.last))
        return lowest, highest


def _added(snapshot: Snapshot, definition: StoreDefinition, before: StoreBefore, later: int | None) -> int:
    """How much that the ledger records was added to the store from the begin of the run to that of a later one."""
    above = [
        int(snapshot.value(definition.added_above.replace("?", str(high_water))))
        for high_water in (before.high_water, later)
        if high_water is not None
    ]
    return above[0] - sum(above[1:])


def _stored(snapshot: Snapshot, recorded: Recorded, after: int, to: int) -> Records:
    """What the store holds of a range of keys, by key and number."""
    columns = ("key_", "number_", "check_")
    found = [numbers for _, numbers in snapshot.numbers(recorded.query, columns, after, to)]
    stored = np.empty(sum(len(numbers[0]) for numbers in found), STORED_TYPE)
    for place, name in enumerate(("key", "number", "check")):
        stored[name] = np.concatenate([np.empty(0, np.int64), *(numbers[place] for numbers in found)])
    return _sorted(stored)


def _of_keys(records: Records, after: int, to: int) -> Records:
    keys = records["key"]
    return np.array(records[(keys > after) & (keys <= to)])


def _of_key(by_key: Records, key: int) -> Records:
    first, end = np.searchsorted(by_key["key"], [key, key + 1])
    return by_key[first:end]


def _sorted(records: Records) -> Records:
    return records[np.lexsort([records[name] for name in reversed(_BY_KEY)])]


def joined(parts: Sequence[Findings]) -> Findings:
    """The findings of several keys together."""

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
