"""The calls of the toy's users on each DBMS. Client processes load this: nothing here needs numpy."""

from collections.abc import Callable
from operator import methodcaller
from typing import Any

from engine.databases.exchange.calls import CallTable, PreparedCall
from engine.databases.mariadb.native.wire import LONG
from engine.databases.postgresql.wire import INT4
from engine.target.kinds import POSTGRESQL


def toy_calls(kind: str) -> CallTable:
    """The calls of the toy's users on a DBMS."""
    number, rows = methodcaller("integer", 0, 0), methodcaller("rows")

    def call(postgresql: str, parameters: int, read: Callable[[Any], Any]) -> PreparedCall:
        if kind == POSTGRESQL:
            name = postgresql.partition("(")[0].split()[-1]
            return PreparedCall(name.encode(), postgresql, (INT4,) * parameters, None, read)
        procedure = postgresql.partition("(")[0].split()[-1]
        return PreparedCall(None, f"CALL {procedure}({', '.join('?' * parameters)})", (LONG,) * parameters, None, read)

    return CallTable(
        {
            "find_visits": call("SELECT * FROM find_visits($1)", 1, rows),
            "count_shops": call("SELECT count_shops()", 0, number),
            "pay": call("CALL pay($1, $2, NULL)", 2, number),
        },
        recorded=frozenset({"pay"}),
        trial=("count_shops", ()),
    )
