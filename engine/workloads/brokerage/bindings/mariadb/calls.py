"""The calls of Brokerage's users on MariaDB and MySQL."""

from collections.abc import Sequence

from engine.databases.exchange import readers
from engine.databases.exchange.calls import CallTable
from engine.databases.exchange.parameters import Parameters, plain, spread
from engine.databases.mariadb.calls import procedure_call
from engine.databases.mariadb.native.wire import LONG, VAR_STRING
from engine.workloads.brokerage.picks import MOST_BROKERS, MOST_TRADES

_CHOSEN_TRADES = (*[LONG] * (1 + MOST_TRADES), LONG, VAR_STRING, VAR_STRING, VAR_STRING)
_chosen_trades_values = Parameters(plain(0), spread(1, length=MOST_TRADES), plain(2), plain(3), plain(4), plain(5))


def _broker_volume_values(listed: str, sector: str) -> tuple[str, ...]:
    names = listed.split("|")
    return (sector, *names, *[""] * (MOST_BROKERS - len(names)))


def _market_feed_values(symbols: str, prices_cents: Sequence[int], quantities: Sequence[int]) -> tuple[str, ...]:
    return symbols, ",".join(map(str, prices_cents)), ",".join(map(str, quantities))


CALLS = CallTable(
    {
        "trade_order": procedure_call("trade_order", (LONG, *[VAR_STRING] * 5, *[LONG] * 5), readers.rows),
        "trade_result": procedure_call("trade_result", (LONG, LONG), readers.number),
        "market_feed": procedure_call("market_feed", (VAR_STRING,) * 3, readers.rows, _market_feed_values),
        "broker_volume": procedure_call(
            "broker_volume", (VAR_STRING,) * (1 + MOST_BROKERS), readers.rows, _broker_volume_values
        ),
        "customer_position": procedure_call("customer_position", (LONG, VAR_STRING, LONG), readers.rows),
        "market_watch": procedure_call("market_watch", (LONG, LONG, VAR_STRING, LONG, VAR_STRING), readers.number),
        "security_detail": procedure_call("security_detail", (VAR_STRING, LONG, LONG, VAR_STRING), readers.rows),
        "trade_lookup": procedure_call("trade_lookup", _CHOSEN_TRADES, readers.rows, _chosen_trades_values),
        "trade_status": procedure_call("trade_status", (LONG,), readers.rows),
        "trade_update": procedure_call("trade_update", _CHOSEN_TRADES, readers.number, _chosen_trades_values),
        "trade_cleanup": procedure_call("trade_cleanup", (), readers.number),
        "data_maintenance": procedure_call("data_maintenance", (LONG, LONG), readers.number),
    },
    recorded=frozenset({"trade_order", "trade_result"}),
    trial=("trade_status", (0,)),
)
