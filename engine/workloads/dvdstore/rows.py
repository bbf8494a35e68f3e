"""The initial rows of a DVD Store, block by block: the same for a size and a seed on every database and machine.

``StoreRows`` is what the builders of ``engine.databases`` load from. Every block is computed from its number alone,
in constant memory, so that tables and blocks may be made in any order and in several threads or processes at once.
"""

import math
from collections.abc import Callable, Iterator, Mapping

import numpy as np

from engine.errors import Cancelled
from engine.workload.rows.block import Block
from engine.workload.rows.randomness import Whole
from engine.workloads.dvdstore.customers import Customers
from engine.workloads.dvdstore.orders import Orders
from engine.workloads.dvdstore.products import Products, categories
from engine.workloads.dvdstore.sizing import CATEGORIES, MEAN_LINES_PER_ORDER, DbSize

_ROWS_PER_BLOCK = {
    "categories": CATEGORIES,
    "products": 32_768,
    "inventory": 65_536,
    "customers": 16_384,
    "orders": 65_536,
    "orderlines": 16_384,
    "cust_hist": 16_384,
    "reorder": 1,
}
_ORDERS_PER_PASS = 16_384


def _never() -> bool:
    return False


class StoreRows:
    """All initial rows of a store of this size. ``KeyError`` for a table that is none of the store's."""

    def __init__(self, size: DbSize, seed: int) -> None:
        self.size = size
        self.seed = seed
        self._customers = Customers(size, seed)
        self._orders = Orders(size, seed)
        self._products = Products(size, seed)
        self._sales: Whole | None = None

    def block_count(self, table: str) -> int:
        """How many blocks a table has."""
        return math.ceil(self._units(table) / _ROWS_PER_BLOCK[table])

    def block(self, table: str, number: int) -> Block:
        """Block ``number`` of a table, from 0; ``IndexError`` when it has no such block.

        The first block of ``inventory`` waits for ``inventory_sales``.
        """
        if not 0 <= number < self.block_count(table):
            raise IndexError(f"{table} has {self.block_count(table)} blocks, no block {number}")
        first = number * _ROWS_PER_BLOCK[table]
        units = min(_ROWS_PER_BLOCK[table], self._units(table) - first)
        columns = self._columns(table, first, units)
        return Block(table, first, len(next(iter(columns.values()))), columns)

    def blocks(self, table: str, cancelled: Callable[[], bool] = _never) -> Iterator[Block]:
        """All blocks of a table in order; those of ``inventory`` come after a pass over all order lines.

        When ``cancelled`` returns true during that, ``Cancelled`` is raised.
        """
        if table == "inventory":
            self.inventory_sales(cancelled)
        yield from (self.block(table, number) for number in range(self.block_count(table)))

    @property
    def expected_rows(self) -> int:
        """About how many rows all tables have together: the two tables of lines have about five an order."""
        return self.size.customers + (1 + 2 * MEAN_LINES_PER_ORDER) * self.size.orders + 2 * self.size.products

    def counts(self, loaded: Mapping[str, int]) -> dict[str, int]:
        """The counts that are stored with the store."""
        return {
            "customers": self.size.customers,
            "orders": self.size.orders,
            "order_lines": loaded["orderlines"],
            "products": self.size.products,
        }

    def inventory_sales(self, cancelled: Callable[[], bool] = _never) -> Whole:
        """What the initial order lines sold of each product, product 1 first, as int64: one pass over all order lines,
        kept for the next call and read-only.

        ``cancelled`` is asked often; when it returns true, ``Cancelled`` is raised and nothing is kept.
        """
        if self._sales is None:
            sales = np.zeros(self.size.products, dtype=np.int64)
            for first in range(0, self.size.orders, _ORDERS_PER_PASS):
                if cancelled():
                    raise Cancelled("stopped while the initial order lines were counted")
                self._orders.add_sales(sales, first, min(_ORDERS_PER_PASS, self.size.orders - first))
            sales.flags.writeable = False
            self._sales = sales
        return self._sales

    def _units(self, table: str) -> int:
        """How many rows a table has, or, where rows per order vary, how many orders its rows come from."""
        return {
            "categories": CATEGORIES,
            "products": self.size.products,
            "inventory": self.size.products,
            "customers": self.size.customers,
            "orders": self.size.orders,
            "orderlines": self.size.orders,
            "cust_hist": self.size.orders,
            "reorder": 0,
        }[table]

    def _columns(self, table: str, first: int, units: int) -> dict[str, np.ndarray]:
        match table:
            case "customers":
                return self._customers.columns(first, units)
            case "orders":
                return self._orders.orders(first, units)
            case "orderlines":
                return self._orders.orderlines(first, units)
            case "cust_hist":
                return self._orders.cust_hist(first, units)
            case "products":
                return self._products.products(first, units)
            case "inventory":
                return self._products.inventory(first, units, self.inventory_sales())
            case _:
                return categories()
