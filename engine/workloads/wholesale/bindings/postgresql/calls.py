"""The calls of Wholesale's users on PostgreSQL."""

from engine.databases.exchange import readers
from engine.databases.exchange.calls import CallTable, PreparedCall
from engine.databases.exchange.parameters import Parameters, members, plain
from engine.databases.postgresql.wire import INT4, INT4_ARRAY, NUMERIC, TEXT

CALLS = CallTable(
    {
        "new_order": PreparedCall(
            b"new_order",
            "CALL new_order($1, $2, $3, $4, $5, $6, NULL)",
            (INT4, INT4, INT4, INT4_ARRAY, INT4_ARRAY, INT4_ARRAY),
            Parameters(plain(0), plain(1), plain(2), members(3, 1), members(3, 0), members(3, 2)),
            readers.number,
        ),
        "payment": PreparedCall(
            b"payment",
            "CALL payment($1, $2, $3, $4, $5, $6, $7, NULL)",
            (INT4, INT4, INT4, INT4, INT4, TEXT, NUMERIC),
            None,
            readers.number,
        ),
        "order_status": PreparedCall(
            b"order_status",
            "SELECT o_id, i_id, supply_w_id, quantity, amount_cents FROM order_status($1, $2, $3, $4)",
            (INT4, INT4, INT4, TEXT),
            None,
            readers.rows,
        ),
        "delivery": PreparedCall(b"delivery", "CALL delivery($1, $2, NULL)", (INT4, INT4), None, readers.number),
        "stock_level": PreparedCall(
            b"stock_level", "SELECT stock_level($1, $2, $3)", (INT4, INT4, INT4), None, readers.number
        ),
    },
    recorded=frozenset({"new_order"}),
    trial=("stock_level", (0, 0, 0)),
)
