"""The workload's calls as MySQL's protocol has them: each verb's statement, parameters, and how its result is read."""

from collections.abc import Callable, Mapping
from functools import cache
from operator import methodcaller
from typing import Any

from engine.databases.database import Rows
from engine.databases.exchange.calls import Answer, PreparedCall
from engine.databases.exchange.parameters import Parameters, count, plain, spread, words
from engine.databases.mariadb.native.wire import LONG, LONGLONG, VAR_STRING
from engine.workloads.dvdstore.picks import MOST_CART_LINES, NewCustomer

# Its fields are in the order of the procedure's parameters.
_new_customer_values: Callable[[NewCustomer], tuple[Any, ...]] = tuple
_NEW_CUSTOMER_TYPES = (
    *[VAR_STRING] * 6, LONG, VAR_STRING, LONG, VAR_STRING, VAR_STRING, LONG, *[VAR_STRING] * 4, LONG, LONG, VAR_STRING,
)  # fmt: skip
_words_values = Parameters(words(0, 1), plain(2))
_products_values = Parameters(spread(0, length=MOST_CART_LINES))
_purchase_values = Parameters(
    plain(0), plain(2), plain(3), plain(4), count(1), spread(1, length=2 * MOST_CART_LINES, width=2)
)

# None of these is a function of Python's: between two answers the server has the processor, and the caches.
_number: Callable[[Answer], int | None] = methodcaller("integer", 0, 0)
_prices: Callable[[Answer], dict[int, int]] = methodcaller("integer_pairs")
_rows: Callable[[Answer], Rows] = methodcaller("rows")
_customer_and_bought: Callable[[Answer], tuple[int | None, Rows]] = methodcaller("integer_and_rows")


def _call(
    procedure: str,
    types: tuple[int, ...],
    values: Callable[..., tuple[Any, ...]] | None,
    read: Callable[[Answer], Any],
) -> PreparedCall:
    return PreparedCall(None, f"CALL {procedure}({', '.join('?' * len(types))})", types, values, read)


_CALLS: Mapping[str, PreparedCall] = {
    "login": _call("login", (VAR_STRING, VAR_STRING), None, _customer_and_bought),
    "new_customer": _call("new_customer", _NEW_CUSTOMER_TYPES, _new_customer_values, _number),
    "browse_by_category": _call("browse_by_category", (LONG, LONG), None, _rows),
    "browse_by_actor": _call("browse_by_actor", (VAR_STRING, LONG), _words_values, _rows),
    "browse_by_title": _call("browse_by_title", (VAR_STRING, LONG), _words_values, _rows),
    "prices": _call("product_prices", (LONG,) * MOST_CART_LINES, _products_values, _prices),
    "purchase": _call(
        "purchase", (LONG, LONGLONG, LONGLONG, LONGLONG, LONG, *[LONG] * 2 * MOST_CART_LINES), _purchase_values, _number
    ),
}
STATEMENTS = tuple(call.statement for call in _CALLS.values())
"""What a session prepares, in this order."""

# The two questions about a purchase that was interrupted. Their answers are the session's own to read.
COMMITTING = PreparedCall(None, "SELECT @spindle_commits", (), None, None)
ROLLBACK = PreparedCall(None, "ROLLBACK", (), None, None)


@cache
def calls_of(numbers: tuple[int, ...]) -> Mapping[str, PreparedCall]:
    """The calls by their verbs, of a session that knows the ``STATEMENTS`` by these numbers.

    Most servers give every session the same ones.
    """
    return {verb: call._replace(name=number) for (verb, call), number in zip(_CALLS.items(), numbers, strict=True)}
