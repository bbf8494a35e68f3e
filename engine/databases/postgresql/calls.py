"""The workload's calls as PostgreSQL sees them: each verb's statement, how its arguments are written, and how its
result is read. Called by the session on the hot path.
"""

from collections.abc import Callable, Mapping
from operator import methodcaller
from typing import Any

from engine.databases.database import Rows
from engine.databases.exchange.calls import Answer, PreparedCall
from engine.databases.exchange.parameters import Parameters, joined, members, plain
from engine.databases.postgresql.wire import INT4, INT4_ARRAY, NUMERIC, TEXT
from engine.workloads.dvdstore.picks import NewCustomer

# Its fields are in the order of the function's parameters.
_new_customer_values: Callable[[NewCustomer], tuple[Any, ...]] = tuple
_NEW_CUSTOMER_TYPES = (*[TEXT] * 6, INT4, TEXT, INT4, TEXT, TEXT, INT4, *[TEXT] * 4, INT4, INT4, TEXT)
_two_words_values = Parameters(joined(0, 1), plain(2))
_purchase_values = Parameters(plain(0), members(1, 0), members(1, 1), plain(2), plain(3), plain(4))

# None of these is a function of Python's: between two answers the server has the processor, and the caches.
_number: Callable[[Answer], int | None] = methodcaller("integer", 0, 0)
_prices: Callable[[Answer], dict[int, int]] = methodcaller("integer_pairs")
_rows: Callable[[Answer], Rows] = methodcaller("rows")
_customer_and_bought: Callable[[Answer], tuple[int | None, Rows]] = methodcaller("integer_and_rows")


def name_of(call: PreparedCall) -> bytes:
    """The name that the call's statement is prepared under."""
    assert isinstance(call.name, bytes), "PostgreSQL's prepared statements have names"
    return call.name


PURCHASE = PreparedCall(
    b"purchase",
    "CALL purchase($1, $2, $3, $4, $5, $6, NULL)",
    (INT4, INT4_ARRAY, INT4_ARRAY, NUMERIC, NUMERIC, NUMERIC),
    _purchase_values,
    _number,
)
CALLS: Mapping[str, PreparedCall] = {
    "login": PreparedCall(
        b"login",
        "SELECT customerid, title, actor, related_title FROM login($1, $2)",
        (TEXT, TEXT),
        None,
        _customer_and_bought,
    ),
    "new_customer": PreparedCall(
        b"new_customer",
        f"SELECT new_customer({', '.join(f'${n + 1}' for n in range(len(_NEW_CUSTOMER_TYPES)))})",
        _NEW_CUSTOMER_TYPES,
        _new_customer_values,
        _number,
    ),
    "browse_by_category": PreparedCall(
        b"category", "SELECT * FROM browse_by_category($1, $2)", (INT4, INT4), None, _rows
    ),
    "browse_by_actor": PreparedCall(
        b"actor", "SELECT * FROM browse_by_actor($1, $2)", (TEXT, INT4), _two_words_values, _rows
    ),
    "browse_by_title": PreparedCall(
        b"title", "SELECT * FROM browse_by_title($1, $2)", (TEXT, INT4), _two_words_values, _rows
    ),
    "prices": PreparedCall(
        b"prices", "SELECT prod_id, price_cents FROM product_prices($1)", (INT4_ARRAY,), None, _prices
    ),
    "purchase": PURCHASE,
}
