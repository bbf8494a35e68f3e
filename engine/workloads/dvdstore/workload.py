"""The DVD Store 2 as a workload, and what can be set of it: the size of a store, and what an order is made of.

The names and the defaults are those of DVD Store 2's drivers.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Any, ClassVar

from engine.parameters.parameter import Number, Parameter, Part, ValueType, Whole
from engine.workload.registry import DVD_STORE
from engine.workload.tally import Tally
from engine.workload.wording import Wording
from engine.workload.workload import Workload
from engine.workloads.dvdstore.estimate import estimate
from engine.workloads.dvdstore.sizing import DbSize
from engine.workloads.dvdstore.transactions import COLUMNS, OPM, TRANSACTIONS, Step
from engine.workloads.dvdstore.user import DvdStoreUser, Mix


@dataclass(frozen=True)
class Size(ValueType):
    """A ``DbSize``, typed as ``100MB``."""

    units: ClassVar[tuple[str, ...]] = ("MB", "GB")

    def checked(self, name: str, value: object) -> DbSize:
        return value if isinstance(value, DbSize) else DbSize.parse(str(value), name)

    def read(self, name: str, text: str) -> DbSize:
        return DbSize.parse(text, name)

    def plain(self, value: DbSize) -> str:
        return str(value)


SIZE = Parameter(
    key="db_size",
    label="Store size",
    type=Size(),
    default=None,
    part=Part.DATABASE,
    help="Such as 100MB or 40GB; 1000MB is not 1GB.",
    default_help="the size already built",
    mnemonic="z",
    metavar="SIZE",
    examples=("10MB", "100MB", "1GB", "10GB", "40GB", "100GB"),
)


def _user(
    values: Mapping[str, Any], *, think_time_ms: float, number: int, random: Random, tally: Tally
) -> DvdStoreUser:
    mix = Mix(
        size=values["db_size"],
        think_time_ms=think_time_ms,
        pct_new_customers=values["pct_new_customers"],
        n_searches=values["n_searches"],
        search_batch_size=values["search_batch_size"],
        n_line_items=values["n_line_items"],
    )
    return DvdStoreUser(mix, random, tally)


WORKLOAD = Workload(
    id=DVD_STORE,
    title="DVD Store 2",
    scale_key=SIZE.key,
    small_scale=DbSize(10, "MB"),
    usual_scale=DbSize(100, "MB"),
    estimate=estimate,
    transactions=TRANSACTIONS,
    headline=OPM,
    columns=COLUMNS,
    also_counted=(Step.NEW_CUSTOMER,),
    user=_user,
    bindings="engine.workloads.dvdstore.bindings",
    driver_files="engine.workloads.dvdstore.ds2.files",
    compiled=("engine.workloads.dvdstore._script",),
    summary="{pct_new_customers} new customers, {n_searches} of {search_batch_size}, {n_line_items}",
    sentence="An order: {pct_new_customers} by new customers, {n_searches} of {search_batch_size}, {n_line_items}.",
    wording=Wording(
        unit="order",
        users="Users are closed-loop: each waits for its order, thinks, and places the next.",
        store="Each store is a DVD Store 2 database of a whole number of MB or GB; 1000MB is not 1GB.",
        verify="Checks rows, keys, indexes and sums of each store.",
        reset="Resets each store to what was built; orders and customers added by runs are removed.",
        reset_first="Reset the stores before the run, as the published tests do",
        written="orders and customers",
        undone="orders and customers that earlier runs added are removed",
        placed="placed",
        counted="Purchases that the server answered, also those rolled back because of insufficient stock, as DVD"
        " Store 2 counts them.",
        running="DVD Store 2's running average at its end",
        timed="Of an order: its login or registration, its searches and its purchase, without the price look-up and the"
        " think time",
        untimed="The price look-up and the think time of an order are in no response time.",
        in_doubt="purchase",
        slowing="a small store slows down as its customers' histories grow",
    ),
    parameters=(
        SIZE,
        Parameter(
            key="pct_new_customers",
            label="New customers",
            type=Number(0, 100),
            default=20.0,
            help="Share of orders by new customers, who register first.",
            unit="%",
            step=5,
            mnemonic="c",
            metavar="PCT",
        ),
        Parameter(
            key="n_searches",
            label="Searches per order",
            type=Whole(1, 100),
            default=3,
            help="Mean number of searches before an order.",
            mnemonic="h",
            option="searches",
            noun=("search", "searches"),
        ),
        Parameter(
            key="search_batch_size",
            label="Rows per search",
            type=Whole(1, 1_000),
            default=5,
            help="Mean number of rows requested by a search.",
            mnemonic="e",
            option="batch",
            noun=("row", "rows"),
        ),
        Parameter(
            key="n_line_items",
            label="Lines per order",
            type=Whole(1, 10),
            default=5,
            help="Mean number of lines of an order.",
            mnemonic="l",
            option="lines",
            noun=("line", "lines"),
        ),
    ),
)
