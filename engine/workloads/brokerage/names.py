"""Facts of a Brokerage store that users compute instead of querying: names by numbers, an account's securities, prices.

The row generator uses the same functions. Numbers of securities, companies, brokers and accounts count from 0, those of
customers and industries from 1. Needs no numpy; ``held_security`` and ``base_price_cents`` also take arrays.
"""

import string
from functools import cache
from typing import TYPE_CHECKING, TypeVar

from engine.workloads.brokerage.sizing import COMPANIES_OF_UNIT, HELD, SECURITIES_OF_UNIT
from engine.workloads.brokerage.words import (
    COMPANY_ENDINGS,
    COMPANY_FIRST_WORDS,
    COMPANY_SECOND_WORDS,
    FIRST_NAMES,
    INDUSTRY_FIRST_WORDS,
    INDUSTRY_LAST_WORDS,
    LAST_NAMES,
    SECTORS,
)

if TYPE_CHECKING:
    from engine.workload.rows.randomness import Whole

Number = TypeVar("Number", int, "Whole")
COMMON, PREFERRED = "COMMON", "PREF"
INDUSTRIES = 102
LETTERS = string.ascii_uppercase
SYMBOL_LETTERS = 5
SYMBOL_FACTOR = 1_000_003  # coprime to 26^5, so that neighbouring numbers get distant symbols
TAX_ID_DIGITS = 12
TAX_ID_FACTOR = 387_420_489  # a power of 3, coprime to 10^12
_LEAST_PRICE_CENTS, _PRICES, _PRICE_FACTOR = 20_00, 10_01, 7_919
HELD_FACTOR = 104_729


@cache
def symbol(security: int) -> str:
    """The ticker symbol of a security."""
    rest = security * SYMBOL_FACTOR % len(LETTERS) ** SYMBOL_LETTERS
    letters = []
    for _ in range(SYMBOL_LETTERS):
        rest, letter = divmod(rest, len(LETTERS))
        letters.append(LETTERS[letter])
    return "".join(letters)


def security_of(symbol: str) -> int:
    """The security of a ticker symbol."""
    place = 0
    for letter in reversed(symbol):
        place = place * len(LETTERS) + LETTERS.index(letter)
    modulus: int = len(LETTERS) ** SYMBOL_LETTERS
    inverse: int = pow(SYMBOL_FACTOR, -1, modulus)
    return place * inverse % modulus


def company_of(security: int) -> tuple[int, str]:
    """The company of a security, and the number of the issue."""
    unit, place = divmod(security, SECURITIES_OF_UNIT)
    if place < COMPANIES_OF_UNIT:
        return unit * COMPANIES_OF_UNIT + place, COMMON
    return unit * COMPANIES_OF_UNIT + 2 * (place - COMPANIES_OF_UNIT), PREFERRED


def company_name(company: int) -> str:
    """The unique name of a company."""
    rest, first = divmod(company, len(COMPANY_FIRST_WORDS))
    rest, second = divmod(rest + first, len(COMPANY_SECOND_WORDS))
    round_, ending = divmod(rest, len(COMPANY_ENDINGS))
    name = f"{COMPANY_FIRST_WORDS[first]} {COMPANY_SECOND_WORDS[second]} {COMPANY_ENDINGS[ending]}"
    return f"{name} {round_ + 1}" if round_ else name


def industry_of(company: int) -> int:
    """The number of a company's industry, from 1."""
    return company % INDUSTRIES + 1


def industry_name(industry: int) -> str:
    """The name of an industry; its sector is ``industry_sector``."""
    place = (industry - 1) // len(SECTORS)
    last, first = divmod(place, len(INDUSTRY_FIRST_WORDS))
    sector = SECTORS[industry_sector(industry) - 1]
    return f"{INDUSTRY_FIRST_WORDS[first]} {sector} {INDUSTRY_LAST_WORDS[last]}"


def industry_sector(industry: int) -> int:
    """The number of an industry's sector, from 1."""
    return (industry - 1) % len(SECTORS) + 1


def code(number: int) -> str:
    """The two letters of a sector or an industry."""
    tens, ones = divmod(number - 1, len(LETTERS))
    return LETTERS[tens] + LETTERS[ones]


@cache
def broker_name(broker: int) -> str:
    """The unique name of a broker."""
    rest, last = divmod(broker, len(LAST_NAMES))
    round_, first = divmod(rest + last, len(FIRST_NAMES))
    name = f"{FIRST_NAMES[first]} {LAST_NAMES[last]}"
    return f"{name} {round_ + 1}" if round_ else name


def tax_id(customer: int) -> str:
    """The unique tax number of a customer."""
    return f"{customer * TAX_ID_FACTOR % 10**TAX_ID_DIGITS:0{TAX_ID_DIGITS}}"


def held_security(account: Number, held: Number, securities: int) -> Number:
    """One of the ten securities that an account holds: evenly spaced, with a different first one in each account."""
    return (account * HELD_FACTOR + held * (1 + account % (securities // HELD))) % securities


def base_price_cents(security: Number) -> Number:
    """The price around which a security is traded."""
    return _LEAST_PRICE_CENTS + security * _PRICE_FACTOR % _PRICES
