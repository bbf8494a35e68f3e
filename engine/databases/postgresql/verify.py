"""What makes a DVD Store in PostgreSQL whole: counts, keys, indexes, procedures, and sums that tie out."""

from collections.abc import Callable
from typing import Any

from engine.databases.checking import (
    CALLED_PROCEDURES,
    REFERENCES,
    STORE_TABLES,
    built_rows,
    check_all,
    equal,
    orders,
    stock,
)
from engine.databases.database import Check, IsCancelled, ReportProgress
from engine.databases.postgresql.admin import Connection, cancelling

_PUBLIC = "'public'::regnamespace"
_INDEXES = (
    "customers_pkey", "ix_cust_username", "ix_cust_username_password", "orders_pkey", "ix_order_customerid",
    "orderlines_pkey", "ix_cust_hist_customerid", "products_pkey", "ix_prod_category", "ix_prod_special",
    "ix_prod_category_special", "ix_prod_title", "ix_prod_actor", "inventory_pkey", "categories_pkey",
)  # fmt: skip
PROCEDURES = (*CALLED_PROCEDURES, "restock")


def checked(connection: Connection, report_progress: ReportProgress, cancelled: IsCancelled) -> list[Check]:
    """Look at a complete store; raises ``Cancelled``. When a table is missing, the rest can't be looked at."""

    def count(what: str) -> int:
        return _count(connection, what)

    checks: dict[str, Callable[[], list[Check]]] = {
        "tables": lambda: _tables(connection),
        "row counts": lambda: built_rows(count, *_built(connection)),
        "indexes": lambda: _indexes(connection),
        "procedures": lambda: _procedures(connection),
        "sales and stock": lambda: stock(count),
        "orders": lambda: orders(count),
    }
    return check_all(checks, lambda: cancelling(connection, cancelled), report_progress, cancelled)


def _tables(connection: Connection) -> list[Check]:
    place = f"pg_class WHERE relkind = 'r' AND relnamespace = {_PUBLIC} AND relname = "
    return [equal(f"table {name}", 1, _count(connection, f"{place}'{name}'")) for name in STORE_TABLES]


def _built(connection: Connection) -> tuple[int, int, int, int]:
    row: Any = connection.execute("SELECT customers, orders, order_lines, products FROM spindle_store").fetchone()
    customers, orders, order_lines, products = row
    return customers, orders, order_lines, products


def _indexes(connection: Connection) -> list[Check]:
    valid = f"pg_class c JOIN pg_index i ON i.indexrelid = c.oid WHERE i.indisvalid AND c.relnamespace = {_PUBLIC}"
    kept = f"pg_constraint WHERE convalidated AND connamespace = {_PUBLIC}"
    return [
        *(equal(f"index {name}", 1, _count(connection, f"{valid} AND c.relname = '{name}'")) for name in _INDEXES),
        *(equal(f"reference {name}", 1, _count(connection, f"{kept} AND conname = '{name}'")) for name in REFERENCES),
    ]


def _procedures(connection: Connection) -> list[Check]:
    place = f"pg_proc WHERE pronamespace = {_PUBLIC} AND proname = "
    trigger = "pg_trigger WHERE tgrelid = 'inventory'::regclass AND tgname = 'restock' AND tgenabled IN ('O', 'A')"
    return [
        *(equal(f"procedure {name}", 1, _count(connection, f"{place}'{name}'")) for name in PROCEDURES),
        equal("trigger restock", 1, _count(connection, trigger)),
    ]


def _count(connection: Connection, what: str) -> int:
    row: Any = connection.execute(f"SELECT count(*) FROM {what}".encode()).fetchone()  # noqa: S608 - our own text
    return int(row[0])
