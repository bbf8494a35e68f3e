"""What makes a DVD Store in PostgreSQL whole: counts, keys, indexes, procedures, and sums that tie out."""

from collections.abc import Callable
from typing import Any

from engine.databases.database import Check
from engine.databases.postgresql.admin import Connection

_INDEXES = (
    "customers_pkey", "ix_cust_username", "ix_cust_username_password", "orders_pkey", "ix_order_customerid",
    "orderlines_pkey", "ix_cust_hist_customerid", "products_pkey", "ix_prod_category", "ix_prod_special",
    "ix_prod_category_special", "ix_prod_title", "ix_prod_actor", "inventory_pkey", "categories_pkey",
)  # fmt: skip
_REFERENCES = ("fk_order_customer", "fk_orderline_order", "fk_cust_hist_customer")
_PROCEDURES = (
    "login", "new_customer", "browse_by_category", "browse_by_actor", "browse_by_title", "product_prices", "purchase",
    "restock",
)  # fmt: skip


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
        _equal("categories", 16, _count(connection, "categories")),
    ]


def _indexes(connection: Connection) -> list[Check]:
    valid = "pg_class c JOIN pg_index i ON i.indexrelid = c.oid WHERE i.indisvalid AND c.relname = '{}'"
    return [
        *(_equal(f"index {name}", 1, _count(connection, valid.format(name))) for name in _INDEXES),
        *(
            _equal(
                f"reference {name}", 1, _count(connection, f"pg_constraint WHERE convalidated AND conname = '{name}'")
            )
            for name in _REFERENCES
        ),
    ]


def _procedures(connection: Connection) -> list[Check]:
    place = "pg_proc WHERE pronamespace = 'public'::regnamespace AND proname = '{}'"
    trigger = "pg_trigger WHERE tgrelid = 'inventory'::regclass AND tgname = 'restock' AND tgenabled <> 'D'"
    return [
        *(_equal(f"procedure {name}", 1, _count(connection, place.format(name))) for name in _PROCEDURES),
        _equal("trigger restock", 1, _count(connection, trigger)),
    ]


def _sales(connection: Connection) -> list[Check]:
    sold = "(SELECT prod_id, sum(quantity) AS sold FROM orderlines GROUP BY prod_id) l"
    untied = f"inventory i LEFT JOIN {sold} USING (prod_id) WHERE i.sales <> coalesce(l.sold, 0)"
    return [
        _equal("products whose sales differ from their order lines", 0, _count(connection, untied)),
        _equal("products with negative stock", 0, _count(connection, "inventory WHERE quan_in_stock < 0")),
    ]


def _orders(connection: Connection) -> list[Check]:
    empty = "orders o WHERE NOT EXISTS (SELECT 1 FROM orderlines l WHERE l.orderid = o.orderid)"
    sums = "orders WHERE netamount + tax <> totalamount"
    return [
        _equal("history rows for all order lines", _count(connection, "orderlines"), _count(connection, "cust_hist")),
        _equal("orders without lines", 0, _count(connection, empty)),
        _equal("orders whose net and tax differ from their total", 0, _count(connection, sums)),
    ]


CHECKS: tuple[tuple[str, Callable[[Connection], list[Check]]], ...] = (
    ("row counts", _built_rows),
    ("indexes", _indexes),
    ("procedures", _procedures),
    ("sales against order lines", _sales),
    ("orders", _orders),
)


def _count(connection: Connection, what: str) -> int:
    row: Any = connection.execute(f"SELECT count(*) FROM {what}".encode()).fetchone()  # noqa: S608 - our own text
    return int(row[0])


def _equal(what: str, expected: int, found: int) -> Check:
    return Check(what=what, expected=f"{expected:,}", found=f"{found:,}", ok=expected == found)
