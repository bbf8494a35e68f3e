"""Brokerage in SQL Server."""

from collections.abc import Mapping

from engine.databases.definition import script_reader
from engine.databases.mssql.definition import Piece, SqlServerDefinition
from engine.target.store_layout import StoreLayout
from engine.workloads.brokerage.bindings import store
from engine.workloads.brokerage.estimate import estimate
from engine.workloads.brokerage.sizing import FIRST_RUN_TRADE, Size

_FILEGROUP_TABLES = {
    "customers": (
        "account_permission",
        "customer",
        "customer_account",
        "customer_taxrate",
        "holding",
        "holding_history",
        "holding_summary",
        "watch_item",
        "watch_list",
    ),
    "orders": (
        "broker",
        "cash_transaction",
        "charge",
        "commission_rate",
        "settlement",
        "trade",
        "trade_history",
        "trade_request",
        "trade_type",
    ),
}
"""The specification's customer and broker tables; the market and dimension tables are in the filegroup ``misc``."""
_TRADES_AT_ONCE = 20_000  # about 130,000 rows with those of the dependent tables
_HOLDING_ROWS_AT_ONCE = 100_000
_BUILT = FIRST_RUN_TRADE - 1


def _layout(scale: str) -> StoreLayout:
    tables = estimate(Size.parse(scale)).tables
    sizes = {
        name: sum(table.data_bytes for table in tables if table.table in held)
        for name, held in _FILEGROUP_TABLES.items()
    }
    return StoreLayout.for_bytes(
        **sizes,
        indexes=sum(table.index_bytes for table in tables),
        misc=sum(table.data_bytes for table in tables) - sum(sizes.values()),
    )


def _accounts_at_once(counts: Mapping[str, int]) -> int:
    rows = counts["holding_rows"] + counts["holding_summary_rows"]
    return max(1, _HOLDING_ROWS_AT_ONCE * counts["customer_account_rows"] // rows)


STORE = SqlServerDefinition.of(
    store.STORE,
    script=script_reader("brokerage", "mssql"),
    helpers=("chosen_trades", "undo_maintenance", "restore_holdings", "remove_trades"),
    sequences=("trade_number",),
    layout=_layout,
    pieces=(
        Piece(
            doing="restoring the holdings of accounts",
            built="0",
            newest=f"SELECT COALESCE(MAX(t_ca_id), 0) FROM dbo.trade WHERE t_id > {_BUILT}",  # noqa: S608 - our own text
            script="reset_holdings",
            at_once=_accounts_at_once,
        ),
        Piece(
            doing="removing trades",
            built=str(_BUILT),
            newest="SELECT COALESCE(MAX(t_id), 0) FROM dbo.trade",
            script="reset_trades",
            at_once=lambda _counts: _TRADES_AT_ONCE,
        ),
    ),
)
