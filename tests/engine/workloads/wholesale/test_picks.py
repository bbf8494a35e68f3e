from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.workloads.wholesale import picks
from engine.workloads.wholesale.names import BUILT_LAST_NAME, CUSTOMER, ITEM, LAST_NAME, NonUniform
from engine.workloads.wholesale.sizing import CUSTOMERS, ITEMS

_SEEDS = st.integers(0, 2**32).map(Random)


@given(_SEEDS, st.sampled_from([CUSTOMER, ITEM, LAST_NAME]), st.integers(1, 100_000))
def test_non_uniform_numbers_are_within_their_limit(random: Random, constants: NonUniform, limit: int) -> None:
    assert 0 <= picks.non_uniform(random, constants, limit) < limit


def test_non_uniform_numbers_prefer_some_values() -> None:
    random = Random(1)
    drawn = Counter(picks.non_uniform(random, CUSTOMER, CUSTOMERS) for _ in range(60_000))
    often = sum(count for _, count in drawn.most_common(CUSTOMERS // 10))
    assert often > 2 * 60_000 / 10  # a tenth of the customers would have a tenth of uniform numbers


def test_the_constant_of_last_names_differs_from_the_builds_as_specified() -> None:
    difference = abs(LAST_NAME.c - BUILT_LAST_NAME.c)
    assert 65 <= difference <= 119
    assert difference not in (96, 112)


@given(_SEEDS, st.integers(1, 20), st.data())
def test_order_lines_are_within_the_specification(random: Random, warehouses: int, data: st.DataObject) -> None:
    home = data.draw(st.integers(1, warehouses))
    lines = picks.order_lines(random, home, warehouses)
    assert 5 <= len(lines) <= 15
    existing = [line for line in lines if line[1] != picks.UNUSED_ITEM]
    assert len(lines) - len(existing) <= 1
    assert existing == sorted(existing)
    assert all(1 <= item <= ITEMS and 1 <= quantity <= 10 for _, item, quantity in existing)
    assert all(1 <= supplier <= warehouses for supplier, _, _ in lines)


def test_one_order_in_a_hundred_is_rolled_back_and_one_line_is_remote() -> None:
    random = Random(2)
    orders = [picks.order_lines(random, 3, 5) for _ in range(20_000)]
    rolled_back = sum(lines[-1][1] == picks.UNUSED_ITEM for lines in orders)
    lines = [line for each in orders for line in each]
    assert rolled_back / len(orders) == pytest.approx(0.01, abs=0.003)
    assert sum(supplier != 3 for supplier, _, _ in lines) / len(lines) == pytest.approx(0.01, abs=0.002)


def test_items_of_orders_are_drawn_as_non_uniform_numbers() -> None:
    assert ITEM.a + 1 == 1 << ITEM.a.bit_length()
    random = Random(5)
    drawn = [item for _ in range(12_000) for _, item, _ in picks.order_lines(random, 1, 1) if item <= ITEMS]
    expected = [1 + picks.non_uniform(random, ITEM, ITEMS) for _ in drawn]
    parts = 20
    ours, theirs = (Counter(each * parts // (ITEMS + 1) for each in items) for items in (drawn, expected))
    for part in range(parts):
        assert ours[part] == pytest.approx(theirs[part], rel=0.08)


@given(_SEEDS, st.integers(2, 50), st.data())
def test_a_remote_warehouse_is_another_one(random: Random, warehouses: int, data: st.DataObject) -> None:
    home = data.draw(st.integers(1, warehouses))
    other = picks.other_warehouse(random, home, warehouses)
    assert other != home
    assert 1 <= other <= warehouses


def test_the_only_warehouse_supplies_everything() -> None:
    assert picks.other_warehouse(Random(3), 1, 1) == 1


@pytest.mark.parametrize("mix", picks.MIXES)
def test_the_shares_of_a_mix_add_up(mix: str) -> None:
    assert sum(picks.MIXES[mix].values()) == pytest.approx(100)
    assert set(picks.MIXES[mix]) == set(picks.PACING)


def test_think_times_as_specified_have_their_mean_and_end_at_ten_times_it() -> None:
    random = Random(4)
    times = [picks.think_seconds(random, "new_order") for _ in range(50_000)]
    assert sum(times) / len(times) == pytest.approx(12, rel=0.03)
    assert 0 <= min(times) <= max(times) <= 120
