"""The calls of Brokerage's users on PostgreSQL."""

from engine.databases.exchange import readers
from engine.databases.exchange.calls import CallTable, PreparedCall
from engine.databases.postgresql.wire import INT4, INT4_ARRAY, TEXT

_CHOSEN_TRADES = (INT4, INT4_ARRAY, INT4, TEXT, TEXT, TEXT)

CALLS = CallTable(
    {
        "trade_order": PreparedCall(
            b"trade_order",
            "CALL trade_order($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, NULL, NULL)",
            (INT4, TEXT, TEXT, TEXT, TEXT, TEXT, INT4, INT4, INT4, INT4, INT4),
            None,
            readers.rows,
        ),
        "trade_result": PreparedCall(
            b"trade_result", "SELECT trade_result($1, $2)", (INT4, INT4), None, readers.number
        ),
        "market_feed": PreparedCall(
            b"market_feed",
            "SELECT t_id, ca_id, symbol, quantity, price_cents FROM market_feed($1, $2, $3)",
            (TEXT, INT4_ARRAY, INT4_ARRAY),
            None,
            readers.rows,
        ),
        "broker_volume": PreparedCall(
            b"broker_volume", "SELECT broker, volume_cents FROM broker_volume($1, $2)", (TEXT, TEXT), None, readers.rows
        ),
        "customer_position": PreparedCall(
            b"customer_position",
            "SELECT account, balance_cents, assets_cents, trade FROM customer_position($1, $2, $3)",
            (INT4, TEXT, INT4),
            None,
            readers.rows,
        ),
        "market_watch": PreparedCall(
            b"market_watch",
            "SELECT market_watch($1, $2, $3, $4, $5)",
            (INT4, INT4, TEXT, INT4, TEXT),
            None,
            readers.number,
        ),
        "security_detail": PreparedCall(
            b"security_detail",
            "SELECT close_cents, volume FROM security_detail($1, $2, $3, $4)",
            (TEXT, INT4, INT4, TEXT),
            None,
            readers.rows,
        ),
        "trade_lookup": PreparedCall(
            b"trade_lookup",
            "SELECT t_id, bid_cents, settled_cents, cash_cents FROM trade_lookup($1, $2, $3, $4, $5, $6)",
            _CHOSEN_TRADES,
            None,
            readers.rows,
        ),
        "trade_status": PreparedCall(
            b"trade_status", "SELECT t_id, state, quantity FROM trade_status($1)", (INT4,), None, readers.rows
        ),
        "trade_update": PreparedCall(
            b"trade_update", "SELECT trade_update($1, $2, $3, $4, $5, $6)", _CHOSEN_TRADES, None, readers.number
        ),
        "trade_cleanup": PreparedCall(b"trade_cleanup", "SELECT trade_cleanup()", (), None, readers.number),
        "data_maintenance": PreparedCall(
            b"data_maintenance", "SELECT data_maintenance($1, $2)", (INT4, INT4), None, readers.number
        ),
    },
    recorded=frozenset({"trade_order", "trade_result"}),
    trial=("trade_status", (0,)),
)
"""Brokerage in PostgreSQL."""
