"""What a server holds of a run's orders, as arrays: plain values between the databases and the audit."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

ORDER_TYPE = np.dtype([("order", "<u4"), ("customer", "<u4"), ("net_cents", "<u4")])
"""An order: its id, its customer's (0 when that is gone), its net amount in cents."""

LINE_TYPE = np.dtype([("order", "<u4"), ("number", "<u2"), ("quantity", "<u2"), ("product", "<u4")])
"""An order line: its order's id, its number in the order, how many it is of, and the product."""

PRODUCT_MODULUS = 1_048_573
"""The largest prime below 2**20: large enough to tell products apart, small enough for the products of ids."""

Orders = npt.NDArray[np.void]
Lines = npt.NDArray[np.void]
Cents = npt.NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class HistorySums:
    """What history rows, or the order lines that they have to be equal to, come to: how many there are, and sums over
    them that other rows are unlikely to have: of order ids, of order id × product, and of customer × product, where the
    product is its id squared modulo ``PRODUCT_MODULUS``."""

    rows: int
    orders: int
    orders_by_product: int
    customers_by_product: int
