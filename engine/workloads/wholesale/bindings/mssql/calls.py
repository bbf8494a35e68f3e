"""The calls of Wholesale's users on SQL Server."""

from collections.abc import Sequence

from engine.databases.exchange import readers
from engine.databases.exchange.calls import CallTable
from engine.databases.mssql.calls import procedure_call
from engine.databases.odbc.rows import only_integer
from engine.workloads.wholesale.picks import Line


def _new_order_values(warehouse: int, district: int, customer: int, lines: Sequence[Line]) -> tuple[int, ...]:
    return (warehouse, district, customer, len(lines), *(number for line in lines for number in line))


CALLS = CallTable(
    {
        "new_order": procedure_call("place_order", only_integer, _new_order_values),
        "payment": procedure_call("payment", only_integer),
        "order_status": procedure_call("order_status", readers.rows),
        "delivery": procedure_call("delivery", only_integer),
        "stock_level": procedure_call("stock_level", only_integer),
    },
    recorded=frozenset({"new_order"}),
    trial=("stock_level", (0, 0, 0)),
)
