"""The initial rows of a Brokerage store, block by block: the same for a scale and a seed on every database and machine.

Every block is computed from its number alone, in constant memory, so that tables and blocks may be made in any order
and in several threads or processes at once.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from functools import partial

import numpy as np

from engine.errors import Cancelled
from engine.workload.rows.block import Block
from engine.workloads.brokerage.customer_names import Names
from engine.workloads.brokerage.fixed import FIXED, fixed_columns
from engine.workloads.brokerage.market import Market
from engine.workloads.brokerage.people import People
from engine.workloads.brokerage.schema import TABLES
from engine.workloads.brokerage.sizing import Size
from engine.workloads.brokerage.trades import Trades

_ROWS_OF_BLOCK = 10_000
_LARGE_ROWS = {"news_item": 200, "broker": 20}
_OF_TRADES = (
    "trade",
    "trade_history",
    "settlement",
    "cash_transaction",
    "holding",
    "holding_history",
    "holding_summary",
)
"""The tables whose blocks are ranges of accounts."""
Columns = Callable[[int, int], dict[str, np.ndarray]]


class BrokerageRows:
    """All initial rows of a store of this scale. ``KeyError`` for a table that is none of the store's."""

    def __init__(self, size: Size, seed: int) -> None:
        self.scale = size
        self.seed = seed
        names, market = Names(seed), Market(size, seed)
        trades = Trades(size, seed, names)
        people = People(size, seed, names, trades)
        self._columns: dict[str, Columns] = {
            **{table: partial(_all_rows, table, size) for table in FIXED},
            "address": people.addresses,
            "company": market.companies,
            "company_competitor": market.competitors,
            "security": market.securities,
            "last_trade": market.last_trades,
            "daily_market": market.daily_prices,
            "financial": market.financials,
            "news_item": market.news,
            "news_xref": market.news_references,
            "customer": people.customers,
            "customer_taxrate": people.tax_rates,
            "broker": people.brokers,
            "customer_account": people.accounts,
            "account_permission": people.permissions,
            "watch_list": people.watch_lists,
            "watch_item": people.watch_items,
            "trade": trades.trades,
            "trade_history": trades.history,
            "settlement": trades.settlements,
            "cash_transaction": trades.cash,
            "holding": trades.holdings,
            "holding_history": trades.changes,
            "holding_summary": trades.summaries,
        }
        of_account = max(1, size.trades // size.accounts)
        self._units = {**size.rows(), **dict.fromkeys(_OF_TRADES, size.accounts)}
        self._of_block = {table: max(1, _ROWS_OF_BLOCK // of_account) for table in _OF_TRADES} | _LARGE_ROWS

    @property
    def expected_rows(self) -> int:
        """How many rows all tables have together."""
        return sum(self.scale.rows().values())

    def block_count(self, table: str) -> int:
        """How many blocks a table has."""
        return 1 if table in FIXED else math.ceil(self._units[table] / self._units_of_block(table))

    def block(self, table: str, number: int) -> Block:
        """Block ``number`` of a table, from 0; ``IndexError`` if it has no such block."""
        if not 0 <= number < self.block_count(table):
            raise IndexError(f"{table} has {self.block_count(table)} blocks, no block {number}")
        first = number * self._units_of_block(table)
        columns = self._columns[table](first, min(self._units_of_block(table), self._units[table] - first))
        return Block(table, first, len(columns[TABLES[table][0].name]), columns)

    def blocks(self, table: str, cancelled: Callable[[], bool] = lambda: False) -> Iterator[Block]:
        """All blocks of a table in order; raises ``Cancelled`` soon after ``cancelled`` returns true."""
        for number in range(self.block_count(table)):
            if cancelled():
                raise Cancelled(f"stopped while the rows of {table} were made")
            yield self.block(table, number)

    def counts(self, loaded: Mapping[str, int]) -> dict[str, int]:
        """The counts that are stored with the store."""
        return {"customers": self.scale.customers, **{f"{table}_rows": loaded[table] for table in self._columns}}

    def _units_of_block(self, table: str) -> int:
        return self._of_block.get(table, _ROWS_OF_BLOCK)


def _all_rows(table: str, size: Size, _first: int, _rows: int) -> dict[str, np.ndarray]:
    return fixed_columns(table, size)
