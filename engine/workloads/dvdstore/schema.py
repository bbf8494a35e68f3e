"""The tables of a DVD Store and their columns."""

from collections.abc import Mapping

from engine.workload.rows.columns import Column, date, integer, money, small, text

TABLES: Mapping[str, tuple[Column, ...]] = {
    "categories": (
        small("category"),
        text("categoryname", 11, 6.5),
    ),
    "products": (
        integer("prod_id"),
        small("category"),
        text("title", 25, 14.5),
        text("actor", 25, 14.1),
        money("price"),
        small("special"),
        integer("common_prod_id"),
    ),
    "inventory": (
        integer("prod_id"),
        integer("quan_in_stock"),
        integer("sales"),
    ),
    "customers": (
        integer("customerid"),
        text("firstname", 6),
        text("lastname", 10),
        text("address1", 18, 15.8),
        text("address2", 1, 0),
        text("city", 7),
        text("state", 2, 1),
        integer("zip"),
        text("country", 12, 4),
        small("region"),
        text("email", 22),
        text("phone", 10),
        small("creditcardtype"),
        text("creditcard", 16),
        text("creditcardexpiration", 7),
        text("username", 17, 12),
        text("password", 8),
        small("age"),
        integer("income"),
        text("gender", 1),
    ),
    "orders": (
        integer("orderid"),
        date("orderdate"),
        integer("customerid"),
        money("netamount"),
        money("tax"),
        money("totalamount"),
    ),
    "orderlines": (
        integer("orderid"),
        integer("orderlineid"),
        integer("prod_id"),
        small("quantity"),
        date("orderdate"),
    ),
    "cust_hist": (
        integer("customerid"),
        integer("orderid"),
        integer("prod_id"),
    ),
    "reorder": (
        integer("prod_id"),
        date("date_low"),
        integer("quan_low"),
        date("date_reordered"),
        integer("quan_reordered"),
        date("date_expected"),
    ),
}
"""The columns of every table by its name, in an order in which they can be loaded: what is referred to comes first."""
