from collections.abc import Iterator
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.databases.database import Timeouts
from engine.databases.definition import Table
from engine.databases.mssql.dialect import SqlServerDialect
from engine.databases.mssql.load_rows import (
    BulkFolder,
    Destination,
    bulk_insert,
    insert_statement,
    load_files,
    rows_of,
    send,
    text_of,
    value_bytes,
)
from engine.databases.odbc.admin import opened
from engine.databases.odbc.connection import OdbcConnection
from engine.errors import Cancelled, TargetError, UserError
from engine.secrets import Secret
from engine.target.target import Target
from engine.workload.rows.block import Block
from engine.workload.rows.columns import Kind, big, money, rate, small, text, timestamp
from engine.workload.rows.columns import date as day
from engine.workloads.brokerage.rows import BrokerageRows
from engine.workloads.brokerage.schema import TABLES as BROKERAGE_TABLES
from engine.workloads.brokerage.sizing import Size
from engine.workloads.dvdstore.bindings.mssql.store import STORE
from engine.workloads.dvdstore.rows import StoreRows
from engine.workloads.dvdstore.schema import TABLES
from engine.workloads.wholesale.rows import WholesaleRows
from engine.workloads.wholesale.schema import TABLES as WHOLESALE_TABLES
from engine.workloads.wholesale.sizing import Warehouses
from tests.doubles.recorded_sql_server import odbc_error
from tests.engine.databases.contract.places import SEED, SIZE, block_rows, never
from tests.engine.databases.mssql.recorded_store import RecordedStore

_ROWS = StoreRows(SIZE, SEED)
_LOADED = [table for table in TABLES if table != "reorder"]
_COLUMNS_OF_EVERY_KIND = (
    big("number"),
    small("carrier", is_zero_missing=True),
    money("amount"),
    rate("share"),
    day("day"),
    timestamp("moment"),
    text("data", 500),
)
_OF_EVERY_KIND = Destination(name="kinds", table=Table(title="kinds", columns=_COLUMNS_OF_EVERY_KIND))
_BLOCK_OF_EVERY_KIND = Block(
    "kinds",
    0,
    3,
    {
        "number": np.array([2**40, -1, 0]),
        "carrier": np.array([7, 0, 10], np.int32),
        "amount": np.array([-12_34, 99_999_999_999_99, -5]),
        "share": np.array([1_999, 5, 0]),
        "day": np.array(["2024-02-29", "1999-12-31", "2000-01-01"], "datetime64[D]"),
        "moment": np.array(["2024-02-29T13:05:09", "NaT", "1999-12-31T23:59:59"], "datetime64[s]"),
        "data": np.array([b"a" * 500, b"", b"b"]),
    },
)


@pytest.fixture
def connection(recorded_store: RecordedStore, target: Target) -> Iterator[OdbcConnection]:
    recorded_store.databases.add(target.database)
    with opened(SqlServerDialect(), target, Secret("x"), Timeouts()) as connection:
        recorded_store.log.clear()
        yield connection


def _into(table: str) -> Destination:
    return Destination(name=table, table=STORE.tables[table])


def _blocks(table: str) -> list[Block]:
    return list(_ROWS.blocks(table))


@pytest.mark.parametrize("table", _LOADED)
def test_rows_are_the_generators_as_plain_values(table: str) -> None:
    for block in _blocks(table):
        rows = rows_of(block, TABLES[block.table])
        assert rows == block_rows(block)
        assert {type(value) for row in rows for value in row} <= {int, str, date, type(None)}


@pytest.mark.parametrize("table", _LOADED)
def test_a_file_of_rows_is_read_back_as_the_rows(table: str) -> None:
    for block in _blocks(table):
        lines = text_of(block, TABLES[block.table]).decode("ascii").splitlines()
        read = [tuple(map(_read, TABLES[table], line.split("\t"))) for line in lines]
        assert read == block_rows(block)


def _read(column: Any, field: str) -> object:
    match column.kind:
        case Kind.TEXT:
            return field or None
        case Kind.MONEY:
            return int(Decimal(field) * 100)
        case Kind.RATE:
            return int(Decimal(field) * 10_000)
        case Kind.DATE:
            return date.fromisoformat(field)
        case Kind.TIMESTAMP:
            return datetime.fromisoformat(field) if field else None
        case _:
            return int(field) if field else None


def test_the_bytes_of_a_block_are_those_of_its_values() -> None:
    (block,) = _blocks("categories")
    assert value_bytes(block, TABLES[block.table]) == 16 * 2 + sum(len(name) for _, name in block_rows(block))


def test_amounts_are_given_in_cents() -> None:
    assert insert_statement(_into("orders")) == (
        "INSERT INTO dbo.orders WITH (TABLOCK) (orderid, orderdate, customerid, netamount, tax, totalamount)"
        " VALUES (?, ?, ?, CAST(? AS bigint) / CAST(100 AS numeric(12, 2)),"
        " CAST(? AS bigint) / CAST(100 AS numeric(12, 2)), CAST(? AS bigint) / CAST(100 AS numeric(12, 2)))"
    )


def test_rates_are_given_in_ten_thousandths() -> None:
    assert insert_statement(_OF_EVERY_KIND) == (
        "INSERT INTO dbo.kinds WITH (TABLOCK) (number, carrier, amount, share, day, moment, data)"
        " VALUES (?, ?, CAST(? AS bigint) / CAST(100 AS numeric(12, 2)), CAST(? AS int) / CAST(10000 AS numeric(9, 4)),"
        " ?, ?, ?)"
    )


def test_values_of_every_kind_are_plain_and_the_missing_ones_none() -> None:
    assert rows_of(_BLOCK_OF_EVERY_KIND, _COLUMNS_OF_EVERY_KIND) == [
        (2**40, 7, -12_34, 1_999, date(2024, 2, 29), datetime.fromisoformat("2024-02-29T13:05:09"), "a" * 500),
        (-1, None, 99_999_999_999_99, 5, date(1999, 12, 31), None, None),
        (0, 10, -5, 0, date(2000, 1, 1), datetime.fromisoformat("1999-12-31T23:59:59"), "b"),
    ]


def test_values_of_every_kind_are_written_into_files_and_the_missing_ones_left_empty() -> None:
    assert text_of(_BLOCK_OF_EVERY_KIND, _COLUMNS_OF_EVERY_KIND).decode("ascii").splitlines() == [
        f"1099511627776\t7\t-12.34\t0.1999\t2024-02-29\t2024-02-29T13:05:09\t{'a' * 500}",
        "-1\t\t99999999999.99\t0.0005\t1999-12-31\t\t",
        "0\t10\t-0.05\t0.0000\t2000-01-01\t1999-12-31T23:59:59\tb",
    ]


@given(st.lists(st.integers(-(10**12) + 1, 10**12 - 1), min_size=1))
def test_any_amount_is_written_as_it_is(cents: list[int]) -> None:
    block = Block("kinds", 0, len(cents), {"amount": np.array(cents, np.int64)})
    lines = text_of(block, [money("amount")]).decode("ascii").splitlines()
    assert [Decimal(line) for line in lines] == [Decimal(each).scaleb(-2) for each in cents]


@pytest.mark.parametrize("rows", [WholesaleRows(Warehouses(1), SEED), BrokerageRows(Size(1_000, 1), SEED)])
def test_rows_are_the_same_in_arrays_and_in_files(rows: WholesaleRows | BrokerageRows) -> None:
    tables = WHOLESALE_TABLES if isinstance(rows, WholesaleRows) else BROKERAGE_TABLES
    for table, columns in tables.items():
        if table == "trade_request":  # has no rows
            continue
        block = rows.block(table, 0)
        lines = text_of(block, columns).decode("ascii").splitlines()
        read = [tuple(map(_read, columns, line.split("\t"))) for line in lines]
        assert read == rows_of(block, columns)
        assert len(read) == block.rows


def test_rows_are_sent_as_arrays_with_their_identities_a_transaction_for_each_block(
    connection: OdbcConnection, recorded_store: RecordedStore
) -> None:
    told: list[tuple[int, int]] = []
    send(connection, _into("customers"), _blocks("customers") * 2, never, lambda *count: told.append(count))
    sent = [text for _, text in recorded_store.log]
    assert sent == ["SET IDENTITY_INSERT dbo.customers ON", *[insert_statement(_into("customers")), "COMMIT"] * 2]
    assert recorded_store.rows["customers"] == [row for block in _blocks("customers") for row in block_rows(block)] * 2
    assert [rows for rows, _ in told] == [SIZE.customers] * 2
    assert connection.raw.autocommit is False


def test_a_table_without_an_identity_is_sent_without_one(
    connection: OdbcConnection, recorded_store: RecordedStore
) -> None:
    send(connection, _into("categories"), _blocks("categories"), never, lambda *_: None)
    assert [text for _, text in recorded_store.log] == [insert_statement(_into("categories")), "COMMIT"]


def test_a_driver_that_sends_no_arrays_is_given_many_rows_in_one_statement(
    connection: OdbcConnection, recorded_store: RecordedStore
) -> None:
    recorded_store.driver_name = "libtdsodbc.so"
    send(connection, _into("customers"), _blocks("customers"), never, lambda *_: None)
    inserts = [sent for sent in recorded_store.sent if sent.statement.startswith("INSERT")]
    assert {len(sent.values) for sent in inserts} == {2_000}
    assert inserts[0].statement == insert_statement(_into("customers"), 100)
    values = [value for sent in inserts for value in sent.values]
    assert values == [value for block in _blocks("customers") for row in block_rows(block) for value in row]


def test_files_of_rows_are_read_by_the_server_and_go(
    connection: OdbcConnection, recorded_store: RecordedStore, tmp_path: Path
) -> None:
    folder = BulkFolder(on_server="\\\\ws\\bulk", here=tmp_path, database="ds2")
    told: list[tuple[int, int]] = []
    load_files(connection, _into("orders"), _blocks("orders"), folder, never, lambda *count: told.append(count))
    assert [text for _, text in recorded_store.log] == [bulk_insert(_into("orders"), "\\\\ws\\bulk\\ds2_orders_1.dat")]
    assert told == [(SIZE.orders, sum(len(text_of(block, TABLES[block.table])) for block in _blocks("orders")))]
    assert list(tmp_path.iterdir()) == []


def test_a_file_is_read_with_its_identities_and_its_missing_values_in_the_order_of_the_key() -> None:
    assert bulk_insert(_into("orderlines"), "/b/o'rows.dat") == (
        "BULK INSERT dbo.orderlines FROM '/b/o''rows.dat' WITH (DATAFILETYPE = 'char', FIELDTERMINATOR = '\\t',"
        " ROWTERMINATOR = '0x0a', KEEPIDENTITY, KEEPNULLS, TABLOCK, MAXERRORS = 0, ORDER (orderid, orderlineid))"
    )
    assert "ORDER" not in bulk_insert(_into("cust_hist"), "/b/x")


def test_a_folder_that_this_machine_cant_write_is_named(connection: OdbcConnection, tmp_path: Path) -> None:
    folder = BulkFolder(on_server="/bulk", here=tmp_path / "missing", database="ds2")
    with pytest.raises(UserError, match=r"the bulk folder '.*missing' can't be written"):
        load_files(connection, _into("orders"), _blocks("orders"), folder, never, lambda *_: None)


@pytest.mark.parametrize(
    ("number", "kind"),
    [(4860, UserError), (4861, UserError), (4862, UserError), (4863, TargetError), (4864, TargetError)],
)
def test_unreadable_bulk_folder_is_named_and_its_files_removed(
    connection: OdbcConnection, recorded_store: RecordedStore, tmp_path: Path, number: int, kind: type[Exception]
) -> None:
    folder = BulkFolder(on_server="/bulk", here=tmp_path, database="ds2")
    recorded_store.answers("^BULK INSERT", error=odbc_error(("42000", number, "Cannot bulk load.")))
    with pytest.raises(kind, match="Cannot bulk load"):
        load_files(connection, _into("orders"), _blocks("orders"), folder, never, lambda *_: None)
    assert list(tmp_path.iterdir()) == []


def test_missing_right_to_load_files_names_the_remedy(
    connection: OdbcConnection, recorded_store: RecordedStore, tmp_path: Path
) -> None:
    folder = BulkFolder(on_server="/bulk", here=tmp_path, database="ds2")
    refusal = odbc_error(("42000", 4834, "You do not have permission to use the bulk load statement."))
    recorded_store.answers("^BULK INSERT", error=refusal)
    with pytest.raises(UserError, match=r"on Linux membership in sysadmin; .* leave the bulk folder empty"):
        load_files(connection, _into("orders"), _blocks("orders"), folder, never, lambda *_: None)


def test_a_load_that_is_cancelled_while_it_waits_ends(
    connection: OdbcConnection, recorded_store: RecordedStore
) -> None:
    def blocks() -> Iterator[Block]:
        yield _blocks("categories")[0]
        raise Cancelled

    with pytest.raises(Cancelled):
        send(connection, _into("categories"), blocks(), never, lambda *_: None)
    assert recorded_store.log[-1][1] == "COMMIT"
