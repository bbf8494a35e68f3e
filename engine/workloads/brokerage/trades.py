"""The trades before the first run, and what follows from them: history, settlement, cash, holdings, commissions.

An account holds ten securities. Most of its trades come in groups of four, of one security: two purchases, a sale of
the first and half of the second, and a sale of the rest. Last come purchases that are not sold yet: they are the
holdings. So the rows of every account, and of any range of accounts, are computed from its number alone.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from engine.workload.rows.randomness import Whole, streams_of
from engine.workload.rows.texts import four_digits, joined_columns, table_of
from engine.workloads.brokerage.customer_names import Names
from engine.workloads.brokerage.fees import CHARGES, commissions
from engine.workloads.brokerage.moments import TRADING_SECONDS, trading_moments
from engine.workloads.brokerage.names import base_price_cents, held_security, symbol
from engine.workloads.brokerage.sizing import ACCOUNTS, GROUP, HELD, Size
from engine.workloads.brokerage.words import EXCHANGES, TRADE_TYPES

_QUANTITIES = np.array([100, 200, 400, 800])
_SPREAD_CENTS = 2_00
_KIND = {each[0]: at for at, each in enumerate(TRADE_TYPES)}
_KINDS = table_of([each[0] for each in TRADE_TYPES])
_SUBMIT_SECONDS, _PENDING_SECONDS = 5, 300
_SETTLED_DAYS = np.timedelta64(2, "D")


@dataclass(frozen=True, kw_only=True, eq=False)
class AccountTrades:
    """The trades of a range of accounts, one element each, in the order of their numbers, which count from 0."""

    number: Whole
    account: Whole
    security: Whole
    held: Whole
    step: Whole
    quantity: Whole
    price: Whole
    second: Whole

    @cached_property
    def is_sale(self) -> np.ndarray:
        sold: np.ndarray = self.step >= GROUP // 2
        return sold

    @cached_property
    def is_open(self) -> np.ndarray:
        """Whether it is a purchase that is not sold yet."""
        kept: np.ndarray = self.step < 0
        return kept

    @cached_property
    def is_limit(self) -> np.ndarray:
        limit: np.ndarray = (self.number % 5 == 1) | (self.number % 5 == 3)
        return limit

    @cached_property
    def is_cash(self) -> np.ndarray:
        cash: np.ndarray = (self.number % 25 != 7) & (self.number % 25 != 19)
        return cash

    @cached_property
    def kind(self) -> Whole:
        """The place of its type in ``TRADE_TYPES``."""
        sale = np.where(self.is_limit, np.where(self.number % 2 == 0, _KIND["TLS"], _KIND["TSL"]), _KIND["TMS"])
        return np.where(self.is_sale, sale, np.where(self.is_limit, _KIND["TLB"], _KIND["TMB"]))


class Trades:
    """The rows of ``trade`` and of the tables that follow from it, by ranges of accounts that count from 0."""

    def __init__(self, size: Size, seed: int, names: Names) -> None:
        self._size, self._names = size, names
        trade = streams_of(seed, "trade")
        self._bought, self._open = trade("t_qty"), streams_of(seed, "holding")("h_qty")
        self._near, self._moment = trade("t_trade_price"), trade("t_dts")
        self._pending, self._lifo = trade("pending"), trade("t_lifo")
        self._symbols = table_of([symbol(each) for each in range(size.securities)])

    def trades(self, first: int, accounts: int) -> dict[str, np.ndarray]:
        made = self._of(first, accounts)
        customers = made.account // ACCOUNTS
        rows = len(made.number)
        return {
            "t_id": made.number + 1,
            "t_dts": trading_moments(made.second),
            "t_st_id": np.full(rows, b"CMPT", "S4"),
            "t_tt_id": _KINDS[made.kind],
            "t_is_cash": made.is_cash.astype(np.int64),
            "t_s_symb": self._symbols[made.security],
            "t_qty": made.quantity,
            "t_bid_price": made.price,
            "t_ca_id": made.account + 1,
            "t_exec_name": self._names.full(customers),
            "t_trade_price": made.price,
            "t_chrg": self._charges(made),
            "t_comm": self._commissions(made),
            "t_tax": np.zeros(rows, np.int64),
            "t_lifo": (self._lifo.below_at(100, made.number.astype(np.uint64)) < 35).astype(np.int64),
        }

    def history(self, first: int, accounts: int) -> dict[str, np.ndarray]:
        """Submitted and completed; limit orders were pending before."""
        made = self._of(first, accounts)
        waited = self._pending.below_at(_PENDING_SECONDS * _SUBMIT_SECONDS, made.number.astype(np.uint64))
        submitted = made.second - waited % _SUBMIT_SECONDS
        pending = submitted - 1 - waited // _SUBMIT_SECONDS
        limit = made.is_limit
        seconds = np.concatenate((pending[limit], submitted, made.second))
        numbers = np.concatenate((made.number[limit], made.number, made.number))
        state = np.repeat(np.array([b"PNDG", b"SBMT", b"CMPT"], "S4"), [int(limit.sum()), *2 * [len(made.number)]])
        order = np.argsort(numbers, kind="stable")
        return {
            "th_t_id": numbers[order] + 1,
            "th_dts": trading_moments(np.maximum(seconds[order], 0)),
            "th_st_id": state[order],
        }

    def settlements(self, first: int, accounts: int) -> dict[str, np.ndarray]:
        made = self._of(first, accounts)
        return {
            "se_t_id": made.number + 1,
            "se_cash_type": np.where(made.is_cash, b"Cash Account", b"Margin").astype("S12"),
            "se_cash_due_date": trading_moments(made.second).astype("datetime64[D]") + _SETTLED_DAYS,
            "se_amt": self._amounts(made),
        }

    def cash(self, first: int, accounts: int) -> dict[str, np.ndarray]:
        """Of all trades but those on margin."""
        made = self._of(first, accounts)
        paid = made.is_cash
        rows = int(paid.sum())
        return {
            "ct_t_id": made.number[paid] + 1,
            "ct_dts": trading_moments(made.second[paid]),
            "ct_amt": self._amounts(made)[paid],
            "ct_name": joined_columns(
                _KINDS[made.kind[paid]], b" ", four_digits(made.quantity[paid]), b" shares of ",
                self._symbols[made.security[paid]], rows=rows,
            ),
        }  # fmt: skip

    def holdings(self, first: int, accounts: int) -> dict[str, np.ndarray]:
        made = self._of(first, accounts)
        kept = made.is_open
        return {
            "h_t_id": made.number[kept] + 1,
            "h_ca_id": made.account[kept] + 1,
            "h_s_symb": self._symbols[made.security[kept]],
            "h_dts": trading_moments(made.second[kept]),
            "h_price": made.price[kept],
            "h_qty": made.quantity[kept],
        }

    def summaries(self, first: int, accounts: int) -> dict[str, np.ndarray]:
        made = self._of(first, accounts)
        kept = made.is_open
        by_purchase = (accounts, self._size.open_of_security, HELD)
        return {
            "hs_ca_id": np.repeat(np.arange(first + 1, first + accounts + 1), HELD),
            "hs_s_symb": self._symbols[made.security[kept]].reshape(by_purchase)[:, 0].ravel(),
            "hs_qty": made.quantity[kept].reshape(by_purchase).sum(axis=1).ravel(),
        }

    def changes(self, first: int, accounts: int) -> dict[str, np.ndarray]:
        """The history of holdings: five rows of each group, and one of each purchase that is not sold yet."""
        made = self._of(first, accounts)
        number, quantity = made.number, made.quantity
        one, two, sale, rest = (np.flatnonzero(made.step == step) for step in range(GROUP))
        kept, none = np.flatnonzero(made.is_open), np.zeros(len(one), np.int64)
        left = quantity[rest]  # of the second purchase, after the first sale
        holding = np.concatenate((number[one], number[two], number[one], number[two], number[two], number[kept]))
        trade = np.concatenate((number[one], number[two], number[sale], number[sale], number[rest], number[kept]))
        before = np.concatenate((none, none, quantity[one], quantity[two], left, np.zeros(len(kept), np.int64)))
        after = np.concatenate((quantity[one], quantity[two], none, left, none, quantity[kept]))
        order = np.argsort(trade, kind="stable")
        return {
            "hh_h_t_id": holding[order] + 1,
            "hh_t_id": trade[order] + 1,
            "hh_before_qty": before[order],
            "hh_after_qty": after[order],
        }

    def commissions_of(self, first: int, accounts: int) -> tuple[int, int]:
        """How many trades a range of accounts has, and their commissions in cents."""
        made = self._of(first, accounts)
        return len(made.number), int(self._commissions(made).sum())

    def _of(self, first: int, accounts: int) -> AccountTrades:
        size = self._size
        numbers = np.arange(first, first + accounts)
        groups_before = np.array([size.groups_before(each) for each in range(first, first + accounts + 1)])
        groups, open_trades = np.diff(groups_before), HELD * size.open_of_security
        counts = GROUP * groups + open_trades
        begins = GROUP * groups_before[:-1] + open_trades * numbers
        account = np.repeat(numbers, counts)
        number = np.arange(begins[0], begins[0] + counts.sum())
        place = number - np.repeat(begins, counts)
        grouped = GROUP * np.repeat(groups, counts)
        group, step = np.divmod(place, GROUP)
        is_open = place >= grouped
        held = np.where(is_open, place - grouped, group) % HELD
        security = held_security(account, held, size.securities)
        places = number.astype(np.uint64)
        near = self._near.below_at(2 * _SPREAD_CENTS + 1, places) - _SPREAD_CENTS
        share = (place + self._moment.below_at(1_000, places) / 1_000) / np.repeat(counts, counts)
        return AccountTrades(
            number=number,
            account=account,
            security=security,
            held=held,
            step=np.where(is_open, -1, step),
            quantity=np.where(
                is_open,
                _QUANTITIES[self._open.below_at(len(_QUANTITIES), places)],
                self._quantities(np.repeat(groups_before[:-1], counts) + group, step),
            ),
            price=base_price_cents(security) + near,
            second=(share * size.days * TRADING_SECONDS).astype(np.int64),
        )

    def _quantities(self, group: Whole, step: Whole) -> Whole:
        places = 2 * group.astype(np.uint64)
        one = _QUANTITIES[self._bought.below_at(len(_QUANTITIES), places)]
        two = _QUANTITIES[self._bought.below_at(len(_QUANTITIES), places + np.uint64(1))]
        return np.choose(step, (one, two, one + two - two // 2, two // 2))

    def _charges(self, made: AccountTrades) -> Whole:
        charges: Whole = CHARGES[made.kind, self._names.tiers(made.account // ACCOUNTS) - 1]
        return charges

    def _commissions(self, made: AccountTrades) -> Whole:
        tier = self._names.tiers(made.account // ACCOUNTS)
        return commissions(tier, made.kind, made.security % len(EXCHANGES), made.quantity, made.price)

    def _amounts(self, made: AccountTrades) -> Whole:
        """What each trade brought or, negative, cost its account."""
        value = made.quantity * made.price
        cents: Whole = np.where(made.is_sale, value, -value) - self._charges(made) - self._commissions(made)
        return cents
