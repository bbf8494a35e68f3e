"""How large a DVD Store is: ``db_size`` and the rows that it stands for."""

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Self

from engine.errors import BadInput

MONTHS = 12
CATEGORIES = 16
MEAN_LINES_PER_ORDER = 5
_SHORTHAND = {"S": (10, "MB"), "M": (1, "GB"), "L": (100, "GB")}
_LARGEST_GB = 1_000
_NAME = "db_size"


@dataclass(frozen=True, order=False)
class DbSize:
    """A store's size as DVD Store 2 counts it: a whole ``number`` of ``unit`` (``MB`` or ``GB``).

    1000MB and 1GB are different stores: the unit decides how many products there are.
    """

    number: int
    unit: str

    def __post_init__(self) -> None:
        _check(_NAME, self.number, self.unit)

    @classmethod
    def parse(cls, text: str, name: str = _NAME) -> Self:
        """Read ``10MB``, ``40 GB``, or DS2's ``S`` (10MB), ``M`` (1GB), ``L`` (100GB).

        Raises ``BadInput`` for anything else, which begins with ``name``.
        """
        spelled = text.strip().upper().replace(" ", "")
        if spelled in _SHORTHAND:
            return cls(*_SHORTHAND[spelled])
        match = re.fullmatch(r"(\d{1,9})(MB|GB)", spelled)
        if match is None:
            raise BadInput(f"{name} is '{text}'; give a whole number with MB or GB, such as 100MB or 40GB.")
        _check(name, int(match[1]), match[2])
        return cls(int(match[1]), match[2])

    def __str__(self) -> str:
        return f"{self.number}{self.unit}"

    @cached_property
    def customers(self) -> int:
        return (2_000 if self.unit == "MB" else 2_000_000) * self.number

    @property
    def orders_per_month(self) -> int:
        return (100 if self.unit == "MB" else 100_000) * self.number

    @property
    def orders(self) -> int:
        return MONTHS * self.orders_per_month

    @cached_property
    def products(self) -> int:
        if self.unit == "MB":
            return 1_000 * self.number
        return 100_000 if self.number == 1 else 10_000 * self.number


def _check(name: str, number: int, unit: str) -> None:
    if unit not in ("MB", "GB") or not 1 <= number <= _LARGEST_GB * (1000 if unit == "MB" else 1):
        raise BadInput(f"{name} is {number}{unit}; give a whole number from 1MB to {_LARGEST_GB}GB, such as 100MB.")
