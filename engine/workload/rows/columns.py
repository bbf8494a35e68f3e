"""The columns of a workload's tables, for those who generate, write, count or estimate rows.

The blocks of a table have its columns in their order; the writers of ``engine.databases`` encode by them. The types of
a DBMS stand in its SQL.
"""

from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """What a column holds, and how a block of rows holds it.

    INTEGER: int32, or int64 where the numbers are computed so. MONEY: int64 cents. RATE: int64 ten-thousandths, 0 to
    9,999. DATE: datetime64[D]. TIMESTAMP: datetime64[s]; NaT is a missing value (NULL). TEXT: fixed-width ASCII bytes
    padded with NUL, where an empty text is a missing value.
    """

    INTEGER = "integer"
    MONEY = "money"
    RATE = "rate"
    DATE = "date"
    TIMESTAMP = "timestamp"
    TEXT = "text"


@dataclass(frozen=True)
class Column:
    """A column: ``width`` is the most bytes a value takes, of a text also the most characters.

    ``mean_width`` is what an average row takes, for estimates; the same as ``width`` for all but texts. In a column of
    INTEGER that ``is_zero_missing``, 0 stands for a missing value.
    """

    name: str
    kind: Kind
    width: int
    mean_width: float
    is_zero_missing: bool = False


def integer(name: str) -> Column:
    """A whole number of 4 bytes."""
    return Column(name, Kind.INTEGER, 4, 4)


def big(name: str) -> Column:
    """A whole number of 8 bytes."""
    return Column(name, Kind.INTEGER, 8, 8)


def small(name: str, *, is_zero_missing: bool = False) -> Column:
    """A whole number of 2 bytes."""
    return Column(name, Kind.INTEGER, 2, 2, is_zero_missing)


def money(name: str) -> Column:
    """An amount with two decimals."""
    return Column(name, Kind.MONEY, 8, 8)


def rate(name: str) -> Column:
    """A share with four decimals, such as a tax rate."""
    return Column(name, Kind.RATE, 8, 8)


def date(name: str) -> Column:
    """A day."""
    return Column(name, Kind.DATE, 4, 4)


def timestamp(name: str) -> Column:
    """A moment, to the second."""
    return Column(name, Kind.TIMESTAMP, 8, 8)


def text(name: str, width: int, mean_width: float | None = None) -> Column:
    """A text of at most ``width`` ASCII characters."""
    return Column(name, Kind.TEXT, width, width if mean_width is None else mean_width)
