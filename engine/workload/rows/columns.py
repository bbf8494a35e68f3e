"""The columns of a workload's tables, for those who generate, write, count or estimate rows.

The blocks of a table have its columns in their order; the writers of ``engine.databases`` encode by them. The types of
a DBMS stand in its SQL.
"""

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


def integer(name: str) -> Column:
    """A whole number of 4 bytes."""
    return Column(name, Kind.INTEGER, 4, 4)


def small(name: str) -> Column:
    """A whole number of 2 bytes."""
    return Column(name, Kind.INTEGER, 2, 2)


def money(name: str) -> Column:
    """An amount with two decimals."""
    return Column(name, Kind.MONEY, 8, 8)


def date(name: str) -> Column:
    """A day."""
    return Column(name, Kind.DATE, 4, 4)


def text(name: str, width: int, mean_width: float | None = None) -> Column:
    """A text of at most ``width`` ASCII characters."""
    return Column(name, Kind.TEXT, width, width if mean_width is None else mean_width)
