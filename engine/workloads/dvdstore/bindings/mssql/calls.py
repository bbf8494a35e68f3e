"""The calls of a DVD Store's users on SQL Server."""

from collections.abc import Callable, Sequence
from typing import Any

from engine.databases.exchange.calls import CallTable, PreparedCall, Result
from engine.databases.odbc.rows import only_integer
from engine.workloads.dvdstore.bindings import readers


def _call(
    procedure: str, read: Callable[[Result], Any], values: Callable[..., tuple[Any, ...]] | None = None
) -> PreparedCall:
    return PreparedCall(None, procedure, (), values, read)


def _purchase_values(
    customer: int, lines: Sequence[tuple[int, int]], net: int, tax: int, total: int
) -> tuple[int, ...]:
    return (customer, net, tax, total, len(lines), *(number for line in lines for number in line))


CALLS = CallTable(
    {
        "login": _call("login", readers.customer_and_bought),
        "new_customer": _call("new_customer", only_integer, tuple),
        "browse_by_category": _call("browse_by_category", readers.rows),
        "browse_by_actor": _call("browse_by_actor", readers.rows),
        "browse_by_title": _call("browse_by_title", readers.rows),
        "prices": _call("product_prices", readers.prices, tuple),
        "purchase": _call("purchase", only_integer, _purchase_values),
    },
    recorded=frozenset({"purchase"}),
    trial=("prices", ([],)),
)
