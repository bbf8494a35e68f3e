import numpy as np
import pytest

from engine.workload.rows.columns import Kind
from engine.workload.rows.estimate import TableEstimate
from engine.workloads.dvdstore.estimate import estimate
from engine.workloads.dvdstore.rows import StoreRows
from engine.workloads.dvdstore.schema import TABLES
from engine.workloads.dvdstore.sizing import DbSize
from tests.engine.workloads.blocks import row_counts


def by_table(size: DbSize) -> dict[str, TableEstimate]:
    return {table.table: table for table in estimate(size).tables}


def test_rows_are_exact_but_for_lines_and_history_which_are_expected() -> None:
    size = DbSize(50, "MB")
    tables = by_table(size)
    generated = row_counts(StoreRows(size, 1), tables)
    for name, table in tables.items():
        if name in ("orderlines", "cust_hist"):
            assert not table.rows_exact
            assert table.rows == pytest.approx(generated[name], rel=0.01)
        else:
            assert table.rows_exact
            assert table.rows == generated[name]


def test_largest_store_is_estimated_without_delay() -> None:
    tables = by_table(DbSize(1_000, "GB"))
    assert tables["customers"].rows == 2_000_000_000
    assert tables["orderlines"].rows == 6_000_000_000
    assert tables["reorder"] == TableEstimate(table="reorder", rows=0, rows_exact=True, data_bytes=0, index_bytes=0)


def test_estimate_sums_its_tables() -> None:
    store = estimate(DbSize(100, "GB"))
    assert [table.table for table in store.tables] == list(TABLES)
    assert store.data_bytes == sum(table.data_bytes for table in store.tables)
    assert store.total_bytes - store.data_bytes == sum(table.index_bytes for table in store.tables)


def test_a_100mb_store_is_near_what_postgresql_takes() -> None:
    """Measured: 120.0 MB of tables and 50.7 MB of B-tree indexes on PostgreSQL 18, keys that repeat kept once."""
    store = estimate(DbSize(100, "MB"))
    assert store.data_bytes == pytest.approx(120.0e6, rel=0.1)
    assert store.total_bytes == pytest.approx(170.7e6, rel=0.1)


@pytest.mark.parametrize("table", ["categories", "products", "customers"])
def test_average_widths_are_those_of_generated_rows(table: str) -> None:
    rows = StoreRows(DbSize(100, "GB"), 1)
    blocks = [rows.block(table, rows.block_count(table) * quarter // 4) for quarter in (1, 3)]
    for column in TABLES[table]:
        if column.kind is Kind.TEXT:
            lengths = [np.strings.str_len(block.columns[column.name]).mean() for block in blocks]
            assert column.mean_width == pytest.approx(np.mean(lengths), rel=0.05, abs=0.1), column.name
