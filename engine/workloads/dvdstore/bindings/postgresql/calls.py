"""The calls of a DVD Store's users on PostgreSQL."""

from engine.databases.exchange import readers
from engine.databases.exchange.calls import CallTable, PreparedCall
from engine.databases.exchange.parameters import Parameters, joined, members, plain
from engine.databases.postgresql.wire import INT4, INT4_ARRAY, NUMERIC, TEXT

_NEW_CUSTOMER_TYPES = (*[TEXT] * 6, INT4, TEXT, INT4, TEXT, TEXT, INT4, *[TEXT] * 4, INT4, INT4, TEXT)
_two_words_values = Parameters(joined(0, 1), plain(2))

CALLS = CallTable(
    {
        "login": PreparedCall(
            b"login",
            "SELECT customerid, title, actor, related_title FROM login($1, $2)",
            (TEXT, TEXT),
            None,
            readers.number_and_rows,
        ),
        "new_customer": PreparedCall(
            b"new_customer",
            f"SELECT new_customer({', '.join(f'${n + 1}' for n in range(len(_NEW_CUSTOMER_TYPES)))})",
            _NEW_CUSTOMER_TYPES,
            tuple,  # a customer's fields are in the order of the function's parameters
            readers.number,
        ),
        "browse_by_category": PreparedCall(
            b"category", "SELECT * FROM browse_by_category($1, $2)", (INT4, INT4), None, readers.rows
        ),
        "browse_by_actor": PreparedCall(
            b"actor", "SELECT * FROM browse_by_actor($1, $2)", (TEXT, INT4), _two_words_values, readers.rows
        ),
        "browse_by_title": PreparedCall(
            b"title", "SELECT * FROM browse_by_title($1, $2)", (TEXT, INT4), _two_words_values, readers.rows
        ),
        "prices": PreparedCall(
            b"prices", "SELECT prod_id, price_cents FROM product_prices($1)", (INT4_ARRAY,), None, readers.pairs
        ),
        "purchase": PreparedCall(
            b"purchase",
            "CALL purchase($1, $2, $3, $4, $5, $6, NULL)",
            (INT4, INT4_ARRAY, INT4_ARRAY, NUMERIC, NUMERIC, NUMERIC),
            Parameters(plain(0), members(1, 0), members(1, 1), plain(2), plain(3), plain(4)),
            readers.number,
        ),
    },
    recorded=frozenset({"purchase"}),
    trial=("prices", ([],)),
)
