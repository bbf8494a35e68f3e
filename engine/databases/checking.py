"""Verifying a built store, shared by all DBMSs: the sequence of checks, their form, and the row counts."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager

from engine.databases.database import Check, IsCancelled, Progress, ReportProgress
from engine.errors import Cancelled
from engine.workloads.dvdstore.schema import TABLES
from engine.workloads.dvdstore.sizing import CATEGORIES

STORE_TABLES = (*TABLES, "inventory_pristine")
REFERENCES = ("fk_order_customer", "fk_orderline_order", "fk_cust_hist_customer")
CALLED_PROCEDURES = (
    "login", "new_customer", "browse_by_category", "browse_by_actor", "browse_by_title", "product_prices", "purchase",
)  # fmt: skip
"""The procedures that an emulated user calls."""

Count = Callable[[str], int]
"""Counts the rows of a FROM clause."""


def check_all(
    checks: Mapping[str, Callable[[], list[Check]]],
    cancelling: Callable[[], AbstractContextManager[None]],
    report_progress: ReportProgress,
    cancelled: IsCancelled,
) -> list[Check]:
    """Run groups of checks, keyed by what they check, within ``cancelling``; raises ``Cancelled``.

    The first group checks that all objects exist; if one is missing, the other groups are left out.
    """
    found: list[Check] = []
    for number, (what, check) in enumerate(checks.items()):
        if cancelled():
            raise Cancelled
        report_progress(Progress(doing=f"checking {what}", share=number / len(checks)))
        with cancelling():
            found += check()
        if number == 0 and not all(each.ok for each in found):
            break
    report_progress(Progress(doing="checked", share=1.0))
    return found


def equal(what: str, expected: int, found: int) -> Check:
    """A check that two numbers are the same."""
    return Check(what=what, expected=f"{expected:,}", found=f"{found:,}", ok=expected == found)


def built_rows(count: Count, customers: int, orders: int, lines: int, products: int) -> list[Check]:
    """Checks that of each table as many rows are there as the build has made."""
    return [
        equal("built customers", customers, count(f"customers WHERE customerid <= {customers}")),
        equal("built orders", orders, count(f"orders WHERE orderid <= {orders}")),
        equal("built order lines", lines, count(f"orderlines WHERE orderid <= {orders}")),
        equal("built history rows", lines, count(f"cust_hist WHERE orderid <= {orders}")),
        equal("products", products, count("products")),
        equal("inventory rows", products, count("inventory")),
        equal("inventory rows as built", products, count("inventory_pristine")),
        equal("categories", CATEGORIES, count("categories")),
    ]


def stock(count: Count) -> list[Check]:
    """Checks that sales and stock tie out; SQL Server has its own, for its sums overflow."""
    sold = "(SELECT prod_id, sum(quantity) AS sold FROM orderlines GROUP BY prod_id) l"
    untied = f"inventory i LEFT JOIN {sold} USING (prod_id) WHERE i.sales <> coalesce(l.sold, 0)"
    delivered = "(SELECT prod_id, sum(quan_reordered - quan_low) AS delivered FROM reorder GROUP BY prod_id) d"
    moved = (
        f"inventory i JOIN inventory_pristine b USING (prod_id) LEFT JOIN {delivered} USING (prod_id)"
        " WHERE i.quan_in_stock <> b.quan_in_stock - (i.sales - b.sales) + coalesce(d.delivered, 0)"
    )
    return [
        equal("products whose sales differ from their order lines", 0, count(untied)),
        equal("products with negative stock", 0, count("inventory WHERE quan_in_stock < 0")),
        equal("products whose stock differs from what was built, sold and delivered", 0, count(moved)),
    ]


def orders(count: Count) -> list[Check]:
    """Checks that orders, their lines and their history tie out, where tables are named without a schema."""
    empty = "orders o WHERE NOT EXISTS (SELECT 1 FROM orderlines l WHERE l.orderid = o.orderid)"
    sums = "orders WHERE netamount + tax <> totalamount"
    return [
        equal("history rows for all order lines", count("orderlines"), count("cust_hist")),
        equal("orders without lines", 0, count(empty)),
        equal("orders whose net and tax differ from their total", 0, count(sums)),
    ]
