from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import BadInput
from engine.workloads.brokerage import names
from engine.workloads.brokerage.bindings.store import STORE
from engine.workloads.brokerage.fees import commissions
from engine.workloads.brokerage.rows import BrokerageRows
from engine.workloads.brokerage.schema import INDEX_KEYS, TABLES
from engine.workloads.brokerage.sizing import ACCOUNTS_OF_BROKER, Size, limit_orders, margin_trades
from tests.engine.workloads.blocks import check_columns, digest_of, whole

SIZE = Size(1_000, 2)
ROWS = BrokerageRows(SIZE, 7)
LOADED = [table for table in TABLES if table != "trade_request"]
DIGESTS = {
    "status_type": "1b3aeca98fd5453b",
    "trade_type": "d41db22d704bc9ef",
    "zip_code": "529d6f568884e25f",
    "address": "ef8865c0ad9180b5",
    "exchange": "d21679bc5e778ad6",
    "sector": "e876c19a44a447ab",
    "industry": "743119ef800219e3",
    "taxrate": "23e387b34992d6ce",
    "charge": "f309bbd3d535b065",
    "commission_rate": "f5051ff3708c62f9",
    "company": "14f0c92e727fc46c",
    "company_competitor": "7577a638d251b3c9",
    "security": "a043fe38eab1da5a",
    "last_trade": "73b6af6e3a3f1f0f",
    "daily_market": "33fdc609ae67d142",
    "financial": "85dba0e6e490207f",
    "news_item": "ea97a630045ab118",
    "news_xref": "b0f8493248b75e30",
    "customer": "932e81697c557d73",
    "customer_taxrate": "ce40f014eafcca15",
    "broker": "237befc3ab943244",
    "customer_account": "05c44481aed72a14",
    "account_permission": "42fa74e4fcc1fcb8",
    "watch_list": "6f746e5c34fa66b4",
    "watch_item": "cfc12a7ded706a34",
    "trade": "d33703338018c902",
    "trade_history": "a3aef12da8cbbce4",
    "settlement": "cc74cbfb72293dde",
    "cash_transaction": "da56b4cee701b65b",
    "holding_summary": "4140bc26224ae270",
    "holding": "beac28fda6d0cb89",
    "holding_history": "0628bff0dd894d2d",
}
"""Of the last block of each table."""


def _whole(table: str) -> dict[str, np.ndarray]:
    return whole(ROWS.blocks(table), TABLES[table])


@pytest.mark.parametrize("table", LOADED)
def test_blocks_hold_each_column_of_their_table_in_its_kind_and_width(table: str) -> None:
    check_columns(ROWS.block(table, 0), TABLES[table])


@pytest.mark.parametrize("table", LOADED)
def test_the_blocks_of_a_table_hold_the_rows_that_are_announced_with_distinct_keys(table: str) -> None:
    columns = _whole(table)
    key = list(zip(*(columns[name].tolist() for name in INDEX_KEYS[table][0]), strict=True))
    assert len(set(key)) == len(key) == SIZE.rows()[table]
    with pytest.raises(IndexError):
        ROWS.block(table, ROWS.block_count(table))


@pytest.mark.parametrize("table", LOADED)
def test_rows_come_in_the_order_that_the_store_says(table: str) -> None:
    """SQL Server loads files by it, and refuses rows that are in another."""
    order = STORE.tables[table].order
    columns = _whole(table)
    keys = list(zip(*(columns[name].tolist() for name in order or INDEX_KEYS[table][0]), strict=True))
    assert (keys == sorted(keys)) == bool(order)


def test_rows_of_a_seed_are_the_same_for_ever() -> None:
    """Stores that were built by an earlier version are verified and driven as those of this one."""
    assert {table: digest_of(ROWS.block(table, ROWS.block_count(table) - 1)) for table in LOADED} == DIGESTS


@given(st.sampled_from(LOADED), st.data())
@settings(max_examples=25, deadline=None)
def test_a_block_is_the_same_whatever_was_made_before(table: str, data: st.DataObject) -> None:
    number = data.draw(st.integers(0, ROWS.block_count(table) - 1))
    one, other = ROWS.block(table, number), BrokerageRows(SIZE, 7).block(table, number)
    for name, values in one.columns.items():
        np.testing.assert_array_equal(values, other.columns[name])


def test_holdings_are_what_their_history_leaves_of_the_trades() -> None:
    trades, holdings, changes = _whole("trade"), _whole("holding"), _whole("holding_history")
    left = np.zeros(SIZE.trades + 1, np.int64)
    np.add.at(left, changes["hh_h_t_id"], changes["hh_after_qty"] - changes["hh_before_qty"])
    assert left.min() == 0
    kept = np.flatnonzero(left)
    np.testing.assert_array_equal(kept, holdings["h_t_id"])
    np.testing.assert_array_equal(left[kept], holdings["h_qty"])
    traded = Counter[int]()
    for number, before, after in zip(
        changes["hh_t_id"].tolist(), changes["hh_before_qty"].tolist(), changes["hh_after_qty"].tolist(), strict=True
    ):
        traded[number] += abs(after - before)
    assert [traded[number] for number in trades["t_id"].tolist()] == trades["t_qty"].tolist()


def test_a_purchase_is_sold_later_and_in_the_same_account_and_security() -> None:
    trades, changes = _whole("trade"), _whole("holding_history")
    bought, sold = changes["hh_h_t_id"] - 1, changes["hh_t_id"] - 1
    for name in ("t_ca_id", "t_s_symb"):
        np.testing.assert_array_equal(trades[name][bought], trades[name][sold])
    assert (trades["t_dts"][sold] >= trades["t_dts"][bought]).all()
    is_sale = np.isin(trades["t_tt_id"], [b"TMS", b"TLS", b"TSL"])
    np.testing.assert_array_equal(is_sale[sold], bought != sold)


def test_summaries_add_up_the_holdings_and_brokers_the_commissions() -> None:
    trades, holdings, summaries, brokers = map(_whole, ("trade", "holding", "holding_summary", "broker"))
    held: Counter[tuple[int, bytes]] = Counter()
    for account, symbol, quantity in zip(
        holdings["h_ca_id"].tolist(), holdings["h_s_symb"].tolist(), holdings["h_qty"].tolist(), strict=True
    ):
        held[account, symbol] += quantity
    assert held == {
        (account, symbol): quantity
        for account, symbol, quantity in zip(
            summaries["hs_ca_id"].tolist(), summaries["hs_s_symb"].tolist(), summaries["hs_qty"].tolist(), strict=True
        )
    }
    broker = (trades["t_ca_id"] - 1) // ACCOUNTS_OF_BROKER
    np.testing.assert_array_equal(np.bincount(broker), brokers["b_num_trades"])
    np.testing.assert_array_equal(np.bincount(broker, weights=trades["t_comm"]), brokers["b_comm_total"])


def test_a_commission_is_the_value_by_the_rate_of_tier_type_exchange_and_quantity() -> None:
    one = np.array([1])
    assert commissions(one, one * 0, one * 0, one * 100, one * 25_00).tolist() == [15_00]
    assert commissions(one * 3, one * 2, one * 3, one * 800, one * 20_01).tolist() == [4_002 * 800 * 27 // 20_000]


@given(st.integers(0, 10_000))
def test_limit_orders_and_margin_trades_are_counted_without_making_them(trades: int) -> None:
    assert limit_orders(trades) == sum(number % 5 in (1, 3) for number in range(trades))
    assert margin_trades(trades) == sum(number % 25 in (7, 19) for number in range(trades))


def test_sizes_are_those_of_the_specification() -> None:
    assert Size(5_000, 300).trades == 86_400_000
    rows = Size(5_000, 300).rows()
    assert (rows["trade_history"], rows["security"], rows["daily_market"]) == (207_360_000, 3_425, 4_469_625)
    assert rows["holding"] / rows["trade"] == pytest.approx(0.051, rel=0.03)


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("5000", Size(5_000, 10)),
        ("1000x1", Size(1_000, 1)),
        ("2000C30D", Size(2_000, 30)),
        ("1000 x 5 days", Size(1_000, 5)),
    ],
)
def test_sizes_are_read(text: str, size: Size) -> None:
    assert Size.parse(text) == size
    assert Size.parse(str(size)) == size


@pytest.mark.parametrize("text", ["", "100", "1500", "1000x0", "1000x301", "many", "1000000x300"])
def test_a_size_that_cannot_be_is_refused_in_one_sentence(text: str) -> None:
    with pytest.raises(BadInput, match=r"^customers is .*; .*give .*|^customers is .* give"):
        Size.parse(text)


@given(st.integers(0, 684_999))
def test_names_lead_back_to_their_numbers(security: int) -> None:
    assert names.security_of(names.symbol(security)) == security
    company, issue = names.company_of(security)
    assert issue in (names.COMMON, names.PREFERRED)
    assert 0 <= company < 500_000


def test_names_differ() -> None:
    assert len({names.company_name(each) for each in range(100_000)}) == 100_000
    assert len({names.broker_name(each) for each in range(10_000)}) == 10_000
    assert len({names.industry_name(each) for each in range(1, names.INDUSTRIES + 1)}) == names.INDUSTRIES
