"""Whether orders, lines and history tie out: pure arithmetic on arrays."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from engine.workloads.dvdstore.stored_orders import PRODUCT_MODULUS, Cents, HistorySums, Lines, Orders

_WRAP = 2**64


@dataclass
class LineSums:
    """Adds up orders and their lines over ranges of order ids; ``prices`` are cents by product id.

    Of each order: its lines are numbered from 1 without a gap, and its net amount is the sum of their quantities ×
    prices. Of all: the sums that the history has to have too.
    """

    prices: Cents
    _wrong_numbers: int = 0
    _wrong_amounts: int = 0
    _rows: int = 0
    _orders: int = 0
    _orders_by_product: int = 0
    _customers_by_product: int = 0

    def add(self, after: int, to: int, orders: Orders, lines: Lines) -> None:
        """One range of ``after < id <= to``: its orders, and all their lines."""
        place = lines["order"].astype(np.int64) - (after + 1)
        of_order = orders["number"].astype(np.int64) - (after + 1)

        def summed(values: npt.NDArray[Any] | None = None) -> Cents:
            """Sums by order, exact because they stay far below 2**53; without values the lines are counted."""
            return np.bincount(place, values, to - after)[of_order].astype(np.int64)

        count, numbers = summed(), summed(lines["number"])
        # Different numbers from 1 on come to this sum only when they are 1 … n; that they differ, the key sees to.
        is_numbered = (count > 0) & (2 * numbers == count * (count + 1)) & (summed(lines["number"] == 0) == 0)
        self._wrong_numbers += int(np.count_nonzero(~is_numbered))
        price = self.prices[np.minimum(lines["product"], len(self.prices) - 1)]
        self._wrong_amounts += int(np.count_nonzero(summed(price * lines["quantity"]) != orders["check"]))
        # Whole numbers of 64 bits wrap round, and the sums are compared as such.
        squared = lines["product"].astype(np.int64) ** 2 % PRODUCT_MODULUS
        products, ids = summed(squared).astype(np.uint64), orders["number"].astype(np.uint64)
        self._rows += int(count.sum())
        self._orders += int((ids * count.astype(np.uint64)).sum())
        self._orders_by_product += int((ids * products).sum())
        self._customers_by_product += int((orders["key"].astype(np.uint64) * products).sum())

    def checks(self, history: HistorySums, products_off: int) -> dict[str, int]:
        """How many there are of each violation, with what the history and the sales come to."""
        mine = (self._rows, self._orders, self._orders_by_product, self._customers_by_product)
        theirs = (history.rows, history.orders, history.orders_by_product, history.customers_by_product)
        differ = any((one - other) % _WRAP for one, other in zip(mine, theirs, strict=True))
        rows = abs(self._rows - history.rows) or int(differ)
        return {
            "orders whose lines are not numbered from 1 on": self._wrong_numbers,
            "orders whose net amount is not price × quantity": self._wrong_amounts,
            "history rows more, less or other than order lines": rows,
            "products whose sales are not the quantities of their order lines": products_off,
        }
