"""The calls of a DVD Store's users on SQL Server."""

from collections.abc import Sequence

from engine.databases.exchange import readers
from engine.databases.exchange.calls import CallTable
from engine.databases.mssql.calls import procedure_call
from engine.databases.odbc.rows import only_integer


def _purchase_values(
    customer: int, lines: Sequence[tuple[int, int]], net: int, tax: int, total: int
) -> tuple[int, ...]:
    return (customer, net, tax, total, len(lines), *(number for line in lines for number in line))


CALLS = CallTable(
    {
        "login": procedure_call("login", readers.number_and_rows),
        "new_customer": procedure_call("new_customer", only_integer, tuple),
        "browse_by_category": procedure_call("browse_by_category", readers.rows),
        "browse_by_actor": procedure_call("browse_by_actor", readers.rows),
        "browse_by_title": procedure_call("browse_by_title", readers.rows),
        "prices": procedure_call("product_prices", readers.pairs, tuple),
        "purchase": procedure_call("purchase", only_integer, _purchase_values),
    },
    recorded=frozenset({"purchase"}),
    trial=("prices", ([],)),
)
