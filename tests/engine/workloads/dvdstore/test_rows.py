import tracemalloc
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import Cancelled
from engine.workload.rows.columns import Column, Kind
from engine.workloads.dvdstore.rows import StoreRows
from engine.workloads.dvdstore.schema import TABLES
from engine.workloads.dvdstore.sizing import DbSize
from tests.engine.workloads.blocks import digest_of, row_counts
from tests.engine.workloads.dvdstore.stores import SEEDS, sizes

LARGEST = DbSize(1_000, "GB")
WITHOUT_SALES = [table for table in TABLES if table not in ("inventory", "reorder")]
LOADED = [table for table in TABLES if table != "reorder"]


@pytest.fixture(scope="module")
def store() -> StoreRows:
    return StoreRows(DbSize(100, "MB"), 1)


GOLDEN = {
    "categories": ("56ac1b7dc627811a", "56ac1b7dc627811a"),
    "products": ("47fed822f71256d1", "72b9b54a276eed80"),
    "inventory": ("c707b384d6bebbcf", "d665070ba3da2cf1"),
    "customers": ("b4cd5be11f1d6dfa", "aa170e718ca8449a"),
    "orders": ("b6d82c3512c707cc", "c2fab8852e4b87a8"),
    "orderlines": ("a7e7e72cd4217b1a", "c109bcb1d02e4270"),
    "cust_hist": ("e2fb7f2fbd76a649", "e34d35c973e39daa"),
}


@pytest.mark.parametrize("table", LOADED)
def test_rows_have_their_golden_hash(store: StoreRows, table: str) -> None:
    last = store.block_count(table) - 1
    assert (digest_of(store.block(table, 0)), digest_of(store.block(table, last))) == GOLDEN[table]


@pytest.mark.parametrize("table", LOADED)
def test_blocks_are_the_same_in_any_order_and_from_any_generator(store: StoreRows, table: str) -> None:
    in_order = [digest_of(block) for block in store.blocks(table)]
    other = StoreRows(DbSize(100, "MB"), 1)
    backwards = [digest_of(other.block(table, number)) for number in reversed(range(other.block_count(table)))]
    assert in_order == backwards[::-1]
    assert len(set(in_order)) == len(in_order)


@pytest.mark.parametrize("table", [table for table in LOADED if table != "categories"])
def test_another_seed_gives_other_rows(store: StoreRows, table: str) -> None:
    assert digest_of(store.block(table, 0)) != digest_of(StoreRows(store.size, 2).block(table, 0))


@pytest.mark.parametrize("table", LOADED)
def test_blocks_join_without_a_gap(store: StoreRows, table: str) -> None:
    key = TABLES[table][0].name if table != "cust_hist" else "orderid"
    keys = np.concatenate([block.columns[key] for block in store.blocks(table)])
    assert np.array_equal(np.unique(keys), np.arange(1, keys[-1] + 1))
    assert not (np.diff(keys) < 0).any()


@pytest.mark.parametrize("size", [DbSize(7, "MB"), DbSize(1, "GB"), DbSize(40, "GB"), LARGEST])
def test_row_counts_are_the_sizes(size: DbSize) -> None:
    rows = StoreRows(size, 1)
    expected = {"categories": 16, "products": size.products, "customers": size.customers, "orders": size.orders}
    for table, count in expected.items():
        last = rows.block(table, rows.block_count(table) - 1)
        assert last.first + last.rows == count
    assert rows.block_count("reorder") == 0


def test_there_are_as_many_rows_of_history_as_lines() -> None:
    counts = row_counts(StoreRows(DbSize(20, "MB"), 4), ("orderlines", "cust_hist"))
    assert counts["orderlines"] == counts["cust_hist"] > 0


def test_sales_tie_out_against_the_lines() -> None:
    rows = StoreRows(DbSize(1, "MB"), 8)
    sold: Counter[int] = Counter()
    for block in rows.blocks("orderlines"):
        for product, quantity in zip(
            block.columns["prod_id"].tolist(), block.columns["quantity"].tolist(), strict=True
        ):
            sold[product] += quantity
    stocked = {
        product: sales
        for block in rows.blocks("inventory")
        for product, sales in zip(block.columns["prod_id"].tolist(), block.columns["sales"].tolist(), strict=True)
    }
    assert stocked == {product: sold[product] for product in range(1, 1_001)}


def matches(column: Column, values: np.ndarray) -> bool:
    """Whether a block holds this column as the schema says."""
    match column.kind:
        case Kind.TEXT:
            return values.dtype.kind == "S" and values.dtype.itemsize <= column.width
        case Kind.DATE:
            return values.dtype == np.dtype("datetime64[D]")
        case Kind.MONEY:
            return values.dtype == np.int64
        case Kind.INTEGER:
            most = 2 ** (8 * column.width - 1) - 1
            return values.dtype in (np.int32, np.int64) and 0 <= values.min() <= values.max() <= most


@settings(max_examples=40)
@given(sizes(), SEEDS, st.sampled_from(WITHOUT_SALES), st.data())
def test_blocks_match_the_schema(size: DbSize, seed: int, table: str, data: st.DataObject) -> None:
    rows = StoreRows(size, seed)
    block = rows.block(table, data.draw(st.integers(0, rows.block_count(table) - 1)))
    assert list(block.columns) == [column.name for column in TABLES[table]]
    assert {len(values) for values in block.columns.values()} == {block.rows}
    assert [column.name for column in TABLES[table] if not matches(column, block.columns[column.name])] == []


def test_inventory_fits_the_schema(store: StoreRows) -> None:
    block = store.block("inventory", 1)
    assert list(block.columns) == [column.name for column in TABLES["inventory"]]
    assert all(matches(column, block.columns[column.name]) for column in TABLES["inventory"])


@pytest.mark.parametrize(
    ("table", "key", "last"),
    [
        ("customers", "customerid", 2_000_000_000),
        ("orders", "orderid", 1_200_000_000),
        ("orderlines", "orderid", 1_200_000_000),
        ("cust_hist", "orderid", 1_200_000_000),
        ("products", "prod_id", 10_000_000),
    ],
)
def test_the_far_end_of_the_largest_store_is_reached(table: str, key: str, last: int) -> None:
    rows = StoreRows(LARGEST, 2**63 - 1)
    block = rows.block(table, rows.block_count(table) - 1)
    assert block.columns[key][-1] == last
    if table == "customers":
        assert block.columns["username"][-1] == b"user2000000000"
    if table in ("orders", "orderlines"):
        assert str(block.columns["orderdate"][-1]).startswith("2025-12-")
    if table in ("orders", "cust_hist"):
        assert block.columns["customerid"].max() > 2**30


@pytest.mark.parametrize("table", LOADED)
def test_a_block_takes_little_memory(store: StoreRows, table: str) -> None:
    rows = store if table == "inventory" else StoreRows(LARGEST, 1)
    rows.block(table, 0)
    tracemalloc.start()
    try:
        rows.block(table, rows.block_count(table) // 2)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 16_000_000


def test_cancelled_count_can_be_repeated() -> None:
    rows = StoreRows(DbSize(50, "MB"), 1)
    answers = iter([False, True])
    with pytest.raises(Cancelled):
        rows.inventory_sales(cancelled=lambda: next(answers))
    sales = rows.inventory_sales()
    assert sales.sum() == sum(block.columns["quantity"].sum() for block in rows.blocks("orderlines"))
    assert rows.inventory_sales(cancelled=lambda: True) is sales
    with pytest.raises(ValueError, match="read-only"):
        sales[0] = 0


def test_unknown_tables_and_blocks_are_refused(store: StoreRows) -> None:
    with pytest.raises(KeyError):
        store.block_count("reviews")
    with pytest.raises(IndexError, match="no block -1"):
        store.block("orders", -1)
    with pytest.raises(IndexError, match="reorder has 0 blocks"):
        store.block("reorder", 0)
