"""The DVD Store in SQL Server."""

from collections.abc import Mapping

from engine.databases.definition import script_reader
from engine.databases.mssql.definition import Piece, SqlServerDefinition, TextSearch
from engine.target.store_layout import StoreLayout
from engine.workloads.dvdstore.bindings import store
from engine.workloads.dvdstore.layout import layout_for
from engine.workloads.dvdstore.sizing import DbSize

_AT_ONCE = 20_000  # of the orders some 200,000 rows, with their lines and history


def _layout(scale: str) -> StoreLayout:
    return layout_for(DbSize.parse(scale))


def _at_once(_counts: Mapping[str, int]) -> int:
    return _AT_ONCE


STORE = SqlServerDefinition.of(
    store.STORE,
    script=script_reader("dvdstore", "mssql"),
    indexes=(*store.STORE.indexes, ("inventory_pristine", "inventory_pristine_pkey")),
    layout=_layout,
    text_search=TextSearch(
        table="products", columns=("title", "actor"), words_table="product_words", title="titles and actors"
    ),
    pieces=(
        Piece(
            doing="removing orders",
            built="{orders}",
            newest="SELECT COALESCE(MAX(orderid), 0) FROM dbo.orders",
            script="reset_orders",
            at_once=_at_once,
        ),
        Piece(
            doing="removing customers",
            built="{customers}",
            newest="SELECT COALESCE(MAX(customerid), 0) FROM dbo.customers",
            script="reset_customers",
            at_once=_at_once,
        ),
    ),
)
