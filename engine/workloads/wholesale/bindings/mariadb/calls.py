"""The calls of Wholesale's users on MariaDB and MySQL."""

from engine.databases.exchange import readers
from engine.databases.exchange.calls import CallTable
from engine.databases.exchange.parameters import Parameters, count, plain, spread
from engine.databases.mariadb.calls import procedure_call
from engine.databases.mariadb.native.wire import LONG, VAR_STRING
from engine.workloads.wholesale.sizing import MOST_LINES

_LINE_FIELDS = 3
_new_order_values = Parameters(
    plain(0), plain(1), plain(2), count(3), spread(3, length=_LINE_FIELDS * MOST_LINES, width=_LINE_FIELDS)
)


CALLS = CallTable(
    {
        "new_order": procedure_call(
            "new_order", (LONG,) * (4 + _LINE_FIELDS * MOST_LINES), readers.number, _new_order_values
        ),
        "payment": procedure_call("payment", (*[LONG] * 5, VAR_STRING, LONG), readers.number),
        "order_status": procedure_call("order_status", (LONG, LONG, LONG, VAR_STRING), readers.rows),
        "delivery": procedure_call("delivery", (LONG, LONG), readers.number),
        "stock_level": procedure_call("stock_level", (LONG, LONG, LONG), readers.number),
    },
    recorded=frozenset({"new_order"}),
    trial=("stock_level", (0, 0, 0)),
)
