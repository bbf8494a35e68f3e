"""Wholesale in SQL Server."""

from collections.abc import Mapping

from engine.databases.definition import script_reader
from engine.databases.mssql.definition import Piece, SqlServerDefinition
from engine.target.store_layout import StoreLayout
from engine.workloads.wholesale.bindings import store
from engine.workloads.wholesale.bindings.mssql.calls import CALLS
from engine.workloads.wholesale.estimate import estimate
from engine.workloads.wholesale.sizing import DISTRICTS, ORDERS, Warehouses

_FILEGROUP_TABLES = {
    "customers": ("customer", "history"),
    "orders": ("orders", "new_order", "order_line"),
    "misc": ("item", "warehouse", "district", "stock"),
}
_ORDERS_AT_ONCE = 20_000  # about 200,000 rows with their lines
_PAYMENTS_AT_ONCE = 200_000
_WAREHOUSES_AT_ONCE = 10  # a million rows of stock, and 300,000 customers
_PRISTINE_SHARE = 1.15  # copies for resets: quantities of the stock, data of a tenth of the customers


def _layout(scale: str) -> StoreLayout:
    tables = {table.table: table for table in estimate(Warehouses.parse(scale)).tables}
    sizes = {name: sum(tables[table].data_bytes for table in held) for name, held in _FILEGROUP_TABLES.items()}
    return StoreLayout.for_bytes(
        customers=int(sizes["customers"] * _PRISTINE_SHARE),
        orders=sizes["orders"],
        indexes=sum(table.index_bytes for table in tables.values()),
        misc=int(sizes["misc"] * _PRISTINE_SHARE),
    )


def _numbers_at_once(counts: Mapping[str, int]) -> int:
    """Every district has an order of each number."""
    return max(1, _ORDERS_AT_ONCE // (DISTRICTS * counts["warehouses"]))


STORE = SqlServerDefinition.of(
    store.STORE,
    script=script_reader("wholesale", "mssql"),
    procedures=tuple(call.statement for call in CALLS.calls.values()),
    helpers=("find_customer",),
    layout=_layout,
    pieces=(
        Piece(
            doing="removing orders",
            built=str(ORDERS),
            newest="SELECT COALESCE(MAX(d_next_o_id), 1) - 1 FROM dbo.district",
            script="reset_orders",
            at_once=_numbers_at_once,
        ),
        Piece(
            doing="removing payments",
            built="{payments}",
            newest="SELECT COALESCE(MAX(h_id), 0) FROM dbo.history",
            script="reset_payments",
            at_once=lambda _counts: _PAYMENTS_AT_ONCE,
        ),
        Piece(
            doing="restoring warehouses",
            built="0",
            newest="SELECT COALESCE(MAX(w_id), 0) FROM dbo.warehouse",
            script="reset_warehouses",
            at_once=lambda _counts: _WAREHOUSES_AT_ONCE,
        ),
    ),
)
