"""What makes a DVD Store in PostgreSQL whole: counts, keys, indexes, procedures, and sums that tie out."""

from collections.abc import Callable
from typing import Any

from engine.databases.database import Cancelled as CancelledQuestion
from engine.databases.database import Check, Progress, Tell
from engine.databases.postgresql.admin import Connection, cancelling
from engine.dvdstore.schema import TABLES
from engine.dvdstore.sizing import CATEGORIES
from engine.errors import Cancelled

STORE_TABLES = (*TABLES, "inventory_pristine")
_PUBLIC = "'public'::regnamespace"
_INDEXES = (
    "customers_pkey", "ix_cust_username", "ix_cust_username_password", "orders_pkey", "ix_order_customerid",
    "orderlines_pkey", "ix_cust_hist_customerid", "products_pkey", "ix_prod_category", "ix_prod_special",
    "ix_prod_category_special", "ix_prod_title", "ix_prod_actor", "inventory_pkey", "categories_pkey",
)  # fmt: skip
_REFERENCES = ("fk_order_customer", "fk_orderline_order", "fk_cust_hist_customer")
PROCEDURES = (
    "login", "new_customer", "browse_by_category", "browse_by_actor", "browse_by_title", "product_prices", "purchase",
    "restock",
)  # fmt: skip


def checked(connection: Connection, tell: Tell, cancelled: CancelledQuestion) -> list[Check]:
    """Look at a complete store; raises ``Cancelled``. When a table is missing, the rest can't be looked at."""
    checks: list[Check] = []
    for number, (what, check) in enumerate(_CHECKS):
        if cancelled():
            raise Cancelled
        tell(Progress(doing=f"checking {what}", share=number / len(_CHECKS)))
        with cancelling(connection, cancelled):
            found = check(connection)
        checks += found
        if check is _tables and not all(each.ok for each in found):
            break
    tell(Progress(doing="checked", share=1.0))
    return checks


def _tables(connection: Connection) -> list[Check]:
    place = f"pg_class WHERE relkind = 'r' AND relnamespace = {_PUBLIC} AND relname = "
    return [_equal(f"table {name}", 1, _count(connection, f"{place}'{name}'")) for name in STORE_TABLES]


def _built_rows(connection: Connection) -> list[Check]:
    row: Any = connection.execute("SELECT customers, orders, order_lines, products FROM spindle_store").fetchone()
    customers, orders, lines, products = row
    return [
        _equal("built customers", customers, _count(connection, f"customers WHERE customerid <= {customers}")),
        _equal("built orders", orders, _count(connection, f"orders WHERE orderid <= {orders}")),
        _equal("built order lines", lines, _count(connection, f"orderlines WHERE orderid <= {orders}")),
        _equal("built history rows", lines, _count(connection, f"cust_hist WHERE orderid <= {orders}")),
        _equal("products", products, _count(connection, "products")),
        _equal("inventory rows", products, _count(connection, "inventory")),
        _equal("inventory rows as built", products, _count(connection, "inventory_pristine")),
        _equal("categories", CATEGORIES, _count(connection, "categories")),
    ]


def _indexes(connection: Connection) -> list[Check]:
    valid = f"pg_class c JOIN pg_index i ON i.indexrelid = c.oid WHERE i.indisvalid AND c.relnamespace = {_PUBLIC}"
    kept = f"pg_constraint WHERE convalidated AND connamespace = {_PUBLIC}"
    return [
        *(_equal(f"index {name}", 1, _count(connection, f"{valid} AND c.relname = '{name}'")) for name in _INDEXES),
        *(_equal(f"reference {name}", 1, _count(connection, f"{kept} AND conname = '{name}'")) for name in _REFERENCES),
    ]


def _procedures(connection: Connection) -> list[Check]:
    place = f"pg_proc WHERE pronamespace = {_PUBLIC} AND proname = "
    trigger = "pg_trigger WHERE tgrelid = 'inventory'::regclass AND tgname = 'restock' AND tgenabled IN ('O', 'A')"
    return [
        *(_equal(f"procedure {name}", 1, _count(connection, f"{place}'{name}'")) for name in PROCEDURES),
        _equal("trigger restock", 1, _count(connection, trigger)),
    ]


def _stock(connection: Connection) -> list[Check]:
    sold = "(SELECT prod_id, sum(quantity) AS sold FROM orderlines GROUP BY prod_id) l"
    untied = f"inventory i LEFT JOIN {sold} USING (prod_id) WHERE i.sales <> coalesce(l.sold, 0)"
    delivered = "(SELECT prod_id, sum(quan_reordered - quan_low) AS delivered FROM reorder GROUP BY prod_id) d"
    moved = (
        f"inventory i JOIN inventory_pristine b USING (prod_id) LEFT JOIN {delivered} USING (prod_id)"
        " WHERE i.quan_in_stock <> b.quan_in_stock - (i.sales - b.sales) + coalesce(d.delivered, 0)"
    )
    return [
        _equal("products whose sales differ from their order lines", 0, _count(connection, untied)),
        _equal("products with negative stock", 0, _count(connection, "inventory WHERE quan_in_stock < 0")),
        _equal("products whose stock differs from what was built, sold and delivered", 0, _count(connection, moved)),
    ]


def _orders(connection: Connection) -> list[Check]:
    empty = "orders o WHERE NOT EXISTS (SELECT 1 FROM orderlines l WHERE l.orderid = o.orderid)"
    sums = "orders WHERE netamount + tax <> totalamount"
    return [
        _equal("history rows for all order lines", _count(connection, "orderlines"), _count(connection, "cust_hist")),
        _equal("orders without lines", 0, _count(connection, empty)),
        _equal("orders whose net and tax differ from their total", 0, _count(connection, sums)),
    ]


_CHECKS: tuple[tuple[str, Callable[[Connection], list[Check]]], ...] = (
    ("tables", _tables),
    ("row counts", _built_rows),
    ("indexes", _indexes),
    ("procedures", _procedures),
    ("sales and stock", _stock),
    ("orders", _orders),
)


def _count(connection: Connection, what: str) -> int:
    row: Any = connection.execute(f"SELECT count(*) FROM {what}".encode()).fetchone()  # noqa: S608 - our own text
    return int(row[0])


def _equal(what: str, expected: int, found: int) -> Check:
    return Check(what=what, expected=f"{expected:,}", found=f"{found:,}", ok=expected == found)
