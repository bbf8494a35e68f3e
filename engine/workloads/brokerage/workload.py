"""Brokerage as a workload, and what can be set of it: the customers of a store and the days it was built with."""

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

from engine.errors import BadInput
from engine.workload.parameters import Parameter, Part, ValueType
from engine.workload.registry import BROKERAGE
from engine.workload.tally import Tally
from engine.workload.wording import Wording
from engine.workload.workload import NamedLoad, Workload
from engine.workloads.brokerage.estimate import estimate
from engine.workloads.brokerage.sizing import Size
from engine.workloads.brokerage.transactions import TRADE_ORDER, TRADE_RESULT, TRADES_PER_SECOND, TRANSACTIONS
from engine.workloads.brokerage.user import BrokerageUser


@dataclass(frozen=True)
class CustomerCount(ValueType):
    """A ``Size``, typed as ``5000`` or, with the days of trades, ``5000x10``."""

    def checked(self, name: str, value: object) -> Size:
        if isinstance(value, Size):
            return value
        if isinstance(value, bool) or not isinstance(value, int | str):
            raise BadInput(f"{name} is {value!r}; give thousands of customers, such as 5000.")
        return Size.parse(str(value), name)

    def read(self, name: str, text: str) -> Size:
        return Size.parse(text, name)

    def write(self, value: Size) -> str:
        return f"{value.customers}x{value.days}"

    def plain(self, value: Size) -> str:
        return self.write(value)


SCALE = Parameter(
    key="customers",
    label="Customers",
    type=CustomerCount(),
    default=None,
    part=Part.DATABASE,
    help="Thousands of customers, and the days of trades before the first run: 5000x10; 10 days where none are given.",
    default_help="the customers already built",
    mnemonic="u",
    examples=("1000x1", "1000x10", "5000x10", "5000x300"),
)


def _user(
    values: Mapping[str, Any], *, think_time_ms: float, number: int, random: Random, tally: Tally
) -> BrokerageUser:
    return BrokerageUser(values[SCALE.key], think_time_ms / 1000, number, random, tally)


def _result_share(_values: Mapping[str, Any]) -> float:
    """Of a hundred transactions ten are Trade-Results."""
    return 0.1


WORKLOAD = Workload(
    id=BROKERAGE,
    title="Brokerage",
    note="Brokerage is derived from TPC-E; its results are not comparable to published TPC-E results.",
    scale_key=SCALE.key,
    small_scale=Size(1_000, 1),
    usual_scale=Size(1_000, 1),
    transactions=TRANSACTIONS,
    recorded=(TRADE_ORDER, TRADE_RESULT),
    headline=TRADES_PER_SECOND,
    headline_share=_result_share,
    user=_user,
    estimate=estimate,
    bindings="engine.workloads.brokerage.bindings",
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
    parameters=(SCALE,),
)
