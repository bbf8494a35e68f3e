"""The scale of a Wholesale store: its warehouses, and their numbers of rows (TPC-C specification, clause 1.2)."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

from engine.errors import BadInput

ITEMS = 100_000
DISTRICTS = 10
CUSTOMERS = 3_000
"""Customers of a district; each has placed one order before the first run."""
ORDERS = CUSTOMERS
STOCK = ITEMS
UNDELIVERED = 900
FIRST_UNDELIVERED = ORDERS - UNDELIVERED + 1
"""The first undelivered one of a district's initial orders."""
LEAST_LINES, MOST_LINES = 5, 15
MEAN_LINES = 10
MOST_WAREHOUSES = 10_000


@dataclass(frozen=True)
class Warehouses:
    """The scale of a store: a whole number of warehouses, about 100 MB each."""

    count: int

    def __post_init__(self) -> None:
        if not 1 <= self.count <= MOST_WAREHOUSES:
            raise _wrong("warehouses", str(self.count))

    @classmethod
    def parse(cls, text: str, name: str = "warehouses") -> Self:
        """Read ``10``, ``10W`` or ``10 warehouses``; raises ``BadInput``, which begins with ``name``, for others."""
        match = re.fullmatch(r"(\d{1,6})\s*(?:w|warehouses?)?", text.strip(), re.IGNORECASE)
        if match is None or not 1 <= int(match[1]) <= MOST_WAREHOUSES:
            raise _wrong(name, f"'{text}'")
        return cls(int(match[1]))

    def __str__(self) -> str:
        return f"{self.count}W"

    @property
    def districts(self) -> int:
        return DISTRICTS * self.count

    @property
    def customers(self) -> int:
        return CUSTOMERS * self.districts

    @property
    def orders(self) -> int:
        return ORDERS * self.districts

    def rows(self) -> Mapping[str, int]:
        """The initial rows of each table; for ``order_line`` the expected number, 10 for each order."""
        return {
            "item": ITEMS,
            "warehouse": self.count,
            "district": self.districts,
            "stock": STOCK * self.count,
            "customer": self.customers,
            "history": self.customers,
            "orders": self.orders,
            "new_order": UNDELIVERED * self.districts,
            "order_line": MEAN_LINES * self.orders,
        }


def _wrong(name: str, value: str) -> BadInput:
    return BadInput(f"{name} is {value}; give a whole number from 1 to {MOST_WAREHOUSES}.")
