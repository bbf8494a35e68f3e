"""The calls of Brokerage's users on SQL Server."""

from collections.abc import Callable, Sequence
from typing import Any

from engine.databases.exchange.calls import CallTable, PreparedCall, Result
from engine.databases.odbc.rows import only_integer
from engine.workloads.brokerage.bindings import readers


def _call(
    procedure: str, read: Callable[[Result], Any], values: Callable[..., tuple[Any, ...]] | None = None
) -> PreparedCall:
    return PreparedCall(None, procedure, (), values, read)


def _market_feed_values(symbols: str, prices_cents: Sequence[int], quantities: Sequence[int]) -> tuple[str]:
    """Quotes of 24 characters, since a call has no lists."""
    quotes = zip(symbols.split(","), prices_cents, quantities, strict=True)
    return ("".join(f"{symbol:7}{cents:09}{quantity:08}" for symbol, cents, quantity in quotes),)


def _broker_volume_values(listed: str, sector: str) -> tuple[str, ...]:
    return (sector, *listed.split("|"))


def _chosen_trades_values(frame: int, numbers: Sequence[int], *others: int | str) -> tuple[int | str, ...]:
    return (frame, "".join(f"{number:010}" for number in numbers), *others)


CALLS = CallTable(
    {
        "trade_order": _call("trade_order", readers.rows),
        "trade_result": _call("trade_result", only_integer),
        "market_feed": _call("market_feed", readers.rows, _market_feed_values),
        "broker_volume": _call("broker_volume", readers.rows, _broker_volume_values),
        "customer_position": _call("customer_position", readers.rows),
        "market_watch": _call("market_watch", only_integer),
        "security_detail": _call("security_detail", readers.rows),
        "trade_lookup": _call("trade_lookup", readers.rows, _chosen_trades_values),
        "trade_status": _call("trade_status", readers.rows),
        "trade_update": _call("trade_update", only_integer, _chosen_trades_values),
        "trade_cleanup": _call("trade_cleanup", only_integer),
        "data_maintenance": _call("data_maintenance", only_integer),
    },
    recorded=frozenset({"trade_order", "trade_result"}),
    trial=("trade_status", (0,)),
)
