"""The calls of a DVD Store's users on MariaDB and MySQL."""

from engine.databases.exchange import readers
from engine.databases.exchange.calls import CallTable
from engine.databases.exchange.parameters import Parameters, count, plain, spread, words
from engine.databases.mariadb.calls import procedure_call
from engine.databases.mariadb.native.wire import LONG, LONGLONG, VAR_STRING
from engine.workloads.dvdstore.picks import MOST_CART_LINES

_NEW_CUSTOMER_TYPES = (
    *[VAR_STRING] * 6, LONG, VAR_STRING, LONG, VAR_STRING, VAR_STRING, LONG, *[VAR_STRING] * 4, LONG, LONG, VAR_STRING,
)  # fmt: skip
_PURCHASE_TYPES = (LONG, LONGLONG, LONGLONG, LONGLONG, LONG, *[LONG] * 2 * MOST_CART_LINES)
_words_values = Parameters(words(0, 1), plain(2))
_purchase_values = Parameters(
    plain(0), plain(2), plain(3), plain(4), count(1), spread(1, length=2 * MOST_CART_LINES, width=2)
)


CALLS = CallTable(
    {
        "login": procedure_call("login", (VAR_STRING, VAR_STRING), readers.number_and_rows),
        # A customer's fields are in the order of the procedure's parameters.
        "new_customer": procedure_call("new_customer", _NEW_CUSTOMER_TYPES, readers.number, tuple),
        "browse_by_category": procedure_call("browse_by_category", (LONG, LONG), readers.rows),
        "browse_by_actor": procedure_call("browse_by_actor", (VAR_STRING, LONG), readers.rows, _words_values),
        "browse_by_title": procedure_call("browse_by_title", (VAR_STRING, LONG), readers.rows, _words_values),
        "prices": procedure_call(
            "product_prices",
            (LONG,) * MOST_CART_LINES,
            readers.pairs,
            Parameters(spread(0, length=MOST_CART_LINES)),
        ),
        "purchase": procedure_call("purchase", _PURCHASE_TYPES, readers.number, _purchase_values),
    },
    recorded=frozenset({"purchase"}),
    trial=("prices", ([],)),
)
