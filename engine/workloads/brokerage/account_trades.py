"""The trades of a range of accounts before the first run, as columns from which the rows of seven tables are made.

An account holds ten securities. Most of its trades are in groups of four of the same security: two purchases, a sale of
the first and half of the second, and a sale of the rest. The last trades are purchases that are not sold yet: the
holdings. So the trades of each account are computed from its number alone.
"""

from functools import cached_property

import numpy as np

from engine.workload.rows.randomness import Whole, Words, streams_of
from engine.workload.rows.texts import Text, table_of
from engine.workloads.brokerage.customer_names import Names
from engine.workloads.brokerage.fees import CHARGES, commissions
from engine.workloads.brokerage.moments import TRADING_SECONDS
from engine.workloads.brokerage.names import base_price_cents, held_security, symbol
from engine.workloads.brokerage.sizing import ACCOUNTS, GROUP, HELD, Size
from engine.workloads.brokerage.words import EXCHANGES, TRADE_TYPES

_QUANTITIES = np.array([100, 200, 400, 800])
_SPREAD_CENTS = 2_00
_SUBMIT_SECONDS, _PENDING_SECONDS = 5, 300
_KIND = {each[0]: at for at, each in enumerate(TRADE_TYPES)}


class TradeChances:
    """The inputs of a store's trades: its size, the customers' names, and a random stream for each column."""

    def __init__(self, size: Size, seed: int, names: Names) -> None:
        trade = streams_of(seed, "trade")
        self.size, self.names = size, names
        self.symbols = table_of([symbol(each) for each in range(size.securities)])
        self.bought, self.open = trade("t_qty"), streams_of(seed, "holding")("h_qty")
        self.near, self.moment = trade("t_trade_price"), trade("t_dts")
        self.pending, self.lifo = trade("pending"), trade("t_lifo")


class AccountTrades:
    """The trades of ``accounts`` accounts, beginning with account ``first``: arrays with an element for each trade, by
    trade number.

    Trades and accounts count from 0. Each column is computed at its first use, since no table needs all of them. With
    ``only_open`` there are only the purchases that are not sold yet.
    """

    def __init__(self, chances: TradeChances, first: int, accounts: int, *, only_open: bool = False) -> None:
        size = chances.size
        self._chances = chances
        self._accounts = np.arange(first, first + accounts)
        groups_before = np.array([size.groups_before(each) for each in range(first, first + accounts + 1)])
        self._groups_before, self._grouped = groups_before[:-1], GROUP * np.diff(groups_before)
        open_trades = HELD * size.open_of_security
        self._all = self._grouped + open_trades
        self._counts = np.full(accounts, open_trades) if only_open else self._all
        first_places = self._grouped if only_open else 0
        rows_before = np.cumsum(self._counts) - self._counts
        self._place = np.arange(self._counts.sum()) - self._of_each(rows_before - first_places)
        begins = GROUP * self._groups_before + open_trades * self._accounts
        self.number: Whole = self._place + self._of_each(begins)

    def __len__(self) -> int:
        return len(self.number)

    @cached_property
    def account(self) -> Whole:
        return self._of_each(self._accounts)

    @cached_property
    def holder(self) -> Text:
        """The name of the customer whose account it is."""
        return np.repeat(self._chances.names.full(self._accounts // ACCOUNTS), self._counts)

    @cached_property
    def is_open(self) -> np.ndarray:
        """Whether it is a purchase that is not sold yet."""
        kept: np.ndarray = self._place >= self._of_each(self._grouped)
        return kept

    @cached_property
    def step(self) -> Whole:
        """Its position in its group; -1 for a purchase that is not sold yet."""
        return np.where(self.is_open, -1, self._place - GROUP * self._group)

    @cached_property
    def is_sale(self) -> np.ndarray:
        sold: np.ndarray = self.step >= GROUP // 2
        return sold

    @cached_property
    def is_limit(self) -> np.ndarray:
        fifth = self.number - self.number // 5 * 5
        limit: np.ndarray = (fifth == 1) | (fifth == 3)
        return limit

    @cached_property
    def is_cash(self) -> np.ndarray:
        place = self.number - self.number // 25 * 25
        cash: np.ndarray = (place != 7) & (place != 19)
        return cash

    @cached_property
    def is_lifo(self) -> np.ndarray:
        lifo: np.ndarray = self._chances.lifo.below_at(100, self._index) < 35
        return lifo

    @cached_property
    def kind(self) -> Whole:
        """The index of its type in ``TRADE_TYPES``."""
        sale = np.where(self.is_limit, np.where(self.number & 1 == 0, _KIND["TLS"], _KIND["TSL"]), _KIND["TMS"])
        return np.where(self.is_sale, sale, np.where(self.is_limit, _KIND["TLB"], _KIND["TMB"]))

    @cached_property
    def security(self) -> Whole:
        held = np.where(self.is_open, self._place - self._of_each(self._grouped), self._group)
        held -= held // HELD * HELD
        return held_security(self.account, held, self._chances.size.securities)

    @cached_property
    def symbol(self) -> Text:
        symbols: Text = self._chances.symbols[self.security]
        return symbols

    @cached_property
    def quantity(self) -> Whole:
        """A group buys two quantities; it sells the first and half of the second, then the rest."""
        bought, places = self._chances.bought, 2 * (self._of_each(self._groups_before) + self._group).astype(np.uint64)
        one = _QUANTITIES[bought.below_at(len(_QUANTITIES), places)]
        two = _QUANTITIES[bought.below_at(len(_QUANTITIES), places + np.uint64(1))]
        rest = two >> 1
        step = self.step
        grouped = np.where(step == 0, one, np.where(step == 1, two, np.where(step == 2, one + two - rest, rest)))
        kept = _QUANTITIES[self._chances.open.below_at(len(_QUANTITIES), self._index[self.is_open])]
        grouped[self.is_open] = kept
        return grouped

    @cached_property
    def price(self) -> Whole:
        """In cents."""
        near = self._chances.near.below_at(2 * _SPREAD_CENTS + 1, self._index) - _SPREAD_CENTS
        return base_price_cents(self.security) + near

    @cached_property
    def second(self) -> Whole:
        """When it was completed, in seconds of trading time since the first opening."""
        share = (self._place + self._chances.moment.below_at(1_000, self._index) / 1_000) / self._of_each(self._all)
        return (share * self._chances.size.days * TRADING_SECONDS).astype(np.int64)

    @cached_property
    def charge(self) -> Whole:
        charges: Whole = CHARGES[self.kind, self._tier - 1]
        return charges

    @cached_property
    def commission(self) -> Whole:
        exchange = self.security - self.security // len(EXCHANGES) * len(EXCHANGES)
        return commissions(self._tier, self.kind, exchange, self.quantity, self.price)

    @cached_property
    def amount(self) -> Whole:
        """The change of the account's balance by each trade; negative for a purchase."""
        value = self.quantity * self.price
        cents: Whole = np.where(self.is_sale, value, -value) - self.charge - self.commission
        return cents

    @cached_property
    def submitted(self) -> Whole:
        """When it was submitted to the market, in the same seconds; it may be negative."""
        return self.second - (self._waited - self._waited // _SUBMIT_SECONDS * _SUBMIT_SECONDS)

    @property
    def pending(self) -> Whole:
        """When it was ordered, if it is a limit order, in the same seconds."""
        return self.submitted - 1 - self._waited // _SUBMIT_SECONDS

    @cached_property
    def _waited(self) -> Whole:
        return self._chances.pending.below_at(_PENDING_SECONDS * _SUBMIT_SECONDS, self._index)

    @cached_property
    def _index(self) -> Words:
        return self.number.view(np.uint64)

    @cached_property
    def _group(self) -> Whole:
        group: Whole = self._place // GROUP
        return group

    @cached_property
    def _tier(self) -> Whole:
        return self._of_each(self._chances.names.tiers(self._accounts // ACCOUNTS))

    def _of_each(self, of_accounts: Whole) -> Whole:
        """Repeats a value of each account for each of its trades."""
        return np.repeat(of_accounts, self._counts)
