"""What a Wholesale store is on every DBMS: its tables, checks and counts."""

from collections.abc import Mapping

from engine.databases.checking import equal
from engine.databases.conditions import condition_checks, consistency
from engine.databases.definition import Check, Recorded, StoreDefinition, Table, no_script
from engine.databases.snapshot import Reader
from engine.workloads.wholesale.conditions import CONDITIONS
from engine.workloads.wholesale.estimate import size_bytes
from engine.workloads.wholesale.rows import WholesaleRows
from engine.workloads.wholesale.schema import INDEX_KEYS, TABLES
from engine.workloads.wholesale.sizing import ITEMS, ORDERS, STOCK, UNDELIVERED, Warehouses
from engine.workloads.wholesale.user import DISTRICT_KEYS, district_of

_TITLES = {
    "item": "items",
    "warehouse": "warehouses",
    "district": "districts",
    "stock": "stock",
    "customer": "customers",
    "history": "payments",
    "orders": "orders",
    "new_order": "undelivered orders",
    "order_line": "order lines",
}


def _rows(scale: str, seed: int) -> WholesaleRows:
    return WholesaleRows(Warehouses.parse(scale), seed)


def _built_rows(store: Reader, counts: Mapping[str, int]) -> list[Check]:
    """Checks that each table still has the number of rows that the build has made."""
    scale = Warehouses(counts["warehouses"])
    customers, built = scale.customers, f"<= {ORDERS}"
    return [
        equal("items", ITEMS, store.count("item")),
        equal("warehouses", scale.count, store.count("warehouse")),
        equal("districts", scale.districts, store.count("district")),
        equal("stock rows", STOCK * scale.count, store.count("stock")),
        equal("stock rows as built", STOCK * scale.count, store.count("stock_pristine")),
        equal("customers", customers, store.count("customer")),
        equal("built payments", customers, store.count(f"history WHERE h_id <= {customers}")),
        equal("built orders", scale.orders, store.count(f"orders WHERE o_id {built}")),
        equal("built order lines", counts["order_lines"], store.count(f"order_line WHERE ol_o_id {built}")),
    ]


def _place_of(key: int) -> str:
    warehouse, district = district_of(key)
    return f"warehouse {warehouse}, district {district}"


_DISTRICTS_ORDERS = "district d JOIN orders o ON o.o_w_id = d.d_w_id AND o.o_d_id = d.d_id"
_KEY = f"d.d_w_id * {DISTRICT_KEYS} + d.d_id"
_RECORDED = (
    f"SELECT {_KEY} AS key_, o.o_id AS number_, o.o_c_id AS check_ FROM {_DISTRICTS_ORDERS}"  # noqa: S608 - our own text
    f" AND o.o_id > {ORDERS} WHERE {_KEY} > {{after}} AND {_KEY} <= {{to}}"
)
_NUMBERS = "(SELECT coalesce(sum(CAST(d_next_o_id AS bigint)), 0) FROM district)"

STORE = StoreDefinition(
    workload="wholesale",
    version=1,
    tables={
        **{
            name: Table(
                title=_TITLES[name],
                columns=columns,
                identity="h_id" if name == "history" else "",
                order=INDEX_KEYS[name][0],
            )
            for name, columns in TABLES.items()
        },
        "stock_pristine": Table(title="stock"),
        "customer_pristine": Table(title="customers"),
    },
    # The large tables first, so that both loading threads end at about the same time.
    load_order=(
        "order_line",
        "stock",
        "customer",
        "history",
        "orders",
        "item",
        "new_order",
        "district",
        "warehouse",
    ),
    script=no_script,
    procedures=("new_order", "payment", "order_status", "delivery", "stock_level"),
    indexes=(
        *((name, f"{name}_pkey") for name in (*TABLES, "stock_pristine", "customer_pristine")),
        ("customer", "ix_customer_name"),
        ("orders", "ix_orders_customer"),
    ),
    references=(
        "fk_district_warehouse",
        "fk_customer_district",
        "fk_history_customer",
        "fk_orders_customer",
        "fk_new_order_orders",
        "fk_stock_item",
        "fk_order_line_orders",
    ),
    rows=_rows,
    size_bytes=size_bytes,
    checks={"row counts": _built_rows, **condition_checks(CONDITIONS)},
    recorded=Recorded(
        query=_RECORDED,
        highest_key=f"SELECT (coalesce(max(w_id), 0) + 1) * {DISTRICT_KEYS} FROM warehouse",  # noqa: S608 - our own text
        built=ORDERS,
        place_of=_place_of,
    ),
    consistency=consistency(CONDITIONS),
    high_water=f"SELECT {_NUMBERS}",
    added_above=f"SELECT {_NUMBERS} - ?",
    beyond={
        "orders": f"{_DISTRICTS_ORDERS} AND o.o_id > {ORDERS}",
        "payments": "history WHERE h_id > {payments}",
        "deliveries": f"{_DISTRICTS_ORDERS} AND o.o_id > {ORDERS - UNDELIVERED} AND o.o_id <= {ORDERS}"
        " WHERE o.o_carrier_id IS NOT NULL",
    },
)
"""The common part; each DBMS's binding replaces ``script``."""
