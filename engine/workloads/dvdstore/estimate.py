"""What a DVD Store of a given size holds before its first run."""

from engine.workload.rows.estimate import StoreEstimate, estimate_of
from engine.workloads.dvdstore.schema import TABLES
from engine.workloads.dvdstore.sizing import CATEGORIES, MEAN_LINES_PER_ORDER, DbSize

_INDEX_KEYS: dict[str, tuple[tuple[str, ...], ...]] = {
    "categories": (("category",),),
    "products": (("prod_id",), ("category",), ("special",), ("category", "special")),
    "inventory": (("prod_id",),),
    "customers": (("customerid",), ("username",), ("username", "password")),
    "orders": (("orderid",), ("customerid",)),
    "orderlines": (("orderid", "orderlineid"),),
    "cust_hist": (("customerid",),),
    "reorder": (),
}


def estimate(size: DbSize) -> StoreEstimate:
    """The estimate of a store of this size; an order is expected to have 5 lines."""
    lines = MEAN_LINES_PER_ORDER * size.orders
    rows = {
        "categories": CATEGORIES,
        "products": size.products,
        "inventory": size.products,
        "customers": size.customers,
        "orders": size.orders,
        "orderlines": lines,
        "cust_hist": lines,
        "reorder": 0,
    }
    return estimate_of(str(size), TABLES, rows, _INDEX_KEYS, inexact=("orderlines", "cust_hist"))
