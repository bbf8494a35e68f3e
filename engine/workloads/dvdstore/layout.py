"""Which of a DVD Store's tables lie in which filegroup of a SQL Server, and how large these begin."""

from engine.target.store_layout import StoreLayout
from engine.workloads.dvdstore.estimate import estimate
from engine.workloads.dvdstore.sizing import DbSize

FILEGROUP_TABLES = {
    "customers": ("customers", "cust_hist"),
    "orders": ("orders", "orderlines"),
    "misc": ("products", "inventory", "categories", "reorder"),
}
"""Which tables' rows lie in which filegroup; their indexes have one of their own."""


def layout_for(size: DbSize) -> StoreLayout:
    """A layout in the server's default folders for what a store of this size is estimated to take."""
    tables = {table.table: table for table in estimate(size).tables}
    wanted = {name: sum(tables[table].data_bytes for table in held) for name, held in FILEGROUP_TABLES.items()}
    wanted["misc"] += tables["inventory"].data_bytes  # the stock as it was built lies beside the present one
    return StoreLayout.for_bytes(**wanted, indexes=sum(table.index_bytes for table in tables.values()))
