from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import psycopg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.databases.postgresql.copy_rows import HEADER, TRAILER, encoded
from engine.workload.rows.block import Block
from engine.workload.rows.columns import Column, Kind
from engine.workloads.dvdstore.rows import StoreRows
from engine.workloads.dvdstore.schema import TABLES
from engine.workloads.dvdstore.sizing import DbSize
from tests.engine.databases.contract.places import block_rows, plain
from tests.engine.databases.postgresql.under_test import PostgreSQLUnderTest

_LARGEST_CENTS = 9_999_999_999_99
_DAYS = st.integers(-40_000, 40_000)
_LETTERS = st.characters(min_codepoint=1, max_codepoint=127)


@pytest.fixture(scope="module")
def connection(dbms: PostgreSQLUnderTest) -> Iterator[psycopg.Connection[Any]]:
    """With a temporary table for each of the store's, where every column may be null."""
    with dbms.connection("postgres") as connection:
        for table, columns in TABLES.items():
            types = ", ".join(f"{column.name} {_type_of(column)}" for column in columns)
            connection.execute(f"CREATE TEMPORARY TABLE {table} ({types})".encode())
        yield connection


def _type_of(column: Column) -> str:
    by_kind = {Kind.MONEY: "numeric(12, 2)", Kind.DATE: "date", Kind.TEXT: "varchar"}
    return by_kind.get(column.kind) or {2: "smallint", 4: "integer"}[column.width]


def _copied(connection: psycopg.Connection[Any], block: Block) -> list[tuple[Any, ...]]:
    """The block's rows as the server has them after a COPY."""
    table = block.table
    with connection.transaction(force_rollback=True):
        with connection.cursor().copy(f"COPY {table} FROM STDIN (FORMAT BINARY)".encode()) as copy:
            copy.write(b"".join([HEADER, *encoded(block, TABLES[table]), TRAILER]))
        rows = connection.execute(f"SELECT * FROM {table} ORDER BY ctid".encode()).fetchall()
    return [tuple(map(plain, row)) for row in rows]


def _values(draw: st.DrawFn, column: Column, rows: int) -> np.ndarray:
    def drawn(values: st.SearchStrategy[Any]) -> list[Any]:
        return draw(st.lists(values, min_size=rows, max_size=rows))

    match column.kind:
        case Kind.TEXT:
            width = draw(st.integers(1, 30))
            return np.array(drawn(st.text(_LETTERS, max_size=width)), dtype=f"S{width}")
        case Kind.DATE:
            return np.array(drawn(_DAYS), dtype="datetime64[D]")
        case Kind.MONEY:
            return np.array(drawn(st.integers(-_LARGEST_CENTS, _LARGEST_CENTS)), dtype=np.int64)
        case _:
            largest = 2 ** (8 * column.width - 1)
            return np.array(drawn(st.integers(-largest, largest - 1)), dtype=draw(st.sampled_from(["i4", "i8"])))


@st.composite
def _blocks(draw: st.DrawFn) -> Block:
    table, rows = draw(st.sampled_from(sorted(TABLES))), draw(st.integers(0, 12))
    return Block(table, 0, rows, {column.name: _values(draw, column, rows) for column in TABLES[table]})


def test_whatever_a_block_holds_is_read_back_the_same(connection: psycopg.Connection[Any]) -> None:
    @given(_blocks())
    @settings(max_examples=150)
    def check(block: Block) -> None:
        # In any order: a vacuum may have made room for rows before those that are there.
        assert sorted(_copied(connection, block), key=repr) == sorted(block_rows(block), key=repr)

    check()


@pytest.mark.parametrize("table", sorted(set(TABLES) - {"reorder"}))
def test_the_generators_blocks_are_read_back_the_same(connection: psycopg.Connection[Any], table: str) -> None:
    rows = StoreRows(DbSize(3, "MB"), 1)
    rows.inventory_sales()
    block = rows.block(table, 0)
    assert block.rows > 0
    assert _copied(connection, block) == block_rows(block)


def test_an_empty_text_is_stored_as_null(connection: psycopg.Connection[Any]) -> None:
    names = np.array(["", "Games", ""], dtype="S11")
    block = Block("categories", 0, 3, {"category": np.arange(3, dtype=np.int32), "categoryname": names})
    assert _copied(connection, block) == [(0, None), (1, "Games"), (2, None)]


@pytest.mark.parametrize(
    ("table", "column", "value"),
    [
        ("products", "category", 2**15),
        ("products", "category", -(2**15) - 1),
        ("products", "prod_id", 2**31),
        ("orders", "orderid", -(2**31) - 1),
        ("orders", "netamount", -_LARGEST_CENTS - 1),
        ("orders", "totalamount", _LARGEST_CENTS + 1),
    ],
)
def test_a_number_that_its_column_cannot_hold_is_refused(table: str, column: str, value: int) -> None:
    block = StoreRows(DbSize(1, "MB"), 1).block(table, 0)
    values = block.columns[column].astype(np.int64)
    values[-1] = value
    with pytest.raises(OverflowError, match=column):
        list(encoded(replace(block, columns={**block.columns, column: values}), TABLES[table]))
