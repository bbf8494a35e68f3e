"""The DVD Store in SQL Server."""

from dataclasses import fields

import resources
from engine.databases.mssql.definition import Piece, SqlServerDefinition, TextSearch
from engine.target.store_layout import StoreLayout
from engine.workloads.dvdstore.bindings import store
from engine.workloads.dvdstore.sizing import DbSize


def _script(name: str) -> str:
    return resources.read_text("sql", "dvdstore", "mssql", f"{name}.sql")


def _layout(scale: str) -> StoreLayout:
    return StoreLayout.for_size(DbSize.parse(scale))


_SHARED = {field.name: getattr(store.STORE, field.name) for field in fields(store.STORE)}

STORE = SqlServerDefinition(
    **{
        **_SHARED,
        "script": _script,
        "indexes": (*store.STORE.indexes, ("inventory_pristine", "inventory_pristine_pkey")),
    },
    layout=_layout,
    text_search=TextSearch(
        table="products", columns=("title", "actor"), words_table="product_words", title="titles and actors"
    ),
    pieces=(
        Piece(
            title="orders",
            built="orders",
            newest="SELECT COALESCE(MAX(orderid), 0) FROM dbo.orders",
            script="reset_orders",
        ),
        Piece(
            title="customers",
            built="customers",
            newest="SELECT COALESCE(MAX(customerid), 0) FROM dbo.customers",
            script="reset_customers",
        ),
    ),
)
