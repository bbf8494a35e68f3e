"""The calls of Brokerage's users on SQL Server."""

from collections.abc import Sequence

from engine.databases.exchange import readers
from engine.databases.exchange.calls import CallTable
from engine.databases.mssql.calls import procedure_call
from engine.databases.odbc.rows import only_integer


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
        "trade_order": procedure_call("trade_order", readers.rows),
        "trade_result": procedure_call("trade_result", only_integer),
        "market_feed": procedure_call("market_feed", readers.rows, _market_feed_values),
        "broker_volume": procedure_call("broker_volume", readers.rows, _broker_volume_values),
        "customer_position": procedure_call("customer_position", readers.rows),
        "market_watch": procedure_call("market_watch", only_integer),
        "security_detail": procedure_call("security_detail", readers.rows),
        "trade_lookup": procedure_call("trade_lookup", readers.rows, _chosen_trades_values),
        "trade_status": procedure_call("trade_status", readers.rows),
        "trade_update": procedure_call("trade_update", only_integer, _chosen_trades_values),
        "trade_cleanup": procedure_call("trade_cleanup", only_integer),
        "data_maintenance": procedure_call("data_maintenance", only_integer),
    },
    recorded=frozenset({"trade_order", "trade_result"}),
    trial=("trade_status", (0,)),
)
