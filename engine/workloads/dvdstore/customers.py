"""The initial customers: any range of rows, computed from their numbers alone. Called by ``rows.py``."""

import numpy as np

from engine.workload.rows.randomness import Whole, streams_of
from engine.workload.rows.texts import (
    Text,
    as_bytes,
    as_text,
    capitals,
    digits,
    four_digits,
    joined_columns,
    table_of,
)
from engine.workloads.dvdstore import people
from engine.workloads.dvdstore.sizing import DbSize

_COUNTRIES = table_of((people.US_COUNTRY, *people.COUNTRIES))
_STATES = table_of(("", *people.STATES))
_STREETS = table_of(people.STREETS)
_EXPIRATIONS = table_of(people.EXPIRATIONS)
_GENDERS = table_of(people.GENDERS)
_LOWER_CASE = np.uint8(0x20)


class Customers:
    """The rows of ``customers``: the first half lives in the US, the second half in the rest of the world.

    A customer outside of the US has no state (an empty text, NULL in a database) and zip 0. Nobody has a second
    address line.
    """

    def __init__(self, size: DbSize, seed: int) -> None:
        self._in_us = size.customers // 2
        stream = streams_of(seed, "customers")
        self._firstname = stream("firstname")
        self._lastname = stream("lastname")
        self._house = stream("house")
        self._street = stream("street")
        self._city = stream("city")
        self._state = stream("state")
        self._zip = stream("zip")
        self._country = stream("country")
        self._phone = stream("phone")
        self._card_type = stream("creditcardtype")
        self._card = stream("creditcard")
        self._expiration = stream("creditcardexpiration")
        self._age = stream("age")
        self._income = stream("income")
        self._gender = stream("gender")

    def columns(self, first: int, rows: int) -> dict[str, np.ndarray]:
        """The columns of ``rows`` customers from number ``first``, which counts from 0."""
        customerid = np.arange(first + 1, first + rows + 1, dtype=np.int64)
        in_us = customerid <= self._in_us
        lastname = capitals(self._lastname.words(first, rows), people.LASTNAME_LETTERS)
        return {
            "customerid": customerid,
            "firstname": capitals(self._firstname.words(first, rows), people.FIRSTNAME_LETTERS),
            "lastname": lastname,
            "address1": self._address(first, rows),
            "address2": np.zeros(rows, dtype="S1"),
            **self._place(in_us, first, rows),
            "email": joined_columns(_lower(lastname), people.EMAIL_DOMAIN.encode(), rows=rows),
            "phone": digits(self._phone.words(first, rows), people.PHONE_DIGITS),
            **self._card_columns(first, rows),
            "username": np.strings.add(people.USERNAME_PREFIX.encode(), customerid.astype("S10")),
            "password": np.full(rows, people.PASSWORD.encode()),
            "age": _int32(people.LEAST_AGE + self._age.below(people.AGES, first, rows)),
            "income": _int32(people.INCOME_STEP * (1 + self._income.below(people.INCOMES, first, rows))),
            "gender": _GENDERS[self._gender.below(len(_GENDERS), first, rows)],
        }

    def _address(self, first: int, rows: int) -> Text:
        house = people.LEAST_HOUSE_NUMBER + self._house.below(people.HOUSE_NUMBERS, first, rows)
        street = _STREETS[self._street.below(len(_STREETS), first, rows)]
        return joined_columns(four_digits(house), b" ", street, rows=rows)

    def _place(self, in_us: np.ndarray, first: int, rows: int) -> dict[str, np.ndarray]:
        state = 1 + self._state.below(len(people.STATES), first, rows)
        zip_code = people.LEAST_ZIP + self._zip.below(people.ZIPS, first, rows)
        country = 1 + self._country.below(len(people.COUNTRIES), first, rows)
        return {
            "city": capitals(self._city.words(first, rows), people.CITY_LETTERS),
            "state": _STATES[state * in_us],
            "zip": _int32(zip_code * in_us),
            "country": _COUNTRIES[country * ~in_us],
            "region": _int32(np.where(in_us, people.US, people.REST_OF_THE_WORLD)),
        }

    def _card_columns(self, first: int, rows: int) -> dict[str, np.ndarray]:
        return {
            "creditcardtype": _int32(1 + self._card_type.below(people.CREDIT_CARD_TYPES, first, rows)),
            "creditcard": digits(self._card.words(first, rows), people.CREDIT_CARD_DIGITS),
            "creditcardexpiration": _EXPIRATIONS[self._expiration.below(len(_EXPIRATIONS), first, rows)],
        }


def _lower(letters: Text) -> Text:
    return as_text(as_bytes(letters) | _LOWER_CASE)


def _int32(numbers: Whole) -> np.ndarray:
    return numbers.astype(np.int32)
