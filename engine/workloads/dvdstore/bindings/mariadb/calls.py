"""The calls of a DVD Store's users on MariaDB and MySQL."""

from collections.abc import Callable
from typing import Any

from engine.databases.exchange.calls import CallTable, PreparedCall, Result
from engine.databases.exchange.parameters import Parameters, count, plain, spread, words
from engine.databases.mariadb.native.wire import LONG, LONGLONG, VAR_STRING
from engine.workloads.dvdstore.bindings import readers
from engine.workloads.dvdstore.picks import MOST_CART_LINES

_NEW_CUSTOMER_TYPES = (
    *[VAR_STRING] * 6, LONG, VAR_STRING, LONG, VAR_STRING, VAR_STRING, LONG, *[VAR_STRING] * 4, LONG, LONG, VAR_STRING,
)  # fmt: skip
_PURCHASE_TYPES = (LONG, LONGLONG, LONGLONG, LONGLONG, LONG, *[LONG] * 2 * MOST_CART_LINES)
_words_values = Parameters(words(0, 1), plain(2))
_purchase_values = Parameters(
    plain(0), plain(2), plain(3), plain(4), count(1), spread(1, length=2 * MOST_CART_LINES, width=2)
)


def _call(
    procedure: str,
    types: tuple[int, ...],
    read: Callable[[Result], Any],
    values: Callable[..., tuple[Any, ...]] | None = None,
) -> PreparedCall:
    return PreparedCall(None, f"CALL {procedure}({', '.join('?' * len(types))})", types, values, read)


CALLS = CallTable(
    {
        "login": _call("login", (VAR_STRING, VAR_STRING), readers.customer_and_bought),
        # A customer's fields are in the order of the procedure's parameters.
        "new_customer": _call("new_customer", _NEW_CUSTOMER_TYPES, readers.number, tuple),
        "browse_by_category": _call("browse_by_category", (LONG, LONG), readers.rows),
        "browse_by_actor": _call("browse_by_actor", (VAR_STRING, LONG), readers.rows, _words_values),
        "browse_by_title": _call("browse_by_title", (VAR_STRING, LONG), readers.rows, _words_values),
        "prices": _call(
            "product_prices",
            (LONG,) * MOST_CART_LINES,
            readers.prices,
            Parameters(spread(0, length=MOST_CART_LINES)),
        ),
        "purchase": _call("purchase", _PURCHASE_TYPES, readers.number, _purchase_values),
    },
    recorded=frozenset({"purchase"}),
    trial=("prices", ([],)),
)
