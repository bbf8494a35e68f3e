"""The workload's calls as PostgreSQL sees them: each verb's statement, how its arguments are written, and how its
result is read. Called by the session on the hot path.
"""

from collections.abc import Callable, Mapping, Sequence
from operator import methodcaller
from typing import Any, NamedTuple

from psycopg import pq

from engine.databases.database import Rows
from engine.databases.postgresql.wire import (
    INT4,
    INT4_ARRAY,
    NUMERIC,
    TEXT,
    Answer,
    Parameter,
)
from engine.dvdstore.picks import NewCustomer

# Its fields are in the order of the function's parameters.
_new_customer_values: Callable[[NewCustomer], tuple[Any, ...]] = tuple
BINARY, AS_TEXT = pq.Format.BINARY, pq.Format.TEXT
_NEW_CUSTOMER_TYPES = (*[TEXT] * 6, INT4, TEXT, INT4, TEXT, TEXT, INT4, *[TEXT] * 4, INT4, INT4, TEXT)


class PreparedCall(NamedTuple):
    """A verb of ``engine.databases.database.Session``.

    ``values`` makes the parameters of its arguments, or these are the parameters (``None``); ``read`` makes its answer
    of a result that went well. ``_exchange.h`` knows in which place each stands.
    """

    name: bytes
    statement: str
    types: Sequence[int]
    formats: tuple[int, ...]
    values: Callable[..., tuple[Parameter, ...]] | None
    read: Callable[[Answer], Any]


def plain_two_words_values(word: str, other_word: str, batch_size: int) -> tuple[str, int]:
    """Of a search: the words as one text."""
    return f"{word} {other_word}", batch_size


def plain_purchase_values(
    customer: int, lines: list[tuple[int, int]], net: int, tax: int, total: int
) -> tuple[int, list[int], list[int], int, int, int]:
    """Of a purchase: its lines as a list of the products and one of the quantities."""
    return customer, [product for product, _ in lines], [quantity for _, quantity in lines], net, tax, total


try:
    from engine.databases.postgresql._exchange import purchase_values, two_words_values
except ImportError:
    purchase_values, two_words_values = plain_purchase_values, plain_two_words_values

# None of these is a function of Python's: between two answers the server has the processor, and the caches.
_number: Callable[[Answer], int | None] = methodcaller("int4", 0, 0)
_prices: Callable[[Answer], dict[int, int]] = methodcaller("int4_pairs")
_rows: Callable[[Answer], Rows] = methodcaller("rows")
_customer_and_bought: Callable[[Answer], tuple[int | None, Rows]] = methodcaller("int4_and_rows")


def _call(
    name: bytes,
    statement: str,
    types: Sequence[int],
    values: Callable[..., tuple[Parameter, ...]] | None,
    read: Callable[[Answer], Any],
) -> PreparedCall:
    formats = tuple(AS_TEXT if kind == NUMERIC else BINARY for kind in types)
    return PreparedCall(name, statement, types, formats, values, read)


PURCHASE = _call(
    b"purchase",
    "CALL purchase($1, $2, $3, $4, $5, $6, NULL)",
    (INT4, INT4_ARRAY, INT4_ARRAY, NUMERIC, NUMERIC, NUMERIC),
    purchase_values,
    _number,
)
CALLS: Mapping[str, PreparedCall] = {
    "login": _call(
        b"login",
        "SELECT customerid, title, actor, related_title FROM login($1, $2)",
        (TEXT, TEXT),
        None,
        _customer_and_bought,
    ),
    "new_customer": _call(
        b"new_customer",
        f"SELECT new_customer({', '.join(f'${n + 1}' for n in range(len(_NEW_CUSTOMER_TYPES)))})",
        _NEW_CUSTOMER_TYPES,
        _new_customer_values,
        _number,
    ),
    "browse_by_category": _call(b"category", "SELECT * FROM browse_by_category($1, $2)", (INT4, INT4), None, _rows),
    "browse_by_actor": _call(b"actor", "SELECT * FROM browse_by_actor($1, $2)", (TEXT, INT4), two_words_values, _rows),
    "browse_by_title": _call(b"title", "SELECT * FROM browse_by_title($1, $2)", (TEXT, INT4), two_words_values, _rows),
    "prices": _call(b"prices", "SELECT prod_id, price_cents FROM product_prices($1)", (INT4_ARRAY,), None, _prices),
    "purchase": PURCHASE,
}
