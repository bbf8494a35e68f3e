"""The emulated user of Brokerage: a customer's transactions, and those that the market owes its client."""

import time
from collections.abc import Callable, Generator
from random import Random
from typing import Any

from engine.errors import TargetError
from engine.workload.actions import Action, Call, Outcome, Script
from engine.workload.tally import Tally
from engine.workload.user import EmulatedUser
from engine.workloads.brokerage import names
from engine.workloads.brokerage.market_emulator import Market, Order, Quote, market_of, price_cents
from engine.workloads.brokerage.picks import MARKET_KINDS, Picks, shuffled_deck
from engine.workloads.brokerage.sizing import Size
from engine.workloads.brokerage.transactions import (
    DATA_MAINTENANCE,
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
        self._market: Market = market_of(tally)
        self._now = clock
        self._deck: list[str] = []
        self._is_first = number == 0
        self._has_cleaned_up = False
        self._maintained = 0
        self._maintains_at = clock() + _MAINTENANCE_SECONDS
        self._was_the_markets = False

    def _transaction(self) -> Script:
        self._was_the_markets = True
        if self._is_first and not self._has_cleaned_up:
            yield from self._counted(TRADE_CLEANUP, Call(TRADE_CLEANUP, ()))
            self._has_cleaned_up = True
        elif self._is_first and self._now() >= self._maintains_at:
            self._maintains_at = self._now() + _MAINTENANCE_SECONDS
            table, self._maintained = self._maintained % _MAINTAINED_TABLES, self._maintained + 1
            yield from self._counted(DATA_MAINTENANCE, self._picks.maintenance(table))
        elif (quotes := self._market.next_feed()) is not None:
            yield from self._market_feed(quotes)
        elif (order := self._market.next_order(self._now())) is not None:
            yield from self._trade_result(order)
        else:
            self._was_the_markets = False
            yield from self._own_transaction()

    def _pause_seconds(self) -> float:
        """Nobody thinks after what the market sent."""
        return 0.0 if self._was_the_markets or not self._think_seconds else super()._pause_seconds()

    def _own_transaction(self) -> Script:
        if not self._deck:
            self._deck = shuffled_deck(self._random)
        kind = self._deck[-1]
        if kind == TRADE_ORDER:
            yield from self._trade_order()
        else:
            yield from self._counted(kind, self._picks.calls[kind]())
        self._deck.pop()

    def _counted(self, kind: str, call: Call) -> Generator[Action, Outcome, Any]:
        """Make a call, count it, and return its result."""
        result, seconds = yield from self._called(call)
        self._tally.transaction(kind, seconds + self._late, rolled_back=False)
        self._report_delay(seconds)
        return result

    def _called(self, call: Call) -> Generator[Action, Outcome, tuple[Any, float]]:
        result, error, seconds = yield call
        self._since_due += seconds
        if error is not None:
            return (yield from self._retry(call, error, seconds))
        return result, seconds

    def _trade_order(self) -> Script:
        call, security = self._picks.trade_order()
        account, quantity, kind = call.arguments[0], call.arguments[6], call.arguments[5]
        try:
            rows, seconds = yield from self._called(call)
        except TargetError as failure:
            if not (failure.usable or failure.undone):
                self._tally.in_doubt(ORDER_KEY, account)
            raise
        trade, asked_cents = rows.decoded()[0]
        is_rolled_back = trade is None
        if not is_rolled_back:
            self._tally.acknowledged(trade, ORDER_KEY, account)
            self._market_gets(trade, account, security, quantity, asked_cents, is_limit=kind not in MARKET_KINDS)
        counted = ROLLED_BACK if is_rolled_back else TRADE_ORDER
        self._tally.transaction(counted, seconds + self._late, rolled_back=is_rolled_back)
        self._report_delay(seconds)

    def _market_gets(
        self, trade: int, account: int, security: int, quantity: int, asked_cents: int, *, is_limit: bool
    ) -> None:
        symbol = names.symbol(security)
        if is_limit:
            self._market.limited(symbol, asked_cents, self._now(), self._random)
        else:
            order = Order(trade, account, security, symbol, quantity, asked_cents)
            self._market.submitted(order, self._now(), self._random)

    def _trade_result(self, order: Order) -> Script:
        price = price_cents(order.security, self._now())
        call = Call(TRADE_RESULT, (order.trade, price))
        try:
            account, seconds = yield from self._called(call)
        except TargetError as failure:
            if not (failure.usable or failure.undone):
                self._tally.in_doubt(RESULT_KEY, order.account)
            self._market.again(order, self._now())
            raise
        self._market.completed(order, price)
        if account is not None:  # else it was completed by an attempt whose outcome was in doubt
            self._tally.acknowledged(order.trade, RESULT_KEY, account)
            self._tally.transaction(TRADE_RESULT, seconds + self._late, rolled_back=False)
            self._report_delay(seconds)

    def _market_feed(self, quotes: list[Quote]) -> Script:
        arguments = (
            ",".join(each.symbol for each in quotes),
            [each.price_cents for each in quotes],
            [each.quantity for each in quotes],
        )
        rows = yield from self._counted(MARKET_FEED, Call(MARKET_FEED, arguments))
        for trade, account, symbol, quantity, asked_cents in rows.decoded():
            order = Order(trade, account, names.security_of(symbol), symbol, quantity, asked_cents)
            self._market.submitted(order, self._now(), self._random)
