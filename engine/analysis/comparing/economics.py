"""The cost of a configuration and of each unit of the headline rate on it, in exact decimals.

A bill of materials belongs to a configuration. Cost per OPM (of the DVD Store) is the bill's total divided by the total
OPM, the form of TPC's price/performance (TPC Pricing Specification, clause 7): $10,994.88 over 24,433 OPM is $0.45.
"""

import re
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal, localcontext

from engine.errors import BadInput
from engine.figure_text import UNKNOWN, grouped

_THIN = "\u202f"
_SYMBOLS = "$€£¥"
_NO_CENTS = frozenset(("¥", "JPY", "KRW"))
_MOST = Decimal(10) ** 15
_DIGITS = 50
_MONEY = re.compile(r"-?(\d{1,3}(,\d{3})+|\d+)(\.\d+)?")


@dataclass(frozen=True, kw_only=True)
class Item:
    """One line of a bill: name, number of pieces, and the price of one; a discount has a negative price.

    Raises ``BadInput`` for an empty name, a count under 1 and an invalid price.
    """

    name: str
    count: int = 1
    price: Decimal

    def __post_init__(self) -> None:
        if not self.name.strip():
            raise BadInput("an item of the bill has no name; give it one.")
        if not 1 <= self.count <= 1_000_000:
            raise BadInput(f"the count of '{self.name}' is {self.count}; give a whole number from 1 to 1000000.")
        if not self.price.is_finite() or abs(self.price) >= _MOST:
            raise BadInput(f"the price of '{self.name}' is {self.price}; give an amount such as 1234.50.")

    @property
    def total(self) -> Decimal:
        """The price of all pieces."""
        with localcontext(prec=_DIGITS):
            return self.count * self.price


@dataclass(frozen=True, kw_only=True)
class BillOfMaterials:
    """The items of a configuration.

    ``currency`` is a sign such as ``$`` or an ISO 4217 code such as ``EUR``. Raises ``BadInput`` for another currency
    and for a negative total.
    """

    name: str
    currency: str = "$"
    items: tuple[Item, ...] = ()

    def __post_init__(self) -> None:
        if self.currency not in tuple(_SYMBOLS) and not re.fullmatch(r"[A-Z]{3}", self.currency):
            raise BadInput(
                f"the currency of '{self.name}' is '{self.currency}'; give $, €, £, ¥ or a code such as USD."
            )
        if self.total < 0:
            raise BadInput(f"the bill '{self.name}' adds up to {self.total}; its discounts are more than its prices.")

    @property
    def total(self) -> Decimal:
        """The price of all items; 0 without items."""
        with localcontext(prec=_DIGITS):
            return sum((item.total for item in self.items), Decimal(0))


def cost_per_headline_rate(bill: BillOfMaterials, rate: float | None) -> Decimal | None:
    """The bill's total divided by the headline rate, unrounded; ``money_text`` formats it.

    ``None`` when the rate is unknown or 0, or the bill has no items: the cost is unknown, not 0.
    """
    if not rate or rate < 0 or not bill.items:
        return None
    with localcontext(prec=_DIGITS):
        return bill.total / Decimal(str(rate))


def money_text(amount: Decimal | None, currency: str) -> str:
    """An amount rounded half up to cents: ``$10 994.88``, ``0.45 EUR``; – if unknown."""
    if amount is None:
        return UNKNOWN
    with localcontext(prec=_DIGITS):
        rounded = amount.quantize(Decimal(1) if currency in _NO_CENTS else Decimal("0.01"), ROUND_HALF_UP)
    digits = grouped(f"{abs(rounded):,}")
    sign = "−" if rounded < 0 else ""
    return f"{sign}{currency}{digits}" if currency in _SYMBOLS else f"{sign}{digits}{_THIN}{currency}"


def money_of(text: str, field: str) -> Decimal:
    """An amount from text: ``10994.88``, ``10,994.88``, with or without a currency sign before it.

    A comma is a thousands separator. Raises ``BadInput`` that names ``field`` for anything else.
    """
    plain = text.strip().replace(_THIN, "").replace("−", "-")
    for symbol in _SYMBOLS:
        plain = plain.replace(symbol, "", 1)
    if _MONEY.fullmatch(plain.strip()):
        return Decimal(plain.strip().replace(",", ""))
    raise BadInput(f"{field} is '{text}'; give an amount such as 1234.50, with a point before the cents.")
