"""The emulated user of Brokerage: a customer's transactions, and those that the market owes its client."""

import time
from collections.abc import Callable
from random import Random
from typing import Any

from engine.errors import TargetError
from engine.workload.actions import Call, Script
from engine.workload.tally import Tally
from engine.workload.user import EmulatedUser
from engine.workloads.brokerage import names
from engine.workloads.brokerage.client_share import share_of
from engine.workloads.brokerage.market_emulator import Order, Owed, Quote, price_cents
from engine.workloads.brokerage.picks import MARKET_KINDS, Picks
from engine.workloads.brokerage.sizing import Size
from engine.workloads.brokerage.transactions import (
    MARKET_FEED,
    ROLLED_BACK,
    TRADE_CLEANUP,
    TRADE_ORDER,
    TRADE_RESULT,
)

ORDER_KEY, RESULT_KEY = 1, 2
"""What the ledger records of a trade: that it was ordered, and that it was completed."""
_MAINTENANCE_SECONDS = 60.0
_MAINTAINED_TABLES = 12
_NOBODYS: list[Quote] = []
"""Stands for what the market owes where the transaction is not a customer's, and not the market's either."""
_Next = tuple[Call, Owed | None]
"""A transaction's call, and what the market owed that it delivers; ``None``: the user's own."""


class BrokerageUser(EmulatedUser):
    """Implements the user of ``engine.workload.workload.Workload``.

    The first user of a store, ``number`` 0, cancels what earlier runs left behind, and maintains the data every minute.
    """

    def __init__(
        self,
        size: Size,
        think_seconds: float,
        number: int,
        random: Random,
        tally: Tally,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(random, tally, think_seconds)
        self._picks = Picks(size, random)
        share = share_of(tally)
        self._market, self._deck = share.market, share.deck
        self._now = clock
        self._failed = ""  # the type of the user's own transaction that failed, which it is to make again
        self._traded = 0  # the security of its Trade-Order
        self._is_first = number == 0
        self._has_cleaned_up = False
        self._maintained = 0
        self._maintains_at = clock() + _MAINTENANCE_SECONDS
        self._was_the_markets = False
        self._follow_ups: dict[str, Callable[[Call, Owed | None, Any], str]] = {
            TRADE_CLEANUP: self._clean_up,
            TRADE_ORDER: self._order,
            TRADE_RESULT: self._complete,
            MARKET_FEED: self._submit,
        }

    def _transaction(self) -> Script:
        call, owed = self._next()
        self._was_the_markets = owed is not None
        result, error, seconds = yield call
        kind = call.name
        self._since_due += seconds
        if error is not None:
            try:
                result, seconds = yield from self._retry(call, error, seconds)
            except TargetError as failure:
                self._give_up(call, owed, failure)
                raise
        follow = self._follow_ups.get(kind)
        counted = kind if follow is None else follow(call, owed, result)
        if counted:
            self._tally.transaction(counted, seconds + self._late, rolled_back=counted == ROLLED_BACK)
            self._report_delay(seconds)

    def _pause_seconds(self) -> float:
        """Nobody thinks after what the market sent."""
        return 0.0 if self._was_the_markets or self._never_thinks else super()._pause_seconds()

    def _next(self) -> _Next:
        """What the first user of a store has to do, else what the market owes, else a transaction of the user's own.

        Of the last a failed one is followed by another of the same type.
        """
        now = self._now()
        if self._is_first:
            if not self._has_cleaned_up:
                return Call(TRADE_CLEANUP, ()), _NOBODYS
            if now >= self._maintains_at:
                self._maintains_at = now + _MAINTENANCE_SECONDS
                table, self._maintained = self._maintained % _MAINTAINED_TABLES, self._maintained + 1
                return self._picks.maintenance(table), _NOBODYS
        owed = self._market.next_due(now)
        if owed is None:
            if self._failed:
                call, self._failed = self._picks.calls[self._failed](), ""
                self._traded = self._picks.traded
            else:
                call, self._traded = self._deck.draw_call(self._picks, self._random)
            return call, None
        if isinstance(owed, Order):
            return Call(TRADE_RESULT, (owed.trade, price_cents(owed.security, now))), owed
        arguments = (
            ",".join(each.symbol for each in owed),
            [each.price_cents for each in owed],
            [each.quantity for each in owed],
        )
        return Call(MARKET_FEED, arguments), owed

    def _give_up(self, call: Call, owed: Owed | None, failure: TargetError) -> None:
        """Note what may have been committed all the same; what the market owed is sent again."""
        is_in_doubt = not (failure.usable or failure.undone)
        if call.name == TRADE_ORDER and is_in_doubt:
            self._tally.in_doubt(ORDER_KEY, call.arguments[0])
        if isinstance(owed, Order) and is_in_doubt:
            self._tally.in_doubt(RESULT_KEY, owed.account)
        if owed is None:
            self._failed = call.name
        elif owed:
            self._market.again(owed, self._now(), is_in_doubt=is_in_doubt)

    def _clean_up(self, _call: Call, _owed: Owed | None, _result: Any) -> str:
        self._has_cleaned_up = True
        return TRADE_CLEANUP

    def _order(self, call: Call, _owed: Owed | None, result: Any) -> str:
        """The market gets the order, which it is to execute or whose price it is to reach."""
        trade, asked_cents = result.decoded()[0]
        if trade is None:
            return ROLLED_BACK
        account, kind, quantity = call.arguments[0], call.arguments[5], call.arguments[6]
        self._tally.acknowledged(trade, ORDER_KEY, account)
        security = self._traded
        order = Order(trade, account, security, names.symbol(security), quantity, asked_cents)
        accept = self._market.submitted if kind in MARKET_KINDS else self._market.limited
        accept(order, self._now(), self._random)
        return TRADE_ORDER

    def _complete(self, call: Call, owed: Owed | None, account: Any) -> str:
        """The price is fed back; a trade that an attempt in doubt had completed before is not counted again."""
        assert isinstance(owed, Order), "a Trade-Result is owed for an order"
        self._market.completed(owed, call.arguments[1])
        if account is None:
            return ""
        self._tally.acknowledged(owed.trade, RESULT_KEY, account)
        return TRADE_RESULT

    def _submit(self, _call: Call, owed: Owed | None, result: Any) -> str:
        """The market gets the limit orders that its prices have submitted."""
        assert isinstance(owed, list), "a Market-Feed is owed for quotes"
        now = self._now()
        for trade, account, symbol, quantity, asked_cents in result.decoded():
            order = Order(trade, account, names.security_of(symbol), symbol, quantity, asked_cents)
            self._market.submitted(order, now, self._random)
        self._market.fed(owed, now, self._random)
        return MARKET_FEED
