"""What makes a DVD Store in SQL Server whole: counts, keys, indexes, full text, procedures, and sums that tie out."""

from collections.abc import Callable

from engine.databases.checking import CALLED_PROCEDURES, REFERENCES, STORE_TABLES, built_rows, check_all, equal
from engine.databases.database import Check, IsCancelled, ReportProgress
from engine.databases.mssql.running import one
from engine.databases.mssql.substitutes import has_words
from engine.databases.odbc.admin import cancelling
from engine.databases.odbc.connection import OdbcConnection

TRIGGER = "restock"
_INDEXES = (
    "customers_pkey", "ix_cust_username", "ix_cust_username_password", "orders_pkey", "ix_order_customerid",
    "orderlines_pkey", "ix_cust_hist_customerid", "products_pkey", "ix_prod_category", "ix_prod_special",
    "ix_prod_category_special", "inventory_pkey", "inventory_pristine_pkey", "categories_pkey",
)  # fmt: skip
_FULL_TEXT_COLUMNS = ("title", "actor")


def checked(connection: OdbcConnection, report_progress: ReportProgress, cancelled: IsCancelled) -> list[Check]:
    """Look at a complete store; raises ``Cancelled``. When a table is missing, the rest can't be looked at."""
    checks: dict[str, Callable[[], list[Check]]] = {
        "tables": lambda: _tables(connection),
        "row counts": lambda: _built_rows(connection),
        "indexes": lambda: _indexes(connection),
        "procedures": lambda: _procedures(connection),
        "sales and stock": lambda: _stock(connection),
        "orders": lambda: _orders(connection),
    }
    return check_all(checks, lambda: cancelling(connection, cancelled), report_progress, cancelled)


def _tables(connection: OdbcConnection) -> list[Check]:
    place = "sys.tables WHERE schema_id = SCHEMA_ID(N'dbo') AND name = "
    return [equal(f"table {name}", 1, _count(connection, f"{place}N'{name}'")) for name in STORE_TABLES]


def _built_rows(connection: OdbcConnection) -> list[Check]:
    built = one(connection, "SELECT customers, orders, order_lines, products FROM dbo.spindle_store")
    return built_rows(lambda what: _count(connection, f"dbo.{what}"), *built)


def _indexes(connection: OdbcConnection) -> list[Check]:
    valid = (
        "sys.indexes AS i INNER JOIN sys.tables AS t ON t.object_id = i.object_id"
        " WHERE t.schema_id = SCHEMA_ID(N'dbo') AND i.is_disabled = 0 AND i.name = "
    )
    kept = "sys.foreign_keys WHERE schema_id = SCHEMA_ID(N'dbo') AND is_disabled = 0 AND is_not_trusted = 0 AND name = "
    return [
        *(equal(f"index {name}", 1, _count(connection, f"{valid}N'{name}'")) for name in _INDEXES),
        *_searches(connection),
        *(equal(f"reference {name}", 1, _count(connection, f"{kept}N'{name}'")) for name in REFERENCES),
    ]


def _searches(connection: OdbcConnection) -> list[Check]:
    """What titles and actors are found by: the full-text index, or where there is none the table of words."""
    if has_words(connection):
        missing = (
            "dbo.products AS p WHERE NOT EXISTS (SELECT 1 FROM dbo.product_words AS w WHERE w.prod_id = p.prod_id)"
        )
        return [equal("products without words", 0, _count(connection, missing))]
    text = (
        "sys.fulltext_indexes AS f INNER JOIN sys.fulltext_index_columns AS c ON c.object_id = f.object_id"
        " WHERE f.is_enabled = 1 AND f.object_id = OBJECT_ID(N'dbo.products')"
        " AND COL_NAME(c.object_id, c.column_id) = "
    )
    return [equal(f"full text of {name}", 1, _count(connection, f"{text}N'{name}'")) for name in _FULL_TEXT_COLUMNS]


def _procedures(connection: OdbcConnection) -> list[Check]:
    place = "sys.procedures WHERE schema_id = SCHEMA_ID(N'dbo') AND name = "
    trigger = f"sys.triggers WHERE parent_id = OBJECT_ID(N'dbo.inventory') AND name = N'{TRIGGER}' AND is_disabled = 0"
    return [
        *(equal(f"procedure {name}", 1, _count(connection, f"{place}N'{name}'")) for name in CALLED_PROCEDURES),
        equal(f"trigger {TRIGGER}", 1, _count(connection, trigger)),
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
        equal("products whose sales differ from their order lines", 0, _count(connection, untied)),
        equal("products with negative stock", 0, _count(connection, "dbo.inventory WHERE quan_in_stock < 0")),
        equal("products whose stock differs from what was built, sold and delivered", 0, _count(connection, moved)),
    ]


def _orders(connection: OdbcConnection) -> list[Check]:
    empty = "dbo.orders AS o WHERE NOT EXISTS (SELECT 1 FROM dbo.orderlines AS l WHERE l.orderid = o.orderid)"
    sums = "dbo.orders WHERE netamount + tax <> totalamount"
    lines = _count(connection, "dbo.orderlines")
    return [
        equal("history rows for all order lines", lines, _count(connection, "dbo.cust_hist")),
        equal("orders without lines", 0, _count(connection, empty)),
        equal("orders whose net and tax differ from their total", 0, _count(connection, sums)),
    ]


def _count(connection: OdbcConnection, what: str) -> int:
    return int(one(connection, f"SELECT COUNT_BIG(*) FROM {what}")[0])  # noqa: S608 - our own text
