"""The calls of Wholesale's users on MariaDB and MySQL."""

from collections.abc import Callable
from typing import Any

from engine.databases.exchange.calls import CallTable, PreparedCall, Result
from engine.databases.exchange.parameters import Parameters, count, plain, spread
from engine.databases.mariadb.native.wire import LONG, VAR_STRING
from engine.workloads.wholesale.bindings import readers
from engine.workloads.wholesale.sizing import MOST_LINES

_LINE_FIELDS = 3
_new_order_values = Parameters(
    plain(0), plain(1), plain(2), count(3), spread(3, length=_LINE_FIELDS * MOST_LINES, width=_LINE_FIELDS)
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
        "new_order": _call("new_order", (LONG,) * (4 + _LINE_FIELDS * MOST_LINES), readers.number, _new_order_values),
        "payment": _call("payment", (*[LONG] * 5, VAR_STRING, LONG), readers.number),
        "order_status": _call("order_status", (LONG, LONG, LONG, VAR_STRING), readers.rows),
        "delivery": _call("delivery", (LONG, LONG), readers.number),
        "stock_level": _call("stock_level", (LONG, LONG, LONG), readers.number),
    },
    recorded=frozenset({"new_order"}),
    trial=("stock_level", (0, 0, 0)),
)
