"""What makes a DVD Store in SQL Server whole: counts, keys, indexes, full text, procedures, and sums that tie out."""

from collections.abc import Callable

from engine.databases.database import Cancelled as CancelledQuestion
from engine.databases.database import Check, Progress, Tell
from engine.databases.mssql.running import one
from engine.databases.odbc.admin import cancelling
from engine.databases.odbc.connection import OdbcConnection
from engine.dvdstore.schema import TABLES
from engine.dvdstore.sizing import CATEGORIES
from engine.errors import Cancelled

STORE_TABLES = (*TABLES, "inventory_pristine")
PROCEDURES = (
    "login", "new_customer", "browse_by_category", "browse_by_actor", "browse_by_title", "product_prices", "purchase",
)  # fmt: skip
TRIGGER = "restock"
_INDEXES = (
    "customers_pkey", "ix_cust_username", "ix_cust_username_password", "orders_pkey", "ix_order_customerid",
    "orderlines_pkey", "ix_cust_hist_customerid", "products_pkey", "ix_prod_category", "ix_prod_special",
    "ix_prod_category_special", "inventory_pkey", "inventory_pristine_pkey", "categories_pkey",
)  # fmt: skip
_REFERENCES = ("fk_order_customer", "fk_orderline_order", "fk_cust_hist_customer")
_FULL_TEXT_COLUMNS = ("title", "actor")


def checked(connection: OdbcConnection, tell: Tell, cancelled: CancelledQuestion) -> list[Check]:
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


def _tables(connection: OdbcConnection) -> list[Check]:
    place = "sys.tables WHERE schema_id = SCHEMA_ID(N'dbo') AND name = "
    return [_equal(f"table {name}", 1, _count(connection, f"{place}N'{name}'")) for name in STORE_TABLES]


def _built_rows(connection: OdbcConnection) -> list[Check]:
    customers, orders, lines, products = one(
        connection, "SELECT customers, orders, order_lines, products FROM dbo.spindle_store"
    )
    return [
        _equal("built customers", customers, _count(connection, f"dbo.customers WHERE customerid <= {customers}")),
        _equal("built orders", orders, _count(connection, f"dbo.orders WHERE orderid <= {orders}")),
        _equal("built order lines", lines, _count(connection, f"dbo.orderlines WHERE orderid <= {orders}")),
        _equal("built history rows", lines, _count(connection, f"dbo.cust_hist WHERE orderid <= {orders}")),
        _equal("products", products, _count(connection, "dbo.products")),
        _equal("inventory rows", products, _count(connection, "dbo.inventory")),
        _equal("inventory rows as built", products, _count(connection, "dbo.inventory_pristine")),
        _equal("categories", CATEGORIES, _count(connection, "dbo.categories")),
    ]


def _indexes(connection: OdbcConnection) -> list[Check]:
    valid = (
        "sys.indexes AS i INNER JOIN sys.tables AS t ON t.object_id = i.object_id"
        " WHERE t.schema_id = SCHEMA_ID(N'dbo') AND i.is_disabled = 0 AND i.name = "
    )
    kept = "sys.foreign_keys WHERE schema_id = SCHEMA_ID(N'dbo') AND is_disabled = 0 AND is_not_trusted = 0 AND name = "
    text = (
        "sys.fulltext_indexes AS f INNER JOIN sys.fulltext_index_columns AS c ON c.object_id = f.object_id"
        " WHERE f.is_enabled = 1 AND f.object_id = OBJECT_ID(N'dbo.products')"
        " AND COL_NAME(c.object_id, c.column_id) = "
    )
    return [
        *(_equal(f"index {name}", 1, _count(connection, f"{valid}N'{name}'")) for name in _INDEXES),
        *(_equal(f"full text of {name}", 1, _count(connection, f"{text}N'{name}'")) for name in _FULL_TEXT_COLUMNS),
        *(_equal(f"reference {name}", 1, _count(connection, f"{kept}N'{name}'")) for name in _REFERENCES),
    ]


def _procedures(connection: OdbcConnection) -> list[Check]:
    place = "sys.procedures WHERE schema_id = SCHEMA_ID(N'dbo') AND name = "
    trigger = f"sys.triggers WHERE parent_id = OBJECT_ID(N'dbo.inventory') AND name = N'{TRIGGER}' AND is_disabled = 0"
    return [
        *(_equal(f"procedure {name}", 1, _count(connection, f"{place}N'{name}'")) for name in PROCEDURES),
        _equal(f"trigger {TRIGGER}", 1, _count(connection, trigger)),
    ]


def _stock(connection: OdbcConnection) -> list[Check]:
    sold = "(SELECT prod_id, SUM(CAST(quantity AS bigint)) AS sold FROM dbo.orderlines GROUP BY prod_id) AS l"
    untied = f"dbo.inventory AS i LEFT JOIN {sold} ON l.prod_id = i.prod_id WHERE i.sales <> COALESCE(l.sold, 0)"
    delivered = (
        "(SELECT prod_id, SUM(CAST(quan_reordered - quan_low AS bigint)) AS delivered FROM dbo.reorder"
        " GROUP BY prod_id) AS d"
    )
    moved = (
        "dbo.inventory AS i INNER JOIN dbo.inventory_pristine AS b ON b.prod_id = i.prod_id"
        f" LEFT JOIN {delivered} ON d.prod_id = i.prod_id"
        " WHERE i.quan_in_stock <> b.quan_in_stock - (i.sales - b.sales) + COALESCE(d.delivered, 0)"
    )
    return [
        _equal("products whose sales differ from their order lines", 0, _count(connection, untied)),
        _equal("products with negative stock", 0, _count(connection, "dbo.inventory WHERE quan_in_stock < 0")),
        _equal("products whose stock differs from what was built, sold and delivered", 0, _count(connection, moved)),
    ]


def _orders(connection: OdbcConnection) -> list[Check]:
    empty = "dbo.orders AS o WHERE NOT EXISTS (SELECT 1 FROM dbo.orderlines AS l WHERE l.orderid = o.orderid)"
    sums = "dbo.orders WHERE netamount + tax <> totalamount"
    lines = _count(connection, "dbo.orderlines")
    return [
        _equal("history rows for all order lines", lines, _count(connection, "dbo.cust_hist")),
        _equal("orders without lines", 0, _count(connection, empty)),
        _equal("orders whose net and tax differ from their total", 0, _count(connection, sums)),
    ]


_CHECKS: tuple[tuple[str, Callable[[OdbcConnection], list[Check]]], ...] = (
    ("tables", _tables),
    ("row counts", _built_rows),
    ("indexes", _indexes),
    ("procedures", _procedures),
    ("sales and stock", _stock),
    ("orders", _orders),
)


def _count(connection: OdbcConnection, what: str) -> int:
    return int(one(connection, f"SELECT COUNT_BIG(*) FROM {what}")[0])  # noqa: S608 - our own text


def _equal(what: str, expected: int, found: int) -> Check:
    return Check(what=what, expected=f"{expected:,}", found=f"{found:,}", ok=expected == found)
