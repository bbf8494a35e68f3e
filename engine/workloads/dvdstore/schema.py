"""The tables of a DVD Store and their columns, for those who write, count or estimate rows.

The row generator's blocks have these columns in this order; the writers of ``engine.databases`` encode by them. A
database's own types are its own affair and stand in its SQL.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """What a column holds, and how a block of rows holds it.

    INTEGER: int32, and int64 where numbers of customers and orders are. MONEY: int64 cents. DATE: datetime64[D].
    TEXT: fixed-width ASCII bytes padded with NUL, where an empty text is a missing value (NULL).
    """

    INTEGER = "integer"
    MONEY = "money"
    DATE = "date"
    TEXT = "text"


@dataclass(frozen=True)
class Column:
    """A column: ``width`` is the most bytes a value takes, of a text also the most characters.

    ``mean_width`` is what an average row takes, for estimates; the same as ``width`` for all but texts.
    """

    name: str
    kind: Kind
    width: int
    mean_width: float


def _integer(name: str) -> Column:
    return Column(name, Kind.INTEGER, 4, 4)


def _small(name: str) -> Column:
    return Column(name, Kind.INTEGER, 2, 2)


def _money(name: str) -> Column:
    return Column(name, Kind.MONEY, 8, 8)


def _date(name: str) -> Column:
    return Column(name, Kind.DATE, 4, 4)


def _text(name: str, width: int, mean_width: float | None = None) -> Column:
    return Column(name, Kind.TEXT, width, width if mean_width is None else mean_width)


TABLES: Mapping[str, tuple[Column, ...]] = {
    "categories": (
        _small("category"),
        _text("categoryname", 11, 6.5),
    ),
    "products": (
        _integer("prod_id"),
        _small("category"),
        _text("title", 25, 14.5),
        _text("actor", 25, 14.1),
        _money("price"),
        _small("special"),
        _integer("common_prod_id"),
    ),
    "inventory": (
        _integer("prod_id"),
        _integer("quan_in_stock"),
        _integer("sales"),
    ),
    "customers": (
        _integer("customerid"),
        _text("firstname", 6),
        _text("lastname", 10),
        _text("address1", 18, 15.8),
        _text("address2", 1, 0),
        _text("city", 7),
        _text("state", 2, 1),
        _integer("zip"),
        _text("country", 12, 4),
        _small("region"),
        _text("email", 22),
        _text("phone", 10),
        _small("creditcardtype"),
        _text("creditcard", 16),
        _text("creditcardexpiration", 7),
        _text("username", 17, 12),
        _text("password", 8),
        _small("age"),
        _integer("income"),
        _text("gender", 1),
    ),
    "orders": (
        _integer("orderid"),
        _date("orderdate"),
        _integer("customerid"),
        _money("netamount"),
        _money("tax"),
        _money("totalamount"),
    ),
    "orderlines": (
        _integer("orderid"),
        _integer("orderlineid"),
        _integer("prod_id"),
        _small("quantity"),
        _date("orderdate"),
    ),
    "cust_hist": (
        _integer("customerid"),
        _integer("orderid"),
        _integer("prod_id"),
    ),
    "reorder": (
        _integer("prod_id"),
        _date("date_low"),
        _integer("quan_low"),
        _date("date_reordered"),
        _integer("quan_reordered"),
        _date("date_expected"),
    ),
}
"""The columns of every table by its name, in an order in which they can be loaded: what is referred to comes first."""
