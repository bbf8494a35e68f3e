"""The types of transactions that Brokerage counts, with the specification's shares and response limits.

Shares are those of the TPC-E specification, clause 6.3, limits those of clause 6.5, for the 90th percentile.
"""

from engine.workload.transaction import Metric, TransactionType

TRADE_RESULT, TRADE_ORDER, MARKET_FEED = "trade_result", "trade_order", "market_feed"
ROLLED_BACK = "rolled_back"
"""A Trade-Order that was rolled back, as one of a hundred is on purpose."""
DATA_MAINTENANCE, TRADE_CLEANUP = "data_maintenance", "trade_cleanup"

TRANSACTIONS = (
    TransactionType(
        id=TRADE_RESULT, label="Trade-Result", plural="trade_results", response_limit_ms=2_000, mix_pct=10
    ),
    TransactionType(
        id=TRADE_ORDER, label="Trade-Order", plural="trade_orders", response_limit_ms=2_000, mix_pct=10.1
    ),
    TransactionType(
        id="trade_status", label="Trade-Status", labels="Trade-Statuses", plural="trade_statuses",
        response_limit_ms=1_000, mix_pct=19,
    ),
    TransactionType(
        id="market_watch", label="Market-Watch", labels="Market-Watches", plural="market_watches",
        response_limit_ms=3_000, mix_pct=18,
    ),
    TransactionType(
        id="security_detail", label="Security-Detail", plural="security_details", response_limit_ms=3_000, mix_pct=14
    ),
    TransactionType(
        id="customer_position", label="Customer-Position", plural="customer_positions", response_limit_ms=3_000,
        mix_pct=13,
    ),
    TransactionType(
        id="trade_lookup", label="Trade-Lookup", plural="trade_lookups", response_limit_ms=3_000, mix_pct=8
    ),
    TransactionType(
        id="broker_volume", label="Broker-Volume", plural="broker_volumes", response_limit_ms=3_000, mix_pct=4.9
    ),
    TransactionType(
        id="trade_update", label="Trade-Update", plural="trade_updates", response_limit_ms=3_000, mix_pct=2
    ),
    TransactionType(id=MARKET_FEED, label="Market-Feed", plural="market_feeds", response_limit_ms=2_000, mix_pct=1),
    TransactionType(
        id=ROLLED_BACK, label="Trade-Order rolled back", labels="Trade-Orders rolled back", plural="rolled_back",
        response_limit_ms=2_000, in_mix_as=TRADE_ORDER,
    ),
    TransactionType(
        id=DATA_MAINTENANCE, label="Data-Maintenance", labels="Data-Maintenances", plural="data_maintenances"
    ),
    TransactionType(id=TRADE_CLEANUP, label="Trade-Cleanup", plural="trade_cleanups"),
)  # fmt: skip
TRADES_PER_SECOND = Metric(
    id="trades_per_second",
    label="trades/s",
    unit="Trade-Results/s",
    counts=TRADE_RESULT,
    per_seconds=1,
    has_decimals=True,
)
