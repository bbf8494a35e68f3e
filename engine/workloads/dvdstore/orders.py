"""The initial orders, their lines and the customers' history: any range of orders, computed from their numbers alone.

Called by ``engine.workloads.dvdstore.rows``.
"""

import numpy as np

from engine.workload.rows.randomness import Whole, below, streams_of
from engine.workloads.dvdstore.catalogue import MOST_QUANTITY, TAX_PER_10_000
from engine.workloads.dvdstore.sizing import DbSize

YEAR = 2025
MOST_LINES = 9
_LARGEST_NET_CENTS = 400_00
_LINE_NUMBERS_PER_ORDER = 16
_MONTHS = np.arange(f"{YEAR}-01", f"{YEAR + 1}-02", dtype="datetime64[M]").astype("datetime64[D]")
_DAYS = np.diff(_MONTHS).astype(np.uint64)


def tax_cents(net_cents: Whole) -> Whole:
    """The tax of 8.25 % on net amounts, in cents, a half cent rounded up."""
    return (net_cents * TAX_PER_10_000 + 5_000) // 10_000


class Orders:
    """The rows of ``orders``, ``orderlines`` and ``cust_hist``, by ranges of orders that count from 0.

    Order numbers follow the months of one year. An order has 1 to 9 lines; its amounts are drawn, not summed from
    its lines' prices, as the workload defines it.
    """

    def __init__(self, size: DbSize, seed: int) -> None:
        self._size = size
        stream = streams_of(seed, "orders")
        self._day = stream("orderdate")
        self._customer = stream("customerid")
        self._net = stream("netamount")
        self._line_count = stream("lines")
        line_stream = streams_of(seed, "orderlines")
        self._product = line_stream("prod_id")
        self._quantity = line_stream("quantity")

    def orders(self, first: int, orders: int) -> dict[str, np.ndarray]:
        """The columns of ``orders``; amounts are cents."""
        net = 1 + self._net.below(_LARGEST_NET_CENTS, first, orders)
        tax = tax_cents(net)
        return {
            "orderid": np.arange(first + 1, first + orders + 1, dtype=np.int64),
            "orderdate": self._dates(first, orders),
            "customerid": self._customers(first, orders),
            "netamount": net,
            "tax": tax,
            "totalamount": net + tax,
        }

    def orderlines(self, first: int, orders: int) -> dict[str, np.ndarray]:
        """The columns of ``orderlines`` of these orders."""
        order, line = self._lines(first, orders)
        return {
            "orderid": order + 1,
            "orderlineid": (line + 1).astype(np.int32),
            "prod_id": self._products(order, line),
            "quantity": self._quantities(order, line),
            "orderdate": self._dates(first, orders)[order - first],
        }

    def cust_hist(self, first: int, orders: int) -> dict[str, np.ndarray]:
        """The columns of ``cust_hist`` of these orders: one row a line."""
        order, line = self._lines(first, orders)
        return {
            "customerid": self._customers(first, orders)[order - first],
            "orderid": order + 1,
            "prod_id": self._products(order, line),
        }

    def add_sales(self, sales: Whole, first: int, orders: int) -> None:
        """Add what these orders sold to ``sales``, which holds a number for each product, product 1 first."""
        order, line = self._lines(first, orders)
        np.add.at(sales, self._products(order, line) - 1, self._quantities(order, line))

    def _dates(self, first: int, orders: int) -> np.ndarray:
        month = np.arange(first, first + orders, dtype=np.int64) // self._size.orders_per_month
        day = below(self._day.words(first, orders), _DAYS[month])
        dates: np.ndarray = _MONTHS[month] + day.astype("timedelta64[D]")
        return dates

    def _customers(self, first: int, orders: int) -> Whole:
        return 1 + self._customer.below(self._size.customers, first, orders)

    def _line_counts(self, first: int, orders: int) -> Whole:
        return 1 + self._line_count.below(MOST_LINES, first, orders)

    def _lines(self, first: int, orders: int) -> tuple[Whole, Whole]:
        """For each line of these orders: the order's number and the line's number within it, both from 0."""
        counts = self._line_counts(first, orders)
        order = np.repeat(np.arange(first, first + orders, dtype=np.int64), counts)
        starts = np.repeat(np.cumsum(counts) - counts, counts)
        return order, np.arange(len(order), dtype=np.int64) - starts

    def _products(self, order: Whole, line: Whole) -> np.ndarray:
        return (1 + below(self._product.words_at(_indices(order, line)), self._size.products)).astype(np.int32)

    def _quantities(self, order: Whole, line: Whole) -> np.ndarray:
        return (1 + below(self._quantity.words_at(_indices(order, line)), MOST_QUANTITY)).astype(np.int32)


def _indices(order: Whole, line: Whole) -> np.ndarray:
    """A line's index in the streams of lines: fixed by its order and number, not by how many lines come before it."""
    return (order * _LINE_NUMBERS_PER_ORDER + line).view(np.uint64)
