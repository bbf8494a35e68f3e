"""Wholesale as a workload, with its parameters: the warehouses of a store, and how its terminals are used."""

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Any, ClassVar

from engine.errors import BadInput
from engine.parameters.parameter import Choice, Flag, Parameter, Part, ValueType
from engine.workload.registry import WHOLESALE
from engine.workload.tally import Tally
from engine.workload.wording import Wording
from engine.workload.workload import NamedLoad, Workload
from engine.workloads.wholesale.estimate import estimate
from engine.workloads.wholesale.picks import MIXES
from engine.workloads.wholesale.sizing import Warehouses
from engine.workloads.wholesale.transactions import NEW_ORDER, NOPM, TRANSACTIONS
from engine.workloads.wholesale.user import Terminal, WholesaleUser

HOME, ALL = "home", "all"


@dataclass(frozen=True)
class WarehouseCount(ValueType):
    """A ``Warehouses``, typed as ``10``."""

    is_number: ClassVar[bool] = True

    def checked(self, name: str, value: object) -> Warehouses:
        if isinstance(value, Warehouses):
            return value
        if isinstance(value, bool) or not isinstance(value, int | str):
            raise BadInput(f"{name} is {value!r}; give a whole number of warehouses.")
        return Warehouses.parse(str(value), name)

    def read(self, name: str, text: str) -> Warehouses:
        return Warehouses.parse(text, name)

    def write(self, value: Warehouses) -> str:
        return str(value.count)

    def plain(self, value: Warehouses) -> int:
        return value.count


SCALE = Parameter(
    key="warehouses",
    label="Warehouses",
    type=WarehouseCount(),
    default=None,
    part=Part.DATABASE,
    help="About 100 MB each, with 10 districts, 30,000 customers and 100,000 stock items; 1 to 10,000.",
    default_help="the warehouses already built",
    mnemonic="w",
    examples=("1", "10", "100", "1000"),
    noun=("warehouse", "warehouses"),
)


def _terminal(values: Mapping[str, Any], think_time_ms: float, number: int = 0) -> Terminal:
    warehouses = values[SCALE.key].count
    return Terminal(
        warehouses=warehouses,
        mix=values["mix"],
        think_time_ms=think_time_ms,
        home=1 + number % warehouses if values["warehouse_choice"] == HOME else None,
        as_specified=values["specified_times"],
    )


def _user(
    values: Mapping[str, Any], *, think_time_ms: float, number: int, random: Random, tally: Tally
) -> WholesaleUser:
    return WholesaleUser(_terminal(values, think_time_ms, number), random, tally)


def _mean_think_seconds(values: Mapping[str, Any], think_time_ms: float) -> float:
    any_scale = {**values, SCALE.key: Warehouses(1)}  # the plan may leave the scale to the existing store
    return _terminal(any_scale, think_time_ms).mean_think_seconds


def _new_order_share(values: Mapping[str, Any]) -> float:
    return MIXES[values["mix"]][NEW_ORDER] / 100


WORKLOAD = Workload(
    id=WHOLESALE,
    title="Wholesale",
    note="Wholesale is derived from TPC-C; its results are not comparable to published TPC-C results.",
    scale_key=SCALE.key,
    small_scale=Warehouses(1),
    usual_scale=Warehouses(1),
    transactions=TRANSACTIONS,
    headline=NOPM,
    headline_share=_new_order_share,
    user=_user,
    mean_think_seconds=_mean_think_seconds,
    estimate=estimate,
    bindings="engine.workloads.wholesale.bindings",
    summary="{mix} mix, users at {warehouse_choice} warehouses",
    sentence="Wholesale: {mix} mix, users at {warehouse_choice} warehouses.",
    wording=Wording(
        store="Each store is a Wholesale database of a whole number of warehouses, about 100 MB each.",
        verify="Checks the rows, keys and indexes of each store, and the twelve consistency conditions.",
        reset="Resets each store to what was built; rows that runs added are removed, changed ones restored.",
        written="orders, payments, deliveries and stock quantities",
        undone="rows that earlier runs added are removed, and rows that they changed are restored",
        counted="New-Orders that were committed; those that were rolled back, because an item does not exist, are"
        " counted by themselves.",
        timed="Of a transaction: its one call, from sending it until the answer has come, without keying and think"
        " times",
        untimed="Keying and think times are in no response time.",
        slowing="a small store slows down as its orders accumulate",
    ),
    loads=(
        NamedLoad(
            "Quick: 8 users, 20 ms, 6 + 48 s",
            "a first look in about a minute, also on the embedded server",
            {"threads": 8, "think_time_ms": 20.0, "warmup_minutes": 0.1, "minutes": 0.8},
        ),
        NamedLoad(
            "As specified: 10 users, 5 + 30 min",
            "keying and think times as specified, with the 10 users of one warehouse",
            {"threads": 10, "specified_times": True, "warmup_minutes": 5.0, "minutes": 30.0},
        ),
        NamedLoad(
            "HammerDB's mix: 16 users, 0 ms, 2 + 5 min",
            "the shares that HammerDB draws, no think time, 2 min of warm-up",
            {"threads": 16, "mix": "hammerdb", "warmup_minutes": 2.0, "minutes": 5.0},
        ),
    ),
    parameters=(
        SCALE,
        Parameter(
            key="mix",
            label="Mix",
            type=Choice(tuple(MIXES), {"hammerdb": "HammerDB"}),
            default="specified",
            help="specified: 45/43/4/4/4 % New-Order/Payment/Order-Status/Delivery/Stock-Level; hammerdb:"
            " 10/10/1/1/1 of 23.",
            mnemonic="i",
            metavar="NAME",
        ),
        Parameter(
            key="specified_times",
            label="Keying and think times as specified",
            type=Flag(),
            default=False,
            help="Keying and think times of the specification for each transaction, in place of the think time.",
            mnemonic="k",
        ),
        Parameter(
            key="warehouse_choice",
            label="Warehouse",
            type=Choice((HOME, ALL)),
            default=HOME,
            help="home: each user keeps to one, the users spread over all; all: another one each time.",
            mnemonic="h",
            option="warehouse",
            metavar="WHICH",
        ),
    ),
)
