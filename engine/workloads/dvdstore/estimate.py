"""Rows and bytes of a store of a given size, at once and without making a row: for ``spindle build --dry-run``.

The basis is a row store such as PostgreSQL's: a table takes its values, a length byte for each text, and 36 bytes a
row (header, line pointer, padding); a B-tree index takes 12 bytes an entry (header, line pointer) and its keys, padded
to a multiple of 8, filled to 90 %. The sum is right to
within 10 % for the PostgreSQL 18 tables of 30MB and 100MB stores, on the high side: PostgreSQL keeps a key that
repeats, such as those of the history, in half the space. Full-text indexes, which only the small products table has,
logs and temporary space are not counted.
"""

import math
from dataclasses import dataclass

from engine.workload.rows.columns import Column, Kind
from engine.workloads.dvdstore.schema import TABLES
from engine.workloads.dvdstore.sizing import CATEGORIES, MEAN_LINES_PER_ORDER, DbSize

_ROW_OVERHEAD_BYTES = 36
_INDEX_ENTRY_OVERHEAD_BYTES = 12
_INDEX_KEY_MULTIPLE = 8
_INDEX_FILL = 0.9
_INDEX_KEYS: dict[str, tuple[tuple[str, ...], ...]] = {
    "categories": (("category",),),
    "products": (("prod_id",), ("category",), ("special",), ("category", "special")),
    "inventory": (("prod_id",),),
    "customers": (("customerid",), ("username",), ("username", "password")),
    "orders": (("orderid",), ("customerid",)),
    "orderlines": (("orderid", "orderlineid"),),
    "cust_hist": (("customerid",),),
    "reorder": (),
}


@dataclass(frozen=True, kw_only=True)
class TableEstimate:
    """A table's initial rows, the bytes of its data and of its indexes.

    ``rows_exact`` is false where the number of rows is the expected one (5 lines an order).
    """

    table: str
    rows: int
    rows_exact: bool
    data_bytes: int
    index_bytes: int


@dataclass(frozen=True)
class StoreEstimate:
    """The estimates of a store's tables, in the order in which they are loaded."""

    size: DbSize
    tables: tuple[TableEstimate, ...]

    @property
    def data_bytes(self) -> int:
        return sum(table.data_bytes for table in self.tables)

    @property
    def index_bytes(self) -> int:
        return sum(table.index_bytes for table in self.tables)

    @property
    def total_bytes(self) -> int:
        """Data and indexes: what the store needs on a disk, without room to grow."""
        return self.data_bytes + self.index_bytes


def estimate(size: DbSize) -> StoreEstimate:
    """What a store of this size holds before its first run."""
    return StoreEstimate(size, tuple(_estimate(table, size) for table in TABLES))


def _estimate(table: str, size: DbSize) -> TableEstimate:
    rows = _expected_rows(size)[table]
    return TableEstimate(
        table=table,
        rows=rows,
        rows_exact=table not in ("orderlines", "cust_hist"),
        data_bytes=round(rows * (_ROW_OVERHEAD_BYTES + sum(map(_stored_bytes, TABLES[table])))),
        index_bytes=round(rows * sum(_entry_bytes(table, keys) for keys in _INDEX_KEYS[table])),
    )


def _expected_rows(size: DbSize) -> dict[str, int]:
    lines = MEAN_LINES_PER_ORDER * size.orders
    return {
        "categories": CATEGORIES,
        "products": size.products,
        "inventory": size.products,
        "customers": size.customers,
        "orders": size.orders,
        "orderlines": lines,
        "cust_hist": lines,
        "reorder": 0,
    }


def _entry_bytes(table: str, keys: tuple[str, ...]) -> float:
    key_bytes = sum(_stored_bytes(column) for column in TABLES[table] if column.name in keys)
    padded = math.ceil(key_bytes / _INDEX_KEY_MULTIPLE) * _INDEX_KEY_MULTIPLE
    return (_INDEX_ENTRY_OVERHEAD_BYTES + padded) / _INDEX_FILL


def _stored_bytes(column: Column) -> float:
    if column.kind is Kind.TEXT:
        return column.mean_width + 1 if column.mean_width else 0
    return column.mean_width
