"""What an audit reads of a DVD Store: orders and lines by ranges of ids, in bulk, from one snapshot of any DBMS."""

from collections.abc import Callable, Iterator, Mapping

import numpy as np

from engine.audit.comparing import STORED_TYPE
from engine.databases.snapshot import Reader, Snapshot
from engine.workloads.dvdstore.line_sums import LineSums
from engine.workloads.dvdstore.stored_orders import (
    Cents,
    HistorySums,
    Lines,
    Orders,
    prices_by_product,
    unpacked_lines,
)

_PRICES = "SELECT prod_id, CAST(price * 100 AS bigint) AS cents FROM products"
_ORDERS = (
    "SELECT orderid, coalesce(customerid, 0) AS customer, CAST(netamount * 100 AS bigint) AS cents"
    " FROM orders WHERE orderid > {after} AND orderid <= {to}"
)
# Each line is one number, of the order's distance from the lower bound (20 bits), the product (24), the line's number
# (8) and the quantity (11): several numbers a line would cost as many times as much on their way, and to sum the lines
# up by order on the server four times as much.
_LINES = (
    "SELECT CAST(orderid - {after} AS bigint) * CAST(8796093022208 AS bigint)"
    " + CAST(CASE WHEN prod_id < 0 THEN 0 WHEN prod_id > 16777215 THEN 16777215 ELSE prod_id END AS bigint) * 524288"
    " + CASE WHEN orderlineid < 0 THEN 0 WHEN orderlineid > 255 THEN 255 ELSE orderlineid END * 2048"
    " + CASE WHEN quantity < 0 THEN 0 WHEN quantity > 2047 THEN 2047 ELSE quantity END AS line"
    " FROM orderlines WHERE orderid > {after} AND orderid <= {to}"
)


class DvdStoreAuditor:
    """Implements ``engine.databases.snapshot.Auditor``; ``script`` is that of the store's definition."""

    def __init__(self, snapshot: Snapshot, script: Callable[[str], str]) -> None:
        self.most_numbers = snapshot.most_ids
        self._snapshot = snapshot
        self._script = script
        self._sums: LineSums | None = None

    def stored(self, after: int, to: int) -> Orders:
        if self._sums is None:
            self._sums = LineSums(self.prices())
        orders = self.orders(after, to)
        self._sums.add(after, to, orders, self.lines(after, to))
        return orders

    def violations(self, after: int, to: int) -> Mapping[str, int]:
        sums = self._sums or LineSums(self.prices())
        return sums.checks(self.history(after, to), products_off(self._snapshot))

    def prices(self) -> Cents:
        """The price of every product in cents, by product id; 0 where there is no such product."""
        return prices_by_product(self._snapshot.rows(_PRICES))

    def orders(self, after: int, to: int) -> Orders:
        """The orders of a range by ascending id."""
        parts = self._snapshot.numbers(_ORDERS, ("orderid", "customer", "cents"), after, to)
        columns = np.concatenate([np.stack(part) for _, part in parts], axis=1)
        orders: Orders = np.empty(columns.shape[1], STORED_TYPE)
        for name, column in zip(
            STORED_TYPE.names or (), columns[:, np.argsort(columns[0], kind="stable")], strict=True
        ):
            orders[name] = column
        return orders

    def lines(self, after: int, to: int) -> Lines:
        """The lines of the orders of a range, as ``LINE_TYPE``, in any order."""
        return np.concatenate(list(self._parts_of_lines(after, to)))

    def history(self, after: int, to: int) -> HistorySums:
        """The history rows of the orders of a range, which may be of any length."""
        (row,) = self._snapshot.rows(self._script("audit_history").format(after=int(after), to=int(to)))
        return HistorySums.of(row)

    def _parts_of_lines(self, after: int, to: int) -> Iterator[Lines]:
        for begin, (packed,) in self._snapshot.numbers(_LINES, ("line",), after, to):
            yield unpacked_lines(packed, begin)


def products_off(store: Reader) -> int:
    """How many products have been sold more or less often than all order lines say, the built ones included."""
    sold = "(SELECT prod_id, sum(CAST(quantity AS bigint)) AS sold FROM orderlines GROUP BY prod_id) l"
    return store.count(f"inventory i LEFT JOIN {sold} ON l.prod_id = i.prod_id WHERE i.sales <> coalesce(l.sold, 0)")
