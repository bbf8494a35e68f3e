"""Brokerage as a workload, with its parameters: the customers of a store, and the days of trades in it."""

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

from engine.errors import BadInput
from engine.parameters.parameter import Parameter, Part, Whole
from engine.workload.backlog import Backlog
from engine.workload.registry import BROKERAGE
from engine.workload.scale import Scale
from engine.workload.tally import Tally
from engine.workload.wording import Wording
from engine.workload.workload import Deferred, NamedLoad, Nominal, Workload
from engine.workloads.brokerage.client_share import share_of
from engine.workloads.brokerage.estimate import estimate
from engine.workloads.brokerage.sizing import CUSTOMERS_OF_UNIT, MOST_CUSTOMERS, MOST_DAYS, USUAL_DAYS, Size
from engine.workloads.brokerage.transactions import (
    MARKET_FEED,
    TRADE_ORDER,
    TRADE_RESULT,
    TRADES_PER_SECOND,
    TRANSACTIONS,
)
from engine.workloads.brokerage.user import BrokerageUser


@dataclass(frozen=True)
class Thousands(Whole):
    """A whole number of thousands."""

    def checked(self, name: str, value: object) -> int:
        number = super().checked(name, value)
        if number % 1_000:
            raise BadInput(f"{name} is {number}; give thousands, such as {max(self.least, number // 1_000 * 1_000)}.")
        return number


CUSTOMERS = Parameter(
    key="customers",
    label="Customers",
    type=Thousands(CUSTOMERS_OF_UNIT, MOST_CUSTOMERS),
    default=None,
    part=Part.DATABASE,
    help="Customers of the broker, in thousands.",
    default_help="the customers already built",
    step=CUSTOMERS_OF_UNIT,
    mnemonic="u",
    examples=("1000", "5000", "10000"),
    noun=("customer", "customers"),
)
DAYS = Parameter(
    key="days",
    label="Days of trades",
    type=Whole(1, MOST_DAYS),
    default=None,
    part=Part.DATABASE,
    help=f"Days of trades in a new store, 57,600 a day for 1,000 customers; {USUAL_DAYS} for customers without days.",
    default_help="the days already built",
    mnemonic="y",
    examples=("1", "10", "300"),
    noun=("day of trades", "days of trades"),
)


class CustomersAndDays(Scale):
    """The scale of a Brokerage store, a ``Size``."""

    def of(self, values: Mapping[str, Any]) -> Size | None:
        customers, days = values[CUSTOMERS.key], values[DAYS.key]
        if customers is not None:
            return Size(customers, USUAL_DAYS if days is None else days)
        if days is not None:
            raise BadInput(f"days is {days} without customers; give both, or neither for the store that is there.")
        return None

    def values(self, scale: Size) -> Mapping[str, Any]:
        return {CUSTOMERS.key: scale.customers, DAYS.key: scale.days}

    def read(self, recorded: str) -> Size:
        return Size.parse(recorded)


SCALE = CustomersAndDays(CUSTOMERS, DAYS)


def _renewed(values: Mapping[str, Any]) -> Mapping[str, Any]:
    """In earlier versions customers and days were one text, ``5000x10``."""
    customers = values.get(CUSTOMERS.key)
    if not isinstance(customers, str) or "x" not in customers:
        return values
    return {**values, **SCALE.values(Size.parse(customers))}


def _user(
    values: Mapping[str, Any], *, think_time_ms: float, number: int, random: Random, tally: Tally
) -> BrokerageUser:
    size = SCALE.of(values)
    assert size is not None, "users run once the scale of the store is known"
    return BrokerageUser(size, think_time_ms / 1000, number, random, tally)


def _market_queue(tally: Tally, now: float) -> int:
    return share_of(tally).market.due(now)


def _nominal_rate(size: Size) -> float:
    """Source: TPC-E specification, clause 6.7.1.2."""
    return 2 * size.customers / CUSTOMERS_OF_UNIT


def _nominal_of(size: Size) -> str:
    return CUSTOMERS.in_words(size.customers)


def _result_share(_values: Mapping[str, Any]) -> float:
    """Ten of a hundred transactions are Trade-Results."""
    return 0.1


WORKLOAD = Workload(
    id=BROKERAGE,
    title="Brokerage",
    note="Brokerage is derived from TPC-E; its results are not comparable to published TPC-E results.",
    joint_scale=SCALE,
    renewed=_renewed,
    small_scale=Size(1_000, 1),
    usual_scale=Size(1_000, 1),
    transactions=TRANSACTIONS,
    recorded=(TRADE_ORDER, TRADE_RESULT),
    headline=TRADES_PER_SECOND,
    headline_share=_result_share,
    backlog=Backlog(id="market_queue", label="Market's queue", unit="order", depth=_market_queue),
    deferred=Deferred(cause=TRADE_ORDER, types=(TRADE_RESULT, MARKET_FEED)),
    nominal=Nominal(rate=_nominal_rate, of=_nominal_of, least_pct=80, most_pct=102),
    user=_user,
    estimate=estimate,
    bindings="engine.workloads.brokerage.bindings",
    compiled=("engine.workloads.brokerage._course",),
    summary="the specified mix of ten transactions",
    sentence="Brokerage: the specified mix of ten transactions.",
    wording=Wording(
        store="Each store is a Brokerage database of thousands of customers and the trades of some days.",
        verify="Checks the rows, keys and indexes of each store, and the three consistency conditions.",
        reset="Resets each store to what was built; trades of runs are removed, what they changed is restored.",
        written="trades, holdings, balances, prices and commissions",
        undone="trades of earlier runs are removed, and rows that they changed are restored",
        counted="Trade-Results that were committed.",
        timed="Of a transaction: its one call, from sending it until the answer has come, without think times",
        recorded=("Trade-Order or Trade-Result", "Trade-Orders and Trade-Results"),
        recorded_of="account",
        untimed="Think times are in no response time.",
        slowing="a small store slows down as its trades accumulate",
    ),
    loads=(
        NamedLoad(
            "Quick: 8 users, 0 ms, 6 + 48 s",
            "a first look in about a minute, also on the embedded server",
            {"threads": 8, "think_time_ms": 0.0, "warmup_minutes": 0.1, "minutes": 0.8},
        ),
        NamedLoad(
            "16 users, 0 ms, 2 + 10 min",
            "no think time, 2 min of warm-up",
            {"threads": 16, "think_time_ms": 0.0, "warmup_minutes": 2.0, "minutes": 10.0},
        ),
    ),
    parameters=SCALE.parameters,
)
