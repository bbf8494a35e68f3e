"""The twelve consistency conditions of the TPC-C specification, clause 3.3.2, as queries that find what violates them.

Condition 11 applies to a store before its first run, with 900 undelivered orders in each district; here the customers'
counts of deliveries are added, so that it holds after runs as well. Amounts are compared as decimals.
"""

from engine.databases.conditions import Condition

_DELIVERED = """
    (SELECT o.o_w_id, o.o_d_id, o.o_c_id, sum(l.ol_amount) AS amount
     FROM orders o JOIN order_line l ON l.ol_w_id = o.o_w_id AND l.ol_d_id = o.o_d_id AND l.ol_o_id = o.o_id
     WHERE l.ol_delivery_d IS NOT NULL GROUP BY o.o_w_id, o.o_d_id, o.o_c_id) delivered
    ON delivered.o_w_id = c.c_w_id AND delivered.o_d_id = c.c_d_id AND delivered.o_c_id = c.c_id"""
_PAID = """
    (SELECT h_c_w_id, h_c_d_id, h_c_id, sum(h_amount) AS amount FROM history GROUP BY h_c_w_id, h_c_d_id, h_c_id) paid
    ON paid.h_c_w_id = c.c_w_id AND paid.h_c_d_id = c.c_d_id AND paid.h_c_id = c.c_id"""
_NEW = """
    (SELECT no_w_id, no_d_id, max(no_o_id) AS highest, min(no_o_id) AS lowest, count(*) AS number
     FROM new_order GROUP BY no_w_id, no_d_id) n ON n.no_w_id = d.d_w_id AND n.no_d_id = d.d_id"""
_ORDERS = """
    (SELECT o_w_id, o_d_id, max(o_id) AS highest, count(*) AS number, sum(o_ol_cnt) AS order_lines
     FROM orders GROUP BY o_w_id, o_d_id) o ON o.o_w_id = d.d_w_id AND o.o_d_id = d.d_id"""

CONDITIONS = (
    Condition(
        1,
        "warehouses whose year-to-date amount differs from their districts'",
        "warehouse w LEFT JOIN (SELECT d_w_id, sum(d_ytd) AS amount FROM district GROUP BY d_w_id) d"
        " ON d.d_w_id = w.w_id WHERE w.w_ytd <> coalesce(d.amount, 0)",
    ),
    Condition(
        2,
        "districts whose next order number does not follow their highest order",
        f"district d LEFT JOIN {_ORDERS} LEFT JOIN {_NEW}"  # noqa: S608
        " WHERE d.d_next_o_id - 1 <> coalesce(o.highest, 0) OR n.highest > o.highest"
        " OR (n.highest < o.highest AND EXISTS (SELECT 1 FROM orders u WHERE u.o_w_id = d.d_w_id AND u.o_d_id = d.d_id"
        " AND u.o_id = o.highest AND u.o_carrier_id IS NULL))",
    ),
    Condition(
        3,
        "districts whose undelivered orders have gaps",
        f"district d JOIN {_NEW} WHERE n.highest - n.lowest + 1 <> n.number",
    ),
    Condition(
        4,
        "districts whose orders count other lines than there are",
        f"district d JOIN {_ORDERS} LEFT JOIN (SELECT ol_w_id, ol_d_id, count(*) AS number FROM order_line"  # noqa: S608
        " GROUP BY ol_w_id, ol_d_id) l ON l.ol_w_id = d.d_w_id AND l.ol_d_id = d.d_id"
        " WHERE o.order_lines <> coalesce(l.number, 0)",
    ),
    Condition(
        5,
        "orders whose carrier does not fit their state of delivery",
        "orders o LEFT JOIN new_order n ON n.no_w_id = o.o_w_id AND n.no_d_id = o.o_d_id AND n.no_o_id = o.o_id"
        " WHERE (o.o_carrier_id IS NULL AND n.no_o_id IS NULL)"
        " OR (o.o_carrier_id IS NOT NULL AND n.no_o_id IS NOT NULL)",
    ),
    Condition(
        6,
        "orders that count other lines than they have",
        "orders o LEFT JOIN (SELECT ol_w_id, ol_d_id, ol_o_id, count(*) AS number FROM order_line"
        " GROUP BY ol_w_id, ol_d_id, ol_o_id) l ON l.ol_w_id = o.o_w_id AND l.ol_d_id = o.o_d_id"
        " AND l.ol_o_id = o.o_id WHERE o.o_ol_cnt <> coalesce(l.number, 0)",
    ),
    Condition(
        7,
        "lines whose moment of delivery does not fit their order's carrier",
        "order_line l JOIN orders o ON o.o_w_id = l.ol_w_id AND o.o_d_id = l.ol_d_id AND o.o_id = l.ol_o_id"
        " WHERE (l.ol_delivery_d IS NULL AND o.o_carrier_id IS NOT NULL)"
        " OR (l.ol_delivery_d IS NOT NULL AND o.o_carrier_id IS NULL)",
    ),
    Condition(
        8,
        "warehouses whose year-to-date amount differs from their history",
        "warehouse w LEFT JOIN (SELECT h_w_id, sum(h_amount) AS amount FROM history GROUP BY h_w_id) h"
        " ON h.h_w_id = w.w_id WHERE w.w_ytd <> coalesce(h.amount, 0)",
    ),
    Condition(
        9,
        "districts whose year-to-date amount differs from their history",
        "district d LEFT JOIN (SELECT h_w_id, h_d_id, sum(h_amount) AS amount FROM history GROUP BY h_w_id, h_d_id) h"
        " ON h.h_w_id = d.d_w_id AND h.h_d_id = d.d_id WHERE d.d_ytd <> coalesce(h.amount, 0)",
    ),
    Condition(
        10,
        "customers whose balance differs from delivered orders less payments",
        f"customer c LEFT JOIN {_DELIVERED} LEFT JOIN {_PAID}"
        " WHERE c.c_balance <> coalesce(delivered.amount, 0) - coalesce(paid.amount, 0)",
    ),
    Condition(
        11,
        "districts whose undelivered orders differ from their orders less deliveries",
        f"district d JOIN {_ORDERS} LEFT JOIN {_NEW} JOIN (SELECT c_w_id, c_d_id, sum(c_delivery_cnt) AS deliveries"  # noqa: S608
        " FROM customer GROUP BY c_w_id, c_d_id) c ON c.c_w_id = d.d_w_id AND c.c_d_id = d.d_id"
        " WHERE o.number - coalesce(n.number, 0) <> 2100 + c.deliveries",
    ),
    Condition(
        12,
        "customers whose balance and payments differ from their delivered orders",
        f"customer c LEFT JOIN {_DELIVERED} WHERE c.c_balance + c.c_ytd_payment <> coalesce(delivered.amount, 0)",
    ),
)
