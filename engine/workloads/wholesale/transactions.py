"""The types of transactions that Wholesale counts, with the specification's response limits.

The limits are those of the TPC-C specification, clause 5.2.5.7, for the 90th percentile.
"""

from engine.workload.transaction import Metric, TransactionType

NEW_ORDER = "new_order"
ROLLED_BACK = "rolled_back"
"""A New-Order of an item that does not exist, which NOPM excludes."""
TRANSACTIONS = (
    TransactionType(id=NEW_ORDER, label="New-Order", plural="new_orders", response_limit_ms=5_000),
    TransactionType(id="payment", label="Payment", plural="payments", response_limit_ms=5_000),
    TransactionType(
        id="order_status",
        label="Order-Status",
        labels="Order-Statuses",
        plural="order_statuses",
        response_limit_ms=5_000,
    ),
    TransactionType(id="delivery", label="Delivery", labels="Deliveries", plural="deliveries", response_limit_ms=5_000),
    TransactionType(id="stock_level", label="Stock-Level", plural="stock_levels", response_limit_ms=20_000),
    TransactionType(
        id=ROLLED_BACK,
        label="New-Order rolled back",
        labels="New-Orders rolled back",
        plural="rolled_back",
        response_limit_ms=5_000,
    ),
)
NOPM = Metric(
    id="nopm",
    label="NOPM",
    unit="New-Orders/min",
    counts=NEW_ORDER,
    counted_by_store=True,
    includes_rollbacks=False,
)
