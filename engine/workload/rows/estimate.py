"""Rows and bytes of a store of a given scale, at once and without making a row: for ``spindle build --dry-run``.

The basis is a row store such as PostgreSQL's: a table takes its values, a length byte for each text, and 36 bytes a
row (header, line pointer, padding); a B-tree index takes 12 bytes an entry (header, line pointer) and its keys, padded
to a multiple of 8, filled to 90 %. The sum is right to within 10 % for the PostgreSQL 18 tables of DVD Stores of 30MB
and 100MB, on the high side: PostgreSQL keeps a key that repeats, such as those of the history, in half the space.
Full-text indexes, logs and temporary space are not counted. Needs no numpy.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from engine.workload.rows.columns import Column, Kind

_ROW_OVERHEAD_BYTES = 36
_INDEX_ENTRY_OVERHEAD_BYTES = 12
_INDEX_KEY_MULTIPLE = 8
_INDEX_FILL = 0.9


@dataclass(frozen=True, kw_only=True)
class TableEstimate:
    """A table's initial rows, the bytes of its data and of its indexes.

    ``rows_exact`` is false where the number of rows is the expected one.
    """

    table: str
    rows: int
    rows_exact: bool
    data_bytes: int
    index_bytes: int


@dataclass(frozen=True)
class StoreEstimate:
    """The estimates of a store's tables, in the order in which they are loaded; ``scale`` is the store's in words."""

    scale: str
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


def estimate_of(
    scale: str,
    tables: Mapping[str, Sequence[Column]],
    rows: Mapping[str, int],
    index_keys: Mapping[str, Sequence[Sequence[str]]],
    *,
    inexact: Collection[str] = (),
) -> StoreEstimate:
    """The estimate of a store from the columns, the rows and the indexes' columns of its tables.

    ``inexact`` are the tables whose rows are the expected ones.
    """
    return StoreEstimate(
        scale,
        tuple(
            TableEstimate(
                table=table,
                rows=rows[table],
                rows_exact=table not in inexact,
                data_bytes=round(rows[table] * (_ROW_OVERHEAD_BYTES + sum(map(_stored_bytes, columns)))),
                index_bytes=round(rows[table] * sum(_entry_bytes(columns, keys) for keys in index_keys[table])),
            )
            for table, columns in tables.items()
        ),
    )


def _entry_bytes(columns: Sequence[Column], keys: Sequence[str]) -> float:
    key_bytes = sum(_stored_bytes(column) for column in columns if column.name in keys)
    padded = math.ceil(key_bytes / _INDEX_KEY_MULTIPLE) * _INDEX_KEY_MULTIPLE
    return (_INDEX_ENTRY_OVERHEAD_BYTES + padded) / _INDEX_FILL


def _stored_bytes(column: Column) -> float:
    if column.kind is Kind.TEXT:
        return column.mean_width + 1 if column.mean_width else 0
    return column.mean_width
