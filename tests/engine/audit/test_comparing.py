"""The classes of orders, beside a comparison that goes through them one by one."""

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from engine.audit.comparing import LONGEST_CALL_MS, Comparison, EarlyEnd, Findings, cut_off_at, matched
from engine.audit.ledger_reading import Records
from tests.engine.audit.ledgers import Record, orders, records

# Few customers and amounts, so that they meet.
CONTENT = st.tuples(st.integers(1, 3), st.integers(1, 2))
SERVER = st.dictionaries(st.integers(11, 40), CONTENT, max_size=20)
LEDGER = st.lists(st.tuples(st.integers(0, 5_000), st.integers(11, 40), CONTENT), max_size=25)
DOUBTS = st.lists(st.tuples(st.integers(0, 5_000), CONTENT), max_size=6)


def compared(acknowledged: Records, stored: Records, in_doubt: Records, *, above: int = 10, to: int = 100) -> Findings:
    comparison = Comparison(unknown_above=above, unknown_to=to)
    comparison.add(acknowledged, stored)
    return comparison.findings(in_doubt)


@given(server=SERVER, ledger=LEDGER, doubts=DOUBTS, cut=st.integers(10, 41))
def test_order_classes_equal_a_plain_comparison(
    server: dict[int, tuple[int, int]],
    ledger: list[tuple[int, int, tuple[int, int]]],
    doubts: list[tuple[int, tuple[int, int]]],
    cut: int,
) -> None:
    acknowledged = records(*((moment, order, *content) for moment, order, content in ledger))
    stored = orders(*((order, *content) for order, content in sorted(server.items())))
    in_doubt = records(*((moment, 0, *content) for moment, content in doubts))

    comparison = Comparison(unknown_above=10, unknown_to=100)
    for mine, theirs in (
        (acknowledged["number"] <= cut, stored["number"] <= cut),
        (acknowledged["number"] > cut, stored["number"] > cut),
    ):
        comparison.add(acknowledged[mine], stored[theirs])
    found = comparison.findings(in_doubt)

    claimed = {order for _, order, content in ledger if server.get(order) == content}
    assert found.present == len(claimed)
    assert sorted(found.lost["number"].tolist()) == sorted(order for _, order, _ in ledger if order not in server)
    assert found.present + len(found.lost) + len(found.replaced) == len(ledger)
    replaced = set(found.replaced["number"].tolist())
    unclaimed = {order: content for order, content in server.items() if order not in claimed}
    looked_for, there = Counter(content for _, content in doubts), Counter(unclaimed.values())
    assert len(found.in_doubt_present) == sum((looked_for & there).values())
    assert len(found.in_doubt_present) + len(found.in_doubt_absent) == len(doubts)
    explained = set(found.in_doubt_present["number"].tolist())
    assert len(explained) == len(found.in_doubt_present)
    assert set(found.unknown["number"].tolist()) == set(unclaimed) - explained - replaced


def test_reused_id_is_replaced_and_the_new_order_present() -> None:
    found = compared(
        records((100, 21, 1, 500), (900, 21, 2, 700), (50, 20, 3, 300)),
        orders((20, 3, 300), (21, 2, 700)),
        records(),
    )
    assert found.present == 2
    assert found.replaced.tolist() == [(100, 21, 1, 500)]
    assert len(found.unknown) == len(found.lost) == 0


def test_purchase_in_doubt_may_have_the_id_of_a_lost_order() -> None:
    found = compared(records((100, 21, 1, 500)), orders((21, 2, 700)), records((900, 0, 2, 700)))
    assert found.replaced["number"].tolist() == [21]
    assert found.in_doubt_present["number"].tolist() == [21]
    assert len(found.unknown) == 0


def test_order_claimed_by_two_ledgers_counts_once() -> None:
    found = compared(records((1, 21, 1, 500), (2, 21, 1, 500)), orders((21, 1, 500)), records())
    assert (found.present, len(found.replaced), len(found.lost)) == (1, 1, 0)


def test_orders_of_other_runs_are_ignored() -> None:
    stored = orders((9, 1, 1), (12, 1, 1), (31, 1, 1))
    found = compared(records(), stored, records(), above=10, to=30)
    assert found.unknown["number"].tolist() == [12]


def test_purchase_in_doubt_matches_the_nearest_order() -> None:
    acknowledged = records(*((1_000 * number, 20 + number, 9, 9) for number in (0, 1, 2, 4, 5, 6)))
    stored = orders(
        *((order, 9, 9) for order in (20, 21, 22)),
        (23, 1, 500),
        *((order, 9, 9) for order in (24, 25, 26)),
        (27, 1, 500),
    )
    found = compared(acknowledged, stored, records((3_100, 0, 1, 500)))
    assert found.in_doubt_present["number"].tolist() == [23]
    assert found.unknown["number"].tolist() == [27]


def test_purchase_in_doubt_does_not_match_a_much_earlier_order() -> None:
    later = LONGEST_CALL_MS + 2_000
    acknowledged = records((0, 20, 9, 9), (1_000, 22, 9, 9), (later, 23, 9, 9))
    stored = orders((20, 9, 9), (21, 1, 500), (22, 9, 9), (23, 9, 9))
    found = compared(acknowledged, stored, records((later, 0, 1, 500)))
    assert len(found.in_doubt_absent) == 1
    assert found.unknown["number"].tolist() == [21]


TIMED = st.lists(st.tuples(st.integers(0, 3 * LONGEST_CALL_MS), CONTENT), max_size=8)


def _most_pairs(purchases: list[Record], candidates: list[Record]) -> int:
    """The size of the largest matching, by augmenting paths."""
    taken: dict[int, int] = {}

    def placed(purchase: int, seen: set[int]) -> bool:
        moment, _, *content = purchases[purchase]
        for number, (at, _, *other) in enumerate(candidates):
            if number in seen or other != content or at < moment - LONGEST_CALL_MS:
                continue
            seen.add(number)
            if number not in taken or placed(taken[number], seen):
                taken[number] = purchase
                return True
        return False

    return sum(placed(purchase, set()) for purchase in range(len(purchases)))


@given(doubts=TIMED, server=TIMED)
def test_purchases_in_doubt_are_paired_with_as_many_orders_as_possible(
    doubts: list[tuple[int, tuple[int, int]]], server: list[tuple[int, tuple[int, int]]]
) -> None:
    purchases = [(moment, 0, *content) for moment, content in doubts]
    candidates = [(moment, number + 1, *content) for number, (moment, content) in enumerate(server)]
    mine, theirs = matched(records(*purchases), records(*candidates), by_moment=True)

    assert len(np.unique(mine)) == len(np.unique(theirs)) == len(mine) == _most_pairs(purchases, candidates)
    for purchase, candidate in zip(mine.tolist(), theirs.tolist(), strict=True):
        assert purchases[purchase][2:] == candidates[candidate][2:]
        assert candidates[candidate][0] >= purchases[purchase][0] - LONGEST_CALL_MS


def test_a_purchase_in_doubt_that_is_found_has_the_moment_of_the_purchase() -> None:
    acknowledged = records((1_000, 11, 1, 100), (2_000, 13, 1, 100))
    found = compared(acknowledged, orders((11, 1, 100), (12, 2, 250), (13, 1, 100)), records((7_777, 0, 2, 250)))
    assert found.in_doubt_present.tolist() == [(7_777, 12, 2, 250)]


def test_cut_off_orders_are_limited_by_the_users_of_a_truncated_ledger() -> None:
    unclaimed = records(*((moment, order, 1, 1) for order, moment in enumerate([500, 9_000, 9_400, 9_600, 90_000], 11)))
    ends = [EarlyEnd(cause="the end of client 1", moment_ms=9_500, most=2)]
    assert cut_off_at(ends, unclaimed, by_moment=True).tolist() == [-1, -1, 0, 0, -1]
    wider = [EarlyEnd(cause="the end of client 1", moment_ms=9_500, most=9)]
    assert cut_off_at(wider, unclaimed, by_moment=True).tolist() == [0, 0, 0, 0, -1]
    assert cut_off_at(wider, unclaimed, by_moment=False).tolist() == [0] * 5
    both = [*ends, EarlyEnd(cause="the end of client 2", moment_ms=9_500, most=1)]
    assert cut_off_at(both, unclaimed, by_moment=True).tolist() == [-1, 1, 0, 0, -1]


def test_cut_off_orders_are_counted_by_cause() -> None:
    comparison = Comparison(unknown_above=10, unknown_to=100)
    comparison.add(records((1_000, 11, 1, 100)), orders((11, 1, 100), (12, 2, 250), (13, 3, 300)))
    ends = [EarlyEnd(cause="Stop now", moment_ms=1_000, most=1), EarlyEnd(cause="another", moment_ms=1_000, most=0)]
    found = comparison.findings(records(), ends)
    assert found.cut_off["number"].tolist() == [12]
    assert found.unknown["number"].tolist() == [13]
    assert found.cut_off_by == {"Stop now": 1, "another": 0}
