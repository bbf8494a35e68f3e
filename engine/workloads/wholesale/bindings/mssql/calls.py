"""The calls of Wholesale's users on SQL Server."""

from collections.abc import Callable, Sequence
from typing import Any

from engine.databases.exchange.calls import CallTable, PreparedCall, Result
from engine.databases.odbc.rows import only_integer
from engine.workloads.wholesale.bindings import readers
from engine.workloads.wholesale.picks import Line


def _call(
    procedure: str, read: Callable[[Result], Any], values: Callable[..., tuple[Any, ...]] | None = None
) -> PreparedCall:
    return PreparedCall(None, procedure, (), values, read)


def _new_order_values(warehouse: int, district: int, customer: int, lines: Sequence[Line]) -> tuple[int, ...]:
    return (warehouse, district, customer, len(lines), *(number for line in lines for number in line))


CALLS = CallTable(
    {
        "new_order": _call("place_order", only_integer, _new_order_values),
        "payment": _call("payment", only_integer),
        "order_status": _call("order_status", readers.rows),
        "delivery": _call("delivery", only_integer),
        "stock_level": _call("stock_level", only_integer),
    },
    recorded=frozenset({"new_order"}),
    trial=("stock_level", (0, 0, 0)),
)
