"""What a DVD Store is on every DBMS: its tables, checks and counts."""

from collections.abc import Mapping

from engine.databases.checking import equal
from engine.databases.definition import Check, StoreDefinition, Table, no_script
from engine.databases.snapshot import Reader
from engine.workloads.dvdstore.auditor import DvdStoreAuditor, products_off
from engine.workloads.dvdstore.estimate import estimate
from engine.workloads.dvdstore.rows import StoreRows
from engine.workloads.dvdstore.schema import TABLES
from engine.workloads.dvdstore.sizing import CATEGORIES, DbSize


def rows_of(scale: str, seed: int) -> StoreRows:
    return StoreRows(DbSize.parse(scale), seed)


def size_bytes(scale: str) -> int:
    return estimate(DbSize.parse(scale)).total_bytes


def built_rows(store: Reader, counts: Mapping[str, int]) -> list[Check]:
    """That of each table as many rows are there as the build has made."""
    customers, orders, lines = counts["customers"], counts["orders"], counts["order_lines"]
    return [
        equal("built customers", customers, store.count(f"customers WHERE customerid <= {customers}")),
        equal("built orders", orders, store.count(f"orders WHERE orderid <= {orders}")),
        equal("built order lines", lines, store.count(f"orderlines WHERE orderid <= {orders}")),
        equal("built history rows", lines, store.count(f"cust_hist WHERE orderid <= {orders}")),
        equal("products", counts["products"], store.count("products")),
        equal("inventory rows", counts["products"], store.count("inventory")),
        equal("inventory rows as built", counts["products"], store.count("inventory_pristine")),
        equal("categories", CATEGORIES, store.count("categories")),
    ]


def stock(store: Reader, _counts: Mapping[str, int]) -> list[Check]:
    """That sales and stock tie out."""
    delivered = (
        "(SELECT prod_id, sum(CAST(quan_reordered - quan_low AS bigint)) AS delivered FROM reorder GROUP BY prod_id) d"
    )
    moved = (
        f"inventory i JOIN inventory_pristine b ON b.prod_id = i.prod_id LEFT JOIN {delivered} ON d.prod_id = i.prod_id"
        " WHERE i.quan_in_stock <> b.quan_in_stock - (i.sales - b.sales) + coalesce(d.delivered, 0)"
    )
    return [
        equal("products whose sales differ from their order lines", 0, products_off(store)),
        equal("products with negative stock", 0, store.count("inventory WHERE quan_in_stock < 0")),
        equal("products whose stock differs from what was built, sold and delivered", 0, store.count(moved)),
    ]


def orders(store: Reader, _counts: Mapping[str, int]) -> list[Check]:
    """That orders, their lines and their history tie out."""
    empty = "orders o WHERE NOT EXISTS (SELECT 1 FROM orderlines l WHERE l.orderid = o.orderid)"
    sums = "orders WHERE netamount + tax <> totalamount"
    return [
        equal("history rows for all order lines", store.count("orderlines"), store.count("cust_hist")),
        equal("orders without lines", 0, store.count(empty)),
        equal("orders whose net and tax differ from their total", 0, store.count(sums)),
    ]


_TITLES = {
    "categories": "categories",
    "products": "products",
    "inventory": "stock",
    "customers": "customers",
    "orders": "orders",
    "orderlines": "order lines",
    "cust_hist": "purchase history",
    "reorder": "reorders",
}
_IDENTITIES = {"customers": "customerid", "orders": "orderid", "products": "prod_id"}
_ORDERS = {"orderlines": ("orderid", "orderlineid"), "cust_hist": ()}


STORE = StoreDefinition(
    workload="dvdstore",
    version=1,
    tables={
        **{
            name: Table(
                title=_TITLES[name],
                columns=columns,
                identity=_IDENTITIES.get(name, ""),
                order=_ORDERS.get(name, (columns[0].name,)),
            )
            for name, columns in TABLES.items()
        },
        "inventory_pristine": Table(title="stock"),
    },
    # The large ones first, so that both threads end at about the same time; inventory late: it needs a pass over all
    # order lines.
    load_order=("customers", "orderlines", "cust_hist", "orders", "products", "inventory", "categories"),
    script=no_script,
    procedures=(
        "login",
        "new_customer",
        "browse_by_category",
        "browse_by_actor",
        "browse_by_title",
        "product_prices",
        "purchase",
    ),
    triggers=("restock",),
    indexes=(
        ("customers", "customers_pkey"),
        ("customers", "ix_cust_username"),
        ("customers", "ix_cust_username_password"),
        ("orders", "orders_pkey"),
        ("orders", "ix_order_customerid"),
        ("orderlines", "orderlines_pkey"),
        ("cust_hist", "ix_cust_hist_customerid"),
        ("products", "products_pkey"),
        ("products", "ix_prod_category"),
        ("products", "ix_prod_special"),
        ("products", "ix_prod_category_special"),
        ("inventory", "inventory_pkey"),
        ("categories", "categories_pkey"),
    ),
    references=("fk_order_customer", "fk_orderline_order", "fk_cust_hist_customer"),
    rows=rows_of,
    size_bytes=size_bytes,
    checks={"row counts": built_rows, "sales and stock": stock, "orders": orders},
    auditor=DvdStoreAuditor,
    high_water="SELECT coalesce(max(orderid), 0) FROM orders",
    added_above="SELECT count(*) FROM orders WHERE orderid > ?",
    beyond={
        "orders": "orders WHERE orderid > {orders}",
        "customers": "customers WHERE customerid > {customers}",
        # A purchase writes a line of history for each order line; lines have an index on their order.
        "history rows": "orderlines WHERE orderid > {orders}",
    },
)
"""Without ``script``: a DBMS's store has that."""
