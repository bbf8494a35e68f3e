"""The tables of a Wholesale store and their columns.

Names and meanings are those of the TPC-C specification, clause 1.3. ``h_id`` is our own: a key that shows which rows of
the history runs have added.
"""

from collections.abc import Mapping

from engine.workload.rows.columns import Column, big, integer, money, rate, small, text, timestamp

STOCK_DISTRICTS = tuple(f"s_dist_{number:02}" for number in range(1, 11))

TABLES: Mapping[str, tuple[Column, ...]] = {
    "item": (
        integer("i_id"),
        integer("i_im_id"),
        text("i_name", 24, 19),
        money("i_price"),
        text("i_data", 50, 38),
    ),
    "warehouse": (
        integer("w_id"),
        text("w_name", 10, 8),
        text("w_street_1", 20, 15),
        text("w_street_2", 20, 15),
        text("w_city", 20, 15),
        text("w_state", 2),
        text("w_zip", 9),
        rate("w_tax"),
        money("w_ytd"),
    ),
    "district": (
        integer("d_w_id"),
        small("d_id"),
        text("d_name", 10, 8),
        text("d_street_1", 20, 15),
        text("d_street_2", 20, 15),
        text("d_city", 20, 15),
        text("d_state", 2),
        text("d_zip", 9),
        rate("d_tax"),
        money("d_ytd"),
        integer("d_next_o_id"),
    ),
    "stock": (
        integer("s_w_id"),
        integer("s_i_id"),
        integer("s_quantity"),
        *(text(name, 24) for name in STOCK_DISTRICTS),
        integer("s_ytd"),
        integer("s_order_cnt"),
        integer("s_remote_cnt"),
        text("s_data", 50, 38),
    ),
    "customer": (
        integer("c_w_id"),
        small("c_d_id"),
        integer("c_id"),
        text("c_first", 16, 12),
        text("c_middle", 2),
        text("c_last", 16, 10.5),
        text("c_street_1", 20, 15),
        text("c_street_2", 20, 15),
        text("c_city", 20, 15),
        text("c_state", 2),
        text("c_zip", 9),
        text("c_phone", 16),
        timestamp("c_since"),
        text("c_credit", 2),
        money("c_credit_lim"),
        rate("c_discount"),
        money("c_balance"),
        money("c_ytd_payment"),
        integer("c_payment_cnt"),
        integer("c_delivery_cnt"),
        text("c_data", 500, 400),
    ),
    "history": (
        big("h_id"),
        integer("h_c_id"),
        small("h_c_d_id"),
        integer("h_c_w_id"),
        small("h_d_id"),
        integer("h_w_id"),
        timestamp("h_date"),
        money("h_amount"),
        text("h_data", 24, 18),
    ),
    "orders": (
        integer("o_w_id"),
        small("o_d_id"),
        integer("o_id"),
        integer("o_c_id"),
        timestamp("o_entry_d"),
        small("o_carrier_id", is_zero_missing=True),
        small("o_ol_cnt"),
        small("o_all_local"),
    ),
    "new_order": (
        integer("no_w_id"),
        small("no_d_id"),
        integer("no_o_id"),
    ),
    "order_line": (
        integer("ol_w_id"),
        small("ol_d_id"),
        integer("ol_o_id"),
        small("ol_number"),
        integer("ol_i_id"),
        integer("ol_supply_w_id"),
        timestamp("ol_delivery_d"),
        small("ol_quantity"),
        money("ol_amount"),
        text("ol_dist_info", 24),
    ),
}
"""The columns of every table by its name, in an order in which they can be loaded: referenced tables first."""

INDEX_KEYS: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "item": (("i_id",),),
    "warehouse": (("w_id",),),
    "district": (("d_w_id", "d_id"),),
    "stock": (("s_w_id", "s_i_id"),),
    "customer": (("c_w_id", "c_d_id", "c_id"), ("c_w_id", "c_d_id", "c_last", "c_first")),
    "history": (("h_id",),),
    "orders": (("o_w_id", "o_d_id", "o_id"), ("o_w_id", "o_d_id", "o_c_id", "o_id")),
    "new_order": (("no_w_id", "no_d_id", "no_o_id"),),
    "order_line": (("ol_w_id", "ol_d_id", "ol_o_id", "ol_number"),),
}
"""The columns of each index, for estimates."""
