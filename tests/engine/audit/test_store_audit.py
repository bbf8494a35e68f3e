"""The audit of one store, with a server that is a value."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import pytest

from engine.audit.ledger import End
from engine.audit.ledger_reading import LedgerContent, Records
from engine.audit.report import Consistency
from engine.audit.store_audit import NotPossible, StoreBefore, compare_by_number, counts_of, examples_of
from engine.databases.progress import Progress
from engine.errors import Cancelled
from tests.engine.audit.ledgers import orders, records

BEFORE = StoreBefore(as_built_at="then", high_water=100, is_pristine=True)


@dataclass
class DoubleAuditor:
    """Fulfils ``engine.databases.snapshot.Auditor``."""

    held: Records
    built: tuple[str, int] | None = ("then", 0)
    most_numbers: int = 10
    asked: list[tuple[int, int]] = field(default_factory=list)

    def identity(self) -> tuple[str, int] | None:
        return self.built and (self.built[0], max(self.built[1], int(self.held["number"].max(initial=0))))

    def stored(self, after: int, to: int) -> Records:
        self.asked.append((after, to))
        return self.held[(self.held["number"] > after) & (self.held["number"] <= to)]

    def violations(self, after: int, to: int) -> Mapping[str, int]:
        return {f"numbers checked from {after} to {to}": 0}


def ledger(acknowledged: Records, in_doubt: Records | None = None) -> LedgerContent:
    return LedgerContent(1, acknowledged, records() if in_doubt is None else in_doubt, End.COMPLETE)


def many(*ids: int) -> tuple[Records, Records]:
    """Orders as acknowledged and as stored, in the ids' order and by id."""
    acknowledged = records(*((number, order, order % 7 + 1, order % 900 + 1) for number, order in enumerate(ids)))
    return acknowledged, orders(*((order, order % 7 + 1, order % 900 + 1) for order in sorted(ids)))


def compare(
    auditor: DoubleAuditor, *ledgers: LedgerContent, unknown_to: int | None = None, before: StoreBefore = BEFORE
):
    told: list[Progress] = []
    found = compare_by_number(
        auditor,
        auditor.identity(),
        before,
        ledgers,
        unknown_to=unknown_to,
        report_progress=told.append,
        cancelled=lambda: False,
    )
    assert [step.share for step in told] == sorted(step.share for step in told)
    return found


def test_ledgers_of_several_clients_are_compared_together_range_by_range() -> None:
    ids = list(np.random.default_rng(1).permutation(np.arange(101, 156)))
    acknowledged, stored = many(*map(int, ids))
    auditor = DoubleAuditor(stored)
    found = compare(auditor, ledger(acknowledged[::2]), ledger(acknowledged[1::2]))

    assert auditor.asked == [(100, 110), (110, 120), (120, 130), (130, 140), (140, 150), (150, 155)]
    assert counts_of(found.findings).present == 55
    assert found.consistency == (Consistency(what="numbers checked from 100 to 155", wrong=0),)
    assert examples_of(found.findings) == {}


def test_ledger_ids_may_exceed_the_servers_range() -> None:
    acknowledged, stored = many(98, 99, 101, 130)
    found = compare(DoubleAuditor(stored[:2]), ledger(acknowledged))
    assert counts_of(found.findings).present == 2
    assert sorted(found.findings.lost["number"].tolist()) == [101, 130]


def test_examples_are_the_first_by_time() -> None:
    acknowledged, _ = many(*range(1_108, 100, -1))
    found = compare(DoubleAuditor(orders()), ledger(acknowledged, records((5_500, 0, 3, 250))))
    examples = examples_of(found.findings)
    assert [example.order for example in examples["lost"]] == list(range(1_108, 908, -1))
    assert [example.at_seconds for example in examples["lost"][:3]] == [0.0, 0.001, 0.002]
    (doubtful,) = examples["in_doubt_absent"]
    assert (doubtful.order, doubtful.customer, doubtful.net_cents, doubtful.at_seconds) == (None, 3, 250, 5.5)


def test_unknown_order_has_no_time() -> None:
    _, stored = many(101)
    (example,) = examples_of(compare(DoubleAuditor(stored), ledger(records())).findings)["unknown"]
    assert (example.order, example.at_seconds) == (101, None)


def test_orders_of_later_runs_are_not_queried() -> None:
    acknowledged, stored = many(*range(101, 104))
    _, all_stored = many(*range(101, 150))
    auditor = DoubleAuditor(all_stored)
    found = compare(auditor, ledger(acknowledged), unknown_to=103)
    assert auditor.asked == [(100, 103)]
    assert counts_of(found.findings).unknown == 0
    assert counts_of(found.findings).present == len(stored)


@pytest.mark.parametrize(
    ("built", "reason"), [(None, "no longer holds a complete store"), (("now", 0), "was reset or rebuilt")]
)
def test_replaced_store_can_not_be_audited(built: tuple[str, int] | None, reason: str) -> None:
    with pytest.raises(NotPossible, match=reason):
        compare(DoubleAuditor(orders(), built=built), ledger(records()))


def test_cancelled_comparison_sends_no_further_query() -> None:
    acknowledged, stored = many(*range(101, 150))
    auditor = DoubleAuditor(stored)
    with pytest.raises(Cancelled):
        compare_by_number(
            auditor,
            auditor.identity(),
            BEFORE,
            [ledger(acknowledged)],
            unknown_to=None,
            report_progress=lambda _: None,
            cancelled=lambda: len(auditor.asked) == 2,
        )
    assert len(auditor.asked) == 2
