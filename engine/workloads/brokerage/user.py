"""The emulated user of Brokerage: a customer's transactions, and those that the market emulator of its client has
due.

The generator is the definition. Where there is a C compiler, ``_course.c`` does those of the user's own transactions
that succeed and need no follow-up, at a fraction of the processor time, unless the user has think time.
"""

import math
import time
from array import array
from collections.abc import Callable
from functools import partial
from random import Random
from typing import Any

from engine.errors import TargetError
from engine.workload.actions import Call, Script
from engine.workload.tally import Tally
from engine.workload.user import NO_PAUSE, EmulatedUser
from engine.workloads.brokerage import names
from engine.workloads.brokerage.client_share import share_of
from engine.workloads.brokerage.market_emulator import DueWork, Order, price_cents
from engine.workloads.brokerage.picks import MARKET_KINDS, Picks
from engine.workloads.brokerage.sizing import Size
from engine.workloads.brokerage.transactions import (
    MARKET_FEED,
    ROLLED_BACK,
    TRADE_CLEANUP,
    TRADE_ORDER,
    TRADE_RESULT,
)

try:
    from engine.workloads.brokerage import _course as compiled
except ImportError:
    compiled = None  # type: ignore[assignment]

ORDER_KEY, RESULT_KEY = 1, 2
"""The keys of the ledger's records of a trade: that it was ordered, and that it was completed."""
_MAINTENANCE_SECONDS = 60.0
_MAINTAINED_TABLES = 12
_Subject = DueWork | int | None
"""What a transaction is about: the market's due work; for a transaction of the user's own the security that it trades,
0 if it trades none; ``None`` for maintenance."""
_Next = tuple[Call, _Subject]


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
        self._must_clean_up = number == 0
        self._maintained = 0
        self._maintains_at = clock() + _MAINTENANCE_SECONDS if number == 0 else math.inf
        self._is_own = True  # whether the present transaction is the user's own
        self._begun: _Next | None = None  # what the compiled course has begun and the generator is to continue
        # From this moment on the generator chooses what comes next; an array, because the compiled course reads it.
        self._due_from = array("d", [-math.inf])
        self._follow_ups: dict[str, Callable[[Call, _Subject, Any], str]] = {
            TRADE_CLEANUP: self._clean_up,
            TRADE_ORDER: self._order,
            TRADE_RESULT: self._complete,
            MARKET_FEED: self._submit,
        }

    def script(self) -> Script:
        if compiled is None or not self._never_thinks:
            return self.interpreted()
        return compiled.Course(
            user=self,
            script=self.interpreted(),
            ahead=self._deck.ahead,
            draw=partial(self._deck.draw_ahead, self._picks, self._random),
            followed=self._follow_ups,
            transaction=self._tally.transaction,
            pause=NO_PAUSE,
            clock=self._now,
            own_due=self._due_from,
            market_due=self._market.due_from,
        )

    def interpreted(self) -> Script:
        """The script as a Python generator, which the compiled course must equal."""
        return super().script()

    def _transaction(self) -> Script:
        call, subject = self._next()
        self._is_own = isinstance(subject, int)
        result, error, seconds = yield call
        kind = call.name
        self._since_due += seconds
        if error is not None:
            try:
                result, seconds = yield from self._retry(call, error, seconds)
            except TargetError as failure:
                self._give_up(call, subject, failure)
                raise
        follow = self._follow_ups.get(kind)
        counted = kind if follow is None else follow(call, subject, result)
        if counted:
            self._tally.transaction(counted, seconds + self._late, rolled_back=counted == ROLLED_BACK)
            self._report_delay(seconds)

    def _pause_seconds(self) -> float:
        """There is no think time after the market's and the maintenance transactions."""
        return 0.0 if self._never_thinks or not self._is_own else super()._pause_seconds()

    def _next(self) -> _Next:
        """The next transaction: maintenance (first user of a store only), else the market's due work, else one of the
        user's own. After a failed one of its own, the user makes another of the same type.
        """
        if self._begun is not None:
            begun, self._begun = self._begun, None
            return begun
        chosen = self._choose(self._now())
        is_behind = self._must_clean_up or bool(self._failed)
        self._due_from[0] = -math.inf if is_behind else self._maintains_at
        return chosen

    def _choose(self, now: float) -> _Next:
        if self._must_clean_up:
            return Call(TRADE_CLEANUP, ()), None
        if now >= self._maintains_at:
            self._maintains_at = now + _MAINTENANCE_SECONDS
            table, self._maintained = self._maintained % _MAINTAINED_TABLES, self._maintained + 1
            return self._picks.maintenance(table), None
        due_work = self._market.next_due(now)
        if due_work is None and self._failed:
            call, self._failed = self._picks.calls[self._failed](), ""
            return call, self._picks.traded
        if due_work is None:
            return self._deck.draw_call(self._picks, self._random)
        if isinstance(due_work, Order):
            return Call(TRADE_RESULT, (due_work.trade, price_cents(due_work.security, now))), due_work
        arguments = (
            ",".join(each.symbol for each in due_work),
            [each.price_cents for each in due_work],
            [each.quantity for each in due_work],
        )
        return Call(MARKET_FEED, arguments), due_work

    def _give_up(self, call: Call, subject: _Subject, failure: TargetError) -> None:
        """Record in the ledger what may have been committed nevertheless, and have the market's work sent again."""
        self._due_from[0] = -math.inf  # until a transaction succeeds, the time since this one was due goes on
        is_in_doubt = not (failure.usable or failure.undone)
        if call.name == TRADE_ORDER and is_in_doubt:
            self._tally.in_doubt(ORDER_KEY, call.arguments[0])
        if isinstance(subject, Order) and is_in_doubt:
            self._tally.in_doubt(RESULT_KEY, subject.account)
        if isinstance(subject, int):
            self._failed = call.name
        elif subject is not None:
            self._market.resend(subject, self._now(), is_in_doubt=is_in_doubt)

    def _clean_up(self, _call: Call, _subject: _Subject, _result: Any) -> str:
        self._must_clean_up = False
        return TRADE_CLEANUP

    def _order(self, call: Call, security: _Subject, result: Any) -> str:
        """Pass the order to the market, which executes it at once or when its price is reached."""
        assert isinstance(security, int), "a Trade-Order trades a security"
        trade, asked_cents = result.decoded()[0]
        if trade is None:
            return ROLLED_BACK
        account, kind, quantity = call.arguments[0], call.arguments[5], call.arguments[6]
        self._tally.acknowledged(trade, ORDER_KEY, account)
        order = Order(trade, account, security, names.symbol(security), quantity, asked_cents)
        accept = self._market.add_submitted if kind in MARKET_KINDS else self._market.add_limit_order
        accept(order, self._now(), self._random)
        return TRADE_ORDER

    def _complete(self, call: Call, order: _Subject, account: Any) -> str:
        """Pass the price to the market; a trade that an earlier attempt in doubt had completed is not counted again."""
        assert isinstance(order, Order), "a Trade-Result is due for an order"
        self._market.result_sent(order, call.arguments[1])
        if account is None:
            return ""
        self._tally.acknowledged(order.trade, RESULT_KEY, account)
        return TRADE_RESULT

    def _submit(self, _call: Call, quotes: _Subject, result: Any) -> str:
        """Pass the limit orders to the market that its prices have submitted."""
        assert isinstance(quotes, list), "a Market-Feed is due for quotes"
        now = self._now()
        for trade, account, symbol, quantity, asked_cents in result.decoded():
            order = Order(trade, account, names.security_of(symbol), symbol, quantity, asked_cents)
            self._market.add_submitted(order, now, self._random)
        self._market.feed_sent(quotes, now, self._random)
        return MARKET_FEED
