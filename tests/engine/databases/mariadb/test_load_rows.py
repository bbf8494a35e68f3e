"""The encoded rows, read back by LOAD DATA's and INSERT's own rules."""

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.databases.mariadb.load_rows import column_names, inserts_of, lines_of
from engine.workload.rows.block import Block
from engine.workload.rows.columns import Kind
from engine.workloads.dvdstore.rows import StoreRows
from engine.workloads.dvdstore.schema import TABLES
from engine.workloads.dvdstore.sizing import DbSize
from tests.engine.databases.contract.places import block_rows

ROWS = StoreRows(DbSize(1, "MB"), 7)
ROW = re.compile(r"\((.*?)\)(?:,|$)")
VALUE = re.compile(r"'([^']*)'|(NULL)")


def as_text(value: Any, kind: Kind) -> str | None:
    if value is None:
        return None
    if kind is Kind.MONEY:
        return f"{value // 100}.{value % 100:02}"
    return str(value)


def expected(block: Block) -> list[list[str | None]]:
    kinds = [column.kind for column in TABLES[block.table]]
    return [[as_text(value, kind) for value, kind in zip(row, kinds, strict=True)] for row in block_rows(block)]


def read(lines: bytes) -> list[list[str | None]]:
    assert lines.endswith(b"\n")
    return [
        [None if value == r"\N" else value for value in line.split("\t")] for line in lines[:-1].decode().split("\n")
    ]


@pytest.mark.parametrize("table", [table for table in TABLES if table != "reorder"])
def test_every_table_s_rows_read_back_as_they_were(table: str) -> None:
    for block in ROWS.blocks(table):
        assert read(lines_of(block, TABLES[block.table])) == expected(block)


@pytest.mark.parametrize("table", ["categories", "customers", "orders"])
def test_inserts_hold_the_same_rows(table: str) -> None:
    block = ROWS.block(table, 0)
    statements = list(inserts_of(table, TABLES[table], lines_of(block, TABLES[block.table])))
    head = f"INSERT INTO {table} ({column_names(TABLES[table])}) VALUES "
    assert all(statement.startswith(head) for statement in statements)
    found = [
        [text if not null else None for text, null in VALUE.findall(row)]
        for statement in statements
        for row in ROW.findall(statement.removeprefix(head))
    ]
    assert found == expected(block)


def test_inserts_are_far_smaller_than_any_packet_limit() -> None:
    rows = StoreRows(DbSize(20, "MB"), 7)
    statements = list(
        inserts_of("customers", TABLES["customers"], lines_of(rows.block("customers", 0), TABLES["customers"]))
    )
    assert len(statements) > 1
    assert max(map(len, statements)) < 2_000_000


numbers = st.integers(-(2**31), 2**31 - 1)
cents = st.integers(0, 10**11)
days = st.dates().filter(lambda day: day.year >= 1000)


@given(st.lists(st.tuples(numbers, days, numbers, cents, cents, cents), min_size=1, max_size=20))
def test_numbers_amounts_and_dates_of_any_width_read_back(rows: list[tuple[Any, ...]]) -> None:
    names = [column.name for column in TABLES["orders"]]
    types = ["i8", "datetime64[D]", "i8", "i8", "i8", "i8"]
    columns = {
        name: np.array(values, dtype=each)
        for name, each, values in zip(names, types, zip(*rows, strict=True), strict=True)
    }
    block = Block("orders", 0, len(rows), columns)
    assert read(lines_of(block, TABLES[block.table])) == expected(block)
