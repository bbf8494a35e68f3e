"""What Wholesale counts: its five types of transactions, with the specification's limits of their response times.

The limits are those of the TPC-C specification, clause 5.2.5.7, for the 90th percentile.
"""

from engine.workload.transaction import Metric, TransactionType

NEW_ORDER = "new_order"
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
)
NOPM = Metric(id="nopm", label="NOPM", unit="New-Orders/min", counts=NEW_ORDER)
