"""What an emulated user picks at random: customers, products, carts, search words and new customers.

Called by the emulated user in client processes, which load no numpy. Every function draws from the ``random.Random``
it is given, so that a user's seed fixes what it does.
"""

import random
import string
from collections.abc import Sequence
from typing import NamedTuple

from engine.workloads.dvdstore import people, words
from engine.workloads.dvdstore.catalogue import MOST_QUANTITY, product_of_ticket, tickets
from engine.workloads.dvdstore.people import LARGEST_NEW_USERNAME as LARGEST_NEW_USERNAME
from engine.workloads.dvdstore.people import PASSWORD as PASSWORD
from engine.workloads.dvdstore.sizing import DbSize

MOST_CART_LINES = 10
# Random letters are drawn two at a time, which takes half as long.
_PAIRS = tuple(first + second for first in string.ascii_uppercase for second in string.ascii_uppercase)
# A fraction has 53 bits, and 16 digits need more: longer numbers are drawn in parts.
_MOST_DIGITS_AT_ONCE = 8


class NewCustomer(NamedTuple):
    """A customer to be registered: every column of ``customers`` but the id, which the database gives, in their order.

    Outside of the US, ``state`` is empty (stored as NULL) and ``zip`` is 0; ``address2`` is always empty.
    """

    firstname: str
    lastname: str
    address1: str
    address2: str
    city: str
    state: str
    zip: int
    country: str
    region: int
    email: str
    phone: str
    creditcardtype: int
    creditcard: str
    creditcardexpiration: str
    username: str
    password: str
    age: int
    income: int
    gender: str


def customer(rng: random.Random, size: DbSize) -> int:
    """One of the store's initial customers, each as likely as any other."""
    return 1 + _below(rng, size.customers)


def username(customerid: int) -> str:
    """The name that an initial customer logs in with; the password is ``PASSWORD``."""
    return f"{people.USERNAME_PREFIX}{customerid}"


def product(rng: random.Random, size: DbSize) -> int:
    """A product for a cart: every 10,000th is ten times as likely as any other."""
    return product_of_ticket(_below(rng, tickets(size)), size)


def cart(rng: random.Random, size: DbSize, n_line_items: int) -> list[tuple[int, int]]:
    """A cart of (product, quantity): 1 to ``2 * n_line_items - 1`` lines, cut to 10.

    A product may stand in it more than once.
    """
    chance, drawn, limit = rng.random, product_of_ticket, tickets(size)
    lines = min(1 + int(chance() * (2 * n_line_items - 1)), MOST_CART_LINES)
    return [(drawn(int(chance() * limit), size), 1 + int(chance() * MOST_QUANTITY)) for _ in range(lines)]


def actor(rng: random.Random) -> tuple[str, str]:
    """A first and a last name to search actors for."""
    return _one_of(rng, words.first_names()), _one_of(rng, words.last_names())


def title_words(rng: random.Random, size: DbSize) -> tuple[str, str]:
    """Two words to search titles for: those of any product's title, so that a store of any size has a match."""
    return words.title_of(1 + _below(rng, size.products))


def new_username(rng: random.Random) -> str:
    """A name to register under."""
    return f"{people.NEW_USERNAME_PREFIX}{1 + _below(rng, LARGEST_NEW_USERNAME)}"


def new_customer(rng: random.Random) -> NewCustomer:
    """A customer to be registered, of the same shape as the initial ones, in the US with a chance of one half.

    ``_customer.c`` makes the same draws in the same order.
    """
    in_us = rng.random() < 0.5
    lastname = _capitals(rng, people.LASTNAME_LETTERS)
    house = people.LEAST_HOUSE_NUMBER + _below(rng, people.HOUSE_NUMBERS)
    return NewCustomer(
        firstname=_capitals(rng, people.FIRSTNAME_LETTERS),
        lastname=lastname,
        address1=f"{house} {_one_of(rng, people.STREETS)}",
        address2="",
        city=_capitals(rng, people.CITY_LETTERS),
        state=_one_of(rng, people.STATES) if in_us else "",
        zip=people.LEAST_ZIP + _below(rng, people.ZIPS) if in_us else 0,
        country=people.US_COUNTRY if in_us else _one_of(rng, people.COUNTRIES),
        region=people.US if in_us else people.REST_OF_THE_WORLD,
        email=lastname.lower() + people.EMAIL_DOMAIN,
        phone=_digits(rng, people.PHONE_DIGITS),
        creditcardtype=1 + _below(rng, people.CREDIT_CARD_TYPES),
        creditcard=_digits(rng, people.CREDIT_CARD_DIGITS),
        creditcardexpiration=_one_of(rng, people.EXPIRATIONS),
        username=new_username(rng),
        password=PASSWORD,
        age=people.LEAST_AGE + _below(rng, people.AGES),
        income=people.INCOME_STEP * (1 + _below(rng, people.INCOMES)),
        gender=_one_of(rng, people.GENDERS),
    )


def _below(rng: random.Random, limit: int) -> int:
    """A whole number from 0 to ``limit - 1``; a fraction of 53 bits is finer than any limit here, and ``randrange``
    takes five times as long.
    """
    return int(rng.random() * limit)


def _one_of(rng: random.Random, choices: Sequence[str]) -> str:
    return choices[int(rng.random() * len(choices))]


def _capitals(rng: random.Random, length: int) -> str:
    chance = rng.random
    return "".join([_PAIRS[int(chance() * len(_PAIRS))] for _ in range(0, length, 2)])[:length]


def _digits(rng: random.Random, length: int) -> str:
    lengths = [min(_MOST_DIGITS_AT_ONCE, length - done) for done in range(0, length, _MOST_DIGITS_AT_ONCE)]
    return "".join([f"{_below(rng, 10**part):0{part}}" for part in lengths])
