"""The orders and lines that a DVD Store holds, as arrays.

An order is an ``engine.audit.comparing.STORED_TYPE``: its id, its customer's (0 when that is gone) as key, its net
amount in cents as check.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

LINE_TYPE = np.dtype([("order", "<u4"), ("number", "<u2"), ("quantity", "<u2"), ("product", "<u4")])
"""An order line: its order's id, its number in the order, how many it is of, and the product."""

PRODUCT_MODULUS = 1_048_573
"""The largest prime below 2**20: large enough to distinguish products, small enough for the products of ids."""

Orders = npt.NDArray[np.void]
Lines = npt.NDArray[np.void]
Cents = npt.NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class HistorySums:
    """A checksum of history rows, or of the order lines that they must match: their number, and sums that other rows
    are unlikely to have: of order ids, of order id × product, and of customer × product, where the product is its id
    squared modulo ``PRODUCT_MODULUS``."""

    rows: int
    orders: int
    orders_by_product: int
    customers_by_product: int

    @classmethod
    def of(cls, row: Iterable[Any]) -> "HistorySums":
        """The sums in one row of a server's answer, in the order of the fields."""
        rows, orders, orders_by_product, customers_by_product = map(int, row)
        return cls(
            rows=rows,
            orders=orders,
            orders_by_product=orders_by_product,
            customers_by_product=customers_by_product,
        )


def prices_by_product(rows: Sequence[Sequence[Any]]) -> Cents:
    """Prices in cents by product id, 0 where there is no such product, from rows of product id and price in cents."""
    found = np.array([tuple(row) for row in rows], dtype=np.int64).reshape(-1, 2)
    prices = np.zeros(int(found[:, 0].max(initial=0)) + 1, dtype=np.int64)
    prices[found[:, 0]] = found[:, 1]
    return prices


def unpacked_lines(packed: npt.NDArray[np.int64], after: int) -> Lines:
    """Order lines from the packed numbers of each database's ``audit_lines.sql``; ``after`` is the lower bound of the
    range that was queried."""
    lines: Lines = np.empty(len(packed), LINE_TYPE)
    lines["order"] = (packed >> 43) + after
    lines["product"] = (packed >> 19) & 0xFFFFFF
    lines["number"] = (packed >> 11) & 0xFF
    lines["quantity"] = packed & 0x7FF
    return lines
