"""The three consistency conditions of the TPC-E specification, clause 7.3.2, as queries for what violates them."""

from engine.databases.conditions import Condition

_TRADES_OF_BROKERS = (
    "broker b LEFT JOIN (SELECT ca_b_id, count(*) AS trades, sum(t_comm) AS commissions"
    " FROM trade JOIN customer_account ON ca_id = t_ca_id WHERE t_st_id = 'CMPT' GROUP BY ca_b_id) t"
    " ON t.ca_b_id = b.b_id"
)

CONDITIONS = (
    Condition(
        1,
        "brokers that count other trades than were completed for their accounts",
        f"{_TRADES_OF_BROKERS} WHERE b.b_num_trades <> coalesce(t.trades, 0)",
    ),
    Condition(
        2,
        "brokers whose commissions differ from those of their completed trades",
        f"{_TRADES_OF_BROKERS} WHERE b.b_comm_total <> coalesce(t.commissions, 0)",
    ),
    Condition(
        3,
        "holding summaries that differ from their holdings",
        "holding_summary s LEFT JOIN (SELECT h_ca_id, h_s_symb, sum(h_qty) AS quantity FROM holding"
        " GROUP BY h_ca_id, h_s_symb) h ON h.h_ca_id = s.hs_ca_id AND h.h_s_symb = s.hs_s_symb"
        " WHERE s.hs_qty <> coalesce(h.quantity, 0)",
    ),
)
