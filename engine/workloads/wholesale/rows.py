"""The initial rows of a Wholesale store, block by block: the same for a scale and a seed on every database and machine.

Every block is computed from its number alone, in constant memory, so that tables and blocks may be made in any order
and in several threads or processes at once. The rows follow the TPC-C specification, clause 4.3.3, with own words.
"""

import math
from collections.abc import Callable, Iterator, Mapping

import numpy as np

from engine.workload.rows.block import Block
from engine.workloads.wholesale.customers import Customers
from engine.workloads.wholesale.orders import Orders
from engine.workloads.wholesale.places import Places
from engine.workloads.wholesale.sizing import ORDERS, UNDELIVERED, Warehouses
from engine.workloads.wholesale.stock import Stock

_ROWS_PER_BLOCK = {
    "item": 20_000,
    "warehouse": 10_000,
    "district": 10_000,
    "stock": 10_000,
    "customer": 5_000,
    "history": 30_000,
    "orders": 30_000,
    "new_order": 9_000,
    "order_line": 3_000,
}
"""The number of orders whose lines are a block of ``order_line``."""


def _never() -> bool:
    return False


class WholesaleRows:
    """All initial rows of a store of this scale. ``KeyError`` for a table that is none of the store's."""

    def __init__(self, scale: Warehouses, seed: int) -> None:
        self.scale = scale
        self.seed = seed
        places, stock, customers, orders = Places(seed), Stock(seed), Customers(seed), Orders(seed)
        self._columns: dict[str, Callable[[int, int], dict[str, np.ndarray]]] = {
            "item": stock.items,
            "warehouse": places.warehouses,
            "district": places.districts,
            "stock": stock.stock,
            "customer": customers.customers,
            "history": customers.history,
            "orders": orders.orders,
            "new_order": orders.new_orders,
            "order_line": orders.order_lines,
        }
        self._units = {**scale.rows(), "order_line": scale.orders}
        assert self._units["new_order"] == UNDELIVERED * scale.orders // ORDERS

    def block_count(self, table: str) -> int:
        """How many blocks a table has."""
        return math.ceil(self._units[table] / _ROWS_PER_BLOCK[table])

    def block(self, table: str, number: int) -> Block:
        """Block ``number`` of a table, from 0; ``IndexError`` if it has no such block."""
        if not 0 <= number < self.block_count(table):
            raise IndexError(f"{table} has {self.block_count(table)} blocks, no block {number}")
        first = number * _ROWS_PER_BLOCK[table]
        columns = self._columns[table](first, min(_ROWS_PER_BLOCK[table], self._units[table] - first))
        return Block(table, first, len(next(iter(columns.values()))), columns)

    def blocks(self, table: str, _cancelled: Callable[[], bool] = _never) -> Iterator[Block]:
        """All blocks of a table in order."""
        return (self.block(table, number) for number in range(self.block_count(table)))

    @property
    def expected_rows(self) -> int:
        """About how many rows all tables have together."""
        return sum(self.scale.rows().values())

    def counts(self, loaded: Mapping[str, int]) -> dict[str, int]:
        """The counts that are stored with the store."""
        return {
            "warehouses": self.scale.count,
            "payments": self.scale.customers,
            "order_lines": loaded["order_line"],
        }
