"""What makes a DVD Store in MariaDB or MySQL whole: counts, keys, indexes, procedures, and sums that tie out."""

from collections.abc import Callable

from engine.databases.database import Cancelled as CancelledQuestion
from engine.databases.database import Check, Progress, Tell
from engine.databases.mariadb.marks import Built
from engine.databases.odbc.admin import cancelling
from engine.databases.odbc.connection import OdbcConnection
from engine.dvdstore import words
from engine.dvdstore.schema import TABLES
from engine.dvdstore.sizing import CATEGORIES
from engine.errors import Cancelled

STORE_TABLES = (*TABLES, "inventory_pristine")
_INDEXES = (
    ("customers", "PRIMARY"), ("customers", "ix_cust_username"), ("customers", "ix_cust_username_password"),
    ("orders", "PRIMARY"), ("orders", "ix_order_customerid"), ("orderlines", "PRIMARY"), ("cust_hist", "PRIMARY"),
    ("cust_hist", "ix_cust_hist_customerid"), ("products", "PRIMARY"), ("products", "ix_prod_category"),
    ("products", "ix_prod_special"), ("products", "ix_prod_category_special"), ("products", "ix_prod_title"),
    ("products", "ix_prod_actor"), ("inventory", "PRIMARY"), ("inventory_pristine", "PRIMARY"),
    ("categories", "PRIMARY"),
)  # fmt: skip
_REFERENCES = ("fk_order_customer", "fk_orderline_order", "fk_cust_hist_customer")
PROCEDURES = (
    "login", "new_customer", "browse_by_category", "browse_by_actor", "browse_by_title", "product_prices", "purchase",
)  # fmt: skip


def checked(connection: OdbcConnection, built: Built, tell: Tell, cancelled: CancelledQuestion) -> list[Check]:
    """Look at a complete store; raises ``Cancelled``. When a table is missing, the rest can't be looked at."""
    checks: list[Check] = []
    for number, (what, check) in enumerate(_CHECKS):
        if cancelled():
            raise Cancelled
        tell(Progress(doing=f"checking {what}", share=number / len(_CHECKS)))
        with cancelling(connection, cancelled):
            found = check(connection, built)
        checks += found
        if check is _tables and not all(each.ok for each in found):
            break
    tell(Progress(doing="checked", share=1.0))
    return checks


def _tables(connection: OdbcConnection, _built: Built) -> list[Check]:
    place = "information_schema.tables WHERE table_schema = database() AND engine = 'InnoDB' AND table_name = "
    return [_equal(f"table {name}", 1, _count(connection, f"{place}'{name}'")) for name in STORE_TABLES]


def _built_rows(connection: OdbcConnection, built: Built) -> list[Check]:
    def rows(what: str) -> int:
        return _count(connection, what)

    return [
        _equal("built customers", built.customers, rows(f"customers WHERE customerid <= {built.customers}")),
        _equal("built orders", built.orders, rows(f"orders WHERE orderid <= {built.orders}")),
        _equal("built order lines", built.order_lines, rows(f"orderlines WHERE orderid <= {built.orders}")),
        _equal("built history rows", built.order_lines, rows(f"cust_hist WHERE orderid <= {built.orders}")),
        _equal("products", built.products, rows("products")),
        _equal("inventory rows", built.products, rows("inventory")),
        _equal("inventory rows as built", built.products, rows("inventory_pristine")),
        _equal("categories", CATEGORIES, rows("categories")),
    ]


def _indexes(connection: OdbcConnection, _built: Built) -> list[Check]:
    place = "information_schema.statistics WHERE table_schema = database() AND seq_in_index = 1"
    kept = "information_schema.referential_constraints WHERE constraint_schema = database() AND constraint_name = "
    indexes = [
        _equal(
            f"index {name if name != 'PRIMARY' else f'{table} primary key'}",
            1,
            _count(connection, f"{place} AND table_name = '{table}' AND index_name = '{name}'"),
        )
        for table, name in _INDEXES
    ]
    references = [_equal(f"reference {name}", 1, _count(connection, f"{kept}'{name}'")) for name in _REFERENCES]
    return [*indexes, *references, _equal("words too short for the full-text indexes", 0, _short_words(connection))]


def _short_words(connection: OdbcConnection) -> int:
    """How many words of titles and actors no search on this server finds: none, unless its least length was raised."""
    ((least,),) = connection.query("SELECT @@innodb_ft_min_token_size")
    return sum(len(word) < int(least) for word in (*words.title_words(), *words.first_names(), *words.last_names()))


def _procedures(connection: OdbcConnection, _built: Built) -> list[Check]:
    place = "information_schema.routines WHERE routine_schema = database() AND routine_name = "
    trigger = (
        "information_schema.triggers WHERE trigger_schema = database() AND trigger_name = 'restock'"
        " AND event_object_table = 'inventory'"
    )
    return [
        *(_equal(f"procedure {name}", 1, _count(connection, f"{place}'{name}'")) for name in PROCEDURES),
        _equal("trigger restock", 1, _count(connection, trigger)),
    ]


def _stock(connection: OdbcConnection, _built: Built) -> list[Check]:
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


def _orders(connection: OdbcConnection, _built: Built) -> list[Check]:
    empty = "orders o WHERE NOT EXISTS (SELECT 1 FROM orderlines l WHERE l.orderid = o.orderid)"
    sums = "orders WHERE netamount + tax <> totalamount"
    return [
        _equal("history rows for all order lines", _count(connection, "orderlines"), _count(connection, "cust_hist")),
        _equal("orders without lines", 0, _count(connection, empty)),
        _equal("orders whose net and tax differ from their total", 0, _count(connection, sums)),
    ]


_CHECKS: tuple[tuple[str, Callable[[OdbcConnection, Built], list[Check]]], ...] = (
    ("tables", _tables),
    ("row counts", _built_rows),
    ("indexes", _indexes),
    ("procedures", _procedures),
    ("sales and stock", _stock),
    ("orders", _orders),
)


def _count(connection: OdbcConnection, what: str) -> int:
    return int(connection.query(f"SELECT count(*) FROM {what}")[0][0])  # noqa: S608 - our own text


def _equal(what: str, expected: int, found: int) -> Check:
    return Check(what=what, expected=f"{expected:,}", found=f"{found:,}", ok=expected == found)
