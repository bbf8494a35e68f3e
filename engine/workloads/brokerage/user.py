"""The emulated user of Brokerage: a customer's transactions, and those that the market emulator of its client has
due."""

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
from engine.workloads.brokerage.market_emulator import DueWork, Order, Quote, price_cents
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
"""The keys of the ledger's records of a trade: that it was ordered, and that it was completed."""
_MAINTENANCE_SECONDS = 60.0
_MAINTAINED_TABLES = 12
_MAINTENANCE: list[Quote] = []
"""Marks the first user's maintenance transactions, which are neither a customer's nor the market's."""
_Next = tuple[Call, DueWork | None]
"""A transaction's call, and the market's due work that it does; ``None`` for a transaction of the user's own."""


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
        self._failed = ""  # the type of the user's own transaction that failed and has to be repeated
        self._traded = 0  # the security of its Trade-Order
        self._is_first = number == 0
        self._has_cleaned_up = False
        self._maintained = 0
        self._maintains_at = clock() + _MAINTENANCE_SECONDS
        self._skips_thinking = False
        self._follow_ups: dict[str, Callable[[Call, DueWork | None, Any], str]] = {
            TRADE_CLEANUP: self._clean_up,
            TRADE_ORDER: self._order,
            TRADE_RESULT: self._complete,
            MARKET_FEED: self._submit,
        }

    def _transaction(self) -> Script:
        call, due_work = self._next()
        self._skips_thinking = due_work is not None
        result, error, seconds = yield call
        kind = call.name
        self._since_due += seconds
        if error is not None:
            try:
                result, seconds = yield from self._retry(call, error, seconds)
            except TargetError as failure:
                self._give_up(call, due_work, failure)
                raise
        follow = self._follow_ups.get(kind)
        counted = kind if follow is None else follow(call, due_work, result)
        if counted:
            self._tally.transaction(counted, seconds + self._late, rolled_back=counted == ROLLED_BACK)
            self._report_delay(seconds)

    def _pause_seconds(self) -> float:
        """There is no think time after the market's and the maintenance transactions."""
        return 0.0 if self._skips_thinking or self._never_thinks else super()._pause_seconds()

    def _next(self) -> _Next:
        """The next transaction: maintenance (first user of a store only), else the market's due work, else one of the
        user's own. After a failed one of its own, the user makes another of the same type.
        """
        now = self._now()
        if self._is_first:
            if not self._has_cleaned_up:
                return Call(TRADE_CLEANUP, ()), _MAINTENANCE
            if now >= self._maintains_at:
                self._maintains_at = now + _MAINTENANCE_SECONDS
                table, self._maintained = self._maintained % _MAINTAINED_TABLES, self._maintained + 1
                return self._picks.maintenance(table), _MAINTENANCE
        due_work = self._market.next_due(now)
        if due_work is None:
            if self._failed:
                call, self._failed = self._picks.calls[self._failed](), ""
                self._traded = self._picks.traded
            else:
                call, self._traded = self._deck.draw_call(self._picks, self._random)
            return call, None
        if isinstance(due_work, Order):
            return Call(TRADE_RESULT, (due_work.trade, price_cents(due_work.security, now))), due_work
        arguments = (
            ",".join(each.symbol for each in due_work),
            [each.price_cents for each in due_work],
            [each.quantity for each in due_work],
        )
        return Call(MARKET_FEED, arguments), due_work

    def _give_up(self, call: Call, due_work: DueWork | None, failure: TargetError) -> None:
        """Record in the ledger what may have been committed nevertheless, and have the market's work sent again."""
        is_in_doubt = not (failure.usable or failure.undone)
        if call.name == TRADE_ORDER and is_in_doubt:
            self._tally.in_doubt(ORDER_KEY, call.arguments[0])
        if isinstance(due_work, Order) and is_in_doubt:
            self._tally.in_doubt(RESULT_KEY, due_work.account)
        if due_work is None:
            self._failed = call.name
        elif due_work:
            self._market.resend(due_work, self._now(), is_in_doubt=is_in_doubt)

    def _clean_up(self, _call: Call, _due_work: DueWork | None, _result: Any) -> str:
        self._has_cleaned_up = True
        return TRADE_CLEANUP

    def _order(self, call: Call, _due_work: DueWork | None, result: Any) -> str:
        """Pass the order to the market, which executes it at once or when its price is reached."""
        trade, asked_cents = result.decoded()[0]
        if trade is None:
            return ROLLED_BACK
        account, kind, quantity = call.arguments[0], call.arguments[5], call.arguments[6]
        self._tally.acknowledged(trade, ORDER_KEY, account)
        security = self._traded
        order = Order(trade, account, security, names.symbol(security), quantity, asked_cents)
        accept = self._market.add_submitted if kind in MARKET_KINDS else self._market.add_limit_order
        accept(order, self._now(), self._random)
        return TRADE_ORDER

    def _complete(self, call: Call, due_work: DueWork | None, account: Any) -> str:
        """Pass the price to the market; a trade that an earlier attempt in doubt had completed is not counted again."""
        assert isinstance(due_work, Order), "a Trade-Result is due for an order"
        self._market.result_sent(due_work, call.arguments[1])
        if account is None:
            return ""
        self._tally.acknowledged(due_work.trade, RESULT_KEY, account)
        return TRADE_RESULT

    def _submit(self, _call: Call, due_work: DueWork | None, result: Any) -> str:
        """Pass the limit orders to the market that its prices have submitted."""
        assert isinstance(due_work, list), "a Market-Feed is due for quotes"
        now = self._now()
        for trade, account, symbol, quantity, asked_cents in result.decoded():
            order = Order(trade, account, names.security_of(symbol), symbol, quantity, asked_cents)
            self._market.add_submitted(order, now, self._random)
        self._market.feed_sent(due_work, now, self._random)
        return MARKET_FEED
