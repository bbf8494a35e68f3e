"""What an emulated user of Wholesale chooses at random: the next transaction, its inputs, keying and think times.

Called in client processes, which load no numpy. Every function draws from the ``random.Random`` it is given, so that a
user's seed fixes what it does. Inputs are those of the TPC-C specification, clauses 2.4.1 to 2.8.1.
"""

import math
from dataclasses import dataclass
from random import Random
from typing import NamedTuple

from engine.workloads.wholesale.names import CUSTOMER, ITEM, LAST_NAME, LAST_NAMES, NonUniform, last_name
from engine.workloads.wholesale.sizing import CUSTOMERS, DISTRICTS, ITEMS, LEAST_LINES, MOST_LINES

UNUSED_ITEM = ITEMS + 1
_ROLLED_BACK_ORDERS = 0.01
_REMOTE_LINES = 0.01
_ITEM_BITS = ITEM.a.bit_length()  # as A + 1 is a power of two, random bits of this number are 0 to A
_REMOTE_PAYMENTS_PER_100 = 15
_BY_LAST_NAME_PER_100 = 60
_MOST_QUANTITY = 10
_LEAST_PAYMENT_CENTS, _PAYMENTS = 1_00, 4_999_01
_CARRIERS = 10
_LEAST_THRESHOLD, _THRESHOLDS = 10, 11
_LONGEST_THINK_FACTOR = 10


@dataclass(frozen=True)
class Pacing:
    """Keying time and mean think time before and after a type of transaction (clause 5.2.5.7) [s]."""

    keying_seconds: float
    think_seconds: float


PACING = {
    "new_order": Pacing(18, 12),
    "payment": Pacing(3, 12),
    "order_status": Pacing(2, 10),
    "delivery": Pacing(2, 5),
    "stock_level": Pacing(2, 5),
}

MIXES = {
    "specified": {"new_order": 45.0, "payment": 43.0, "order_status": 4.0, "delivery": 4.0, "stock_level": 4.0},
    # HammerDB draws a whole number from 1 to 23: 1 to 10, 11 to 20, 21, 22 and 23.
    "hammerdb": {
        "new_order": 1000 / 23,
        "payment": 1000 / 23,
        "order_status": 100 / 23,
        "delivery": 100 / 23,
        "stock_level": 100 / 23,
    },
}
"""The share of each type of transaction by the mix's name, in percent."""


Line = tuple[int, int, int]
"""A line of an order: the supplying warehouse, the item and how many of it."""


class Buyer(NamedTuple):
    """A customer by its number, or, where that is 0, by its last name."""

    number: int
    last_name: str


def non_uniform(random: Random, constants: NonUniform, limit: int) -> int:
    """``NURand`` from 0 to ``limit - 1``, see ``engine.workloads.wholesale.names``."""
    chance = random.random
    return ((int(chance() * (constants.a + 1)) | int(chance() * limit)) + constants.c) % limit


def district(random: Random) -> int:
    return 1 + int(random.random() * DISTRICTS)


def customer(random: Random) -> int:
    return 1 + non_uniform(random, CUSTOMER, CUSTOMERS)


def buyer(random: Random) -> Buyer:
    """By last name in 60 of 100 cases."""
    if random.random() * 100 < _BY_LAST_NAME_PER_100:
        return Buyer(0, last_name(non_uniform(random, LAST_NAME, LAST_NAMES)))
    return Buyer(customer(random), "")


def order_lines(random: Random, home: int, warehouses: int) -> list[Line]:
    """The 5 to 15 lines of an order, sorted by their stock rows, so that orders don't deadlock.

    In one order of 100 the last line asks for an item that does not exist, which makes the order roll back. Half of a
    user's time goes into these lines, so the items are drawn inline and not by ``non_uniform``.
    """
    chance, bits = random.random, random.getrandbits
    lines: list[Line] = [
        (
            other_warehouse(random, home, warehouses) if chance() < _REMOTE_LINES else home,
            1 + ((bits(_ITEM_BITS) | int(chance() * ITEMS)) + ITEM.c) % ITEMS,
            1 + int(chance() * _MOST_QUANTITY),
        )
        for _ in range(LEAST_LINES + int(chance() * (MOST_LINES - LEAST_LINES + 1)))
    ]
    lines.sort()
    if chance() < _ROLLED_BACK_ORDERS:
        supplier, _, quantity = lines[-1]
        lines[-1] = (supplier, UNUSED_ITEM, quantity)
    return lines


def other_warehouse(random: Random, home: int, warehouses: int) -> int:
    """A random warehouse other than the home one; the home one if there is no other."""
    if warehouses == 1:
        return home
    other = 1 + int(random.random() * (warehouses - 1))
    return other if other < home else other + 1


def payer_district(random: Random, home: int, at_district: int, warehouses: int) -> tuple[int, int]:
    """Warehouse and district of the paying customer: the payment's own in 85 of 100 cases."""
    if random.random() * 100 < _REMOTE_PAYMENTS_PER_100:
        return other_warehouse(random, home, warehouses), district(random)
    return home, at_district


def payment_cents(random: Random) -> int:
    return _LEAST_PAYMENT_CENTS + int(random.random() * _PAYMENTS)


def carrier(random: Random) -> int:
    return 1 + int(random.random() * _CARRIERS)


def threshold(random: Random) -> int:
    return _LEAST_THRESHOLD + int(random.random() * _THRESHOLDS)


def think_seconds(random: Random, transaction: str) -> float:
    """A think time as specified: negative exponential, cut at ten times its mean (clause 5.2.5.4)."""
    mean = PACING[transaction].think_seconds
    return min(-math.log(1.0 - random.random()) * mean, _LONGEST_THINK_FACTOR * mean)
