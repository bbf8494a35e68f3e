from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.workloads.wholesale.names import LAST_NAMES, last_name
from engine.workloads.wholesale.rows import WholesaleRows
from engine.workloads.wholesale.schema import TABLES
from engine.workloads.wholesale.sizing import FIRST_UNDELIVERED, ITEMS, Warehouses
from tests.engine.workloads.blocks import check_columns, digest_of, whole

ROWS = WholesaleRows(Warehouses(2), 7)
DIGESTS = {
    "item": "f611852765ab99c7",
    "warehouse": "50e785c0e5b33745",
    "district": "945b98ebfc4ff321",
    "stock": "da9d568a6d5448a1",
    "customer": "8a68a470fa2d0380",
    "history": "8db30969784887bf",
    "orders": "d0fc8feecf0e36c3",
    "new_order": "d8582931612434d6",
    "order_line": "4bf2bae6cb02d5b0",
}
"""Of the last block of each table."""


def _whole(table: str) -> dict[str, np.ndarray]:
    return whole(ROWS.blocks(table), TABLES[table])


@pytest.mark.parametrize("table", TABLES)
def test_blocks_hold_each_column_of_their_table_in_its_kind_and_width(table: str) -> None:
    check_columns(ROWS.block(table, 0), TABLES[table])


@pytest.mark.parametrize("table", TABLES)
def test_the_blocks_of_a_table_hold_the_rows_that_are_announced(table: str) -> None:
    announced = ROWS.scale.rows()[table]
    if table == "order_line":
        announced = pytest.approx(announced, rel=0.01)
    assert sum(block.rows for block in ROWS.blocks(table)) == announced
    with pytest.raises(IndexError):
        ROWS.block(table, ROWS.block_count(table))


@given(st.sampled_from(sorted(TABLES)), st.integers(0, 2**32))
@settings(max_examples=25, deadline=None)
def test_a_block_depends_on_scale_and_seed_only_through_its_own_number(table: str, seed: int) -> None:
    small, large = WholesaleRows(Warehouses(1), seed), WholesaleRows(Warehouses(3), seed)
    one, other = small.block(table, 0), large.block(table, 0)
    rows = min(one.rows, other.rows)
    for name, values in one.columns.items():
        np.testing.assert_array_equal(values[:rows], other.columns[name][:rows])


def test_rows_of_a_seed_are_the_same_for_ever() -> None:
    """Stores that were built by an earlier version are verified and driven as those of this one."""
    assert {table: digest_of(ROWS.block(table, ROWS.block_count(table) - 1)) for table in TABLES} == DIGESTS


def test_every_customer_of_a_district_has_placed_one_order() -> None:
    orders = _whole("orders")
    for district in (1, 10):
        placed = orders["o_c_id"][(orders["o_w_id"] == 2) & (orders["o_d_id"] == district)]
        assert Counter(placed.tolist()) == Counter(range(1, 3_001))


def test_lines_belong_to_their_orders_and_only_delivered_ones_have_a_moment_and_no_amount() -> None:
    orders, lines = _whole("orders"), _whole("order_line")
    assert len(lines["ol_o_id"]) == orders["o_ol_cnt"].sum()
    np.testing.assert_array_equal(lines["ol_o_id"], np.repeat(orders["o_id"], orders["o_ol_cnt"]))
    assert lines["ol_number"].min() == 1
    is_delivered = lines["ol_o_id"] < FIRST_UNDELIVERED
    np.testing.assert_array_equal(np.isnat(lines["ol_delivery_d"]), ~is_delivered)
    np.testing.assert_array_equal(lines["ol_amount"] == 0, is_delivered)
    np.testing.assert_array_equal(orders["o_carrier_id"] == 0, orders["o_id"] >= FIRST_UNDELIVERED)
    assert 1 <= lines["ol_i_id"].min() <= lines["ol_i_id"].max() <= ITEMS


def test_new_orders_are_the_undelivered_orders() -> None:
    orders, new = _whole("orders"), _whole("new_order")
    undelivered = orders["o_carrier_id"] == 0
    for name, other in (("o_w_id", "no_w_id"), ("o_d_id", "no_d_id"), ("o_id", "no_o_id")):
        np.testing.assert_array_equal(orders[name][undelivered], new[other])


def test_year_to_date_amounts_are_the_sums_of_the_history() -> None:
    warehouse, district, history = _whole("warehouse"), _whole("district"), _whole("history")
    assert warehouse["w_ytd"].tolist() == [history["h_amount"][history["h_w_id"] == each].sum() for each in (1, 2)]
    assert district["d_ytd"].sum() == history["h_amount"].sum()


def test_one_item_in_ten_is_original_and_one_customer_in_ten_has_bad_credit() -> None:
    items, customers = _whole("item"), _whole("customer")
    assert np.mean(np.char.find(items["i_data"], b"ORIGINAL") >= 0) == pytest.approx(0.1, abs=0.005)
    assert np.mean(customers["c_credit"] == b"BC") == pytest.approx(0.1, abs=0.005)


def test_each_last_name_is_that_of_a_customer_in_every_district() -> None:
    customers = ROWS.block("customer", 0).columns
    assert customers["c_last"][:LAST_NAMES].tolist() == [last_name(number).encode() for number in range(LAST_NAMES)]
