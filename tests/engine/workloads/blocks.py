"""The generated rows of a workload, as tests look at them."""

import hashlib
from collections.abc import Iterable, Sequence

import numpy as np

from engine.workload.rows.block import Block
from engine.workload.rows.columns import Column, Kind
from engine.workloads.dvdstore.rows import StoreRows
from engine.workloads.wholesale.rows import WholesaleRows

_TYPES = {Kind.TIMESTAMP: np.dtype("datetime64[s]"), Kind.DATE: np.dtype("datetime64[D]")}


def whole(blocks: Iterable[Block], columns: Sequence[Column]) -> dict[str, np.ndarray]:
    """All rows of a table, by column."""
    made = list(blocks)
    return {column.name: np.concatenate([each.columns[column.name] for each in made]) for column in columns}


def row_counts(rows: StoreRows | WholesaleRows, tables: Iterable[str]) -> dict[str, int]:
    """How many rows each of these tables has, counted block by block."""
    return {table: sum(block.rows for block in rows.blocks(table)) for table in tables}


def check_columns(block: Block, columns: Sequence[Column]) -> None:
    """That a block holds each column of its table, in its kind and width."""
    assert list(block.columns) == [column.name for column in columns]
    for column in columns:
        values = block.columns[column.name]
        assert len(values) == block.rows
        if column.kind is Kind.TEXT:
            assert values.dtype.kind == "S"
            assert np.strings.str_len(values).max() <= column.width
        elif column.kind in _TYPES:
            assert values.dtype == _TYPES[column.kind]
        else:
            assert values.dtype.kind == "i"


def digest_of(block: Block) -> str:
    """A hash of all that a block holds, which is the same on every machine."""
    digest = hashlib.sha256(f"{block.table} {block.first} {block.rows}".encode())
    for name, values in block.columns.items():
        digest.update(name.encode() + values.astype(values.dtype.newbyteorder("<")).tobytes())
    return digest.hexdigest()[:16]
