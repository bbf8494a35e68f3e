"""The market emulator of one client: it executes the orders of the client's users, and publishes the prices.

A submitted order makes a Trade-Result due after a delay; a limit order gets its price after some time. After every ten
results, a Market-Feed with their prices and those of the limit orders is due. Users send both before they begin a
transaction of their own, so that the market needs no connections of its own. Source: TPC-E specification, clauses 6.2.3
and 6.5.
"""

import heapq
import itertools
import math
import threading
from array import array
from operator import attrgetter
from random import Random
from typing import NamedTuple

from engine.workloads.brokerage.names import base_price_cents

RESULTS_OF_FEED = 10
MOST_QUOTES = 160
"""The most quotes of a Market-Feed: after an outage many quotes wait, and a single transaction would lock all their
securities."""
_MEAN_DELAY_SECONDS, _LONGEST_DELAY_SECONDS = 1.0, 5.0
_MEAN_LIMIT_SECONDS, _LONGEST_LIMIT_SECONDS = 5.0, 30.0
_SWING, _SWING_SECONDS = 0.02, 60.0
_symbol = attrgetter("symbol")


class Order(NamedTuple):
    """A trade that the market has to execute; ``price_cents`` is the requested price."""

    trade: int
    account: int
    security: int
    symbol: str
    quantity: int
    price_cents: int


class Quote(NamedTuple):
    """A price at which a security was traded. With quantity 0, it is only the price that submits the limit order
    ``trade``."""

    symbol: str
    price_cents: int
    quantity: int
    trade: int | None = None


DueWork = Order | list[Quote]
"""Work that the market has due: an order to be completed by a Trade-Result, or the quotes of a Market-Feed."""


class Market:
    """The orders of a client that are not completed yet. Its methods may be called from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._due: list[tuple[float, int, Order | Quote]] = []
        self._numbers = itertools.count()
        self._quotes: list[Quote] = []
        self._results = 0
        self._limited: dict[int, Order] = {}  # by trade number, until they are submitted or their price has been sent
        self._had_feed_in_doubt = False
        self.due_from = array("d", [math.inf])
        """The moment from which something is due; an array, because compiled code reads it too."""

    def add_submitted(self, order: Order, now: float, random: Random) -> None:
        """Add an order that the market is to execute."""
        self._limited.pop(order.trade, None)
        self._add(now + _delay(random, _MEAN_DELAY_SECONDS, _LONGEST_DELAY_SECONDS), order)

    def add_limit_order(self, order: Order, now: float, random: Random) -> None:
        """Add a limit order, which waits for the price of its security."""
        self._limited[order.trade] = order
        quote = Quote(order.symbol, order.price_cents, 0, order.trade)
        self._add(now + _delay(random, _MEAN_LIMIT_SECONDS, _LONGEST_LIMIT_SECONDS), quote)

    def resend(self, due_work: DueWork, now: float, *, is_in_doubt: bool) -> None:
        """Add work again whose Trade-Result or Market-Feed failed or is in doubt."""
        if isinstance(due_work, Order):
            self._add(now, due_work)
        else:
            with self._lock:
                self._had_feed_in_doubt |= is_in_doubt
                self._results += RESULTS_OF_FEED
                self._quotes = [*due_work, *self._quotes]
                self._note_due()

    def feed_sent(self, quotes: list[Quote], now: float, random: Random) -> None:
        """A Market-Feed was sent; the orders in its result were passed to ``add_submitted``.

        A limit order whose price was in the feed but that is not in the result was submitted earlier: by another
        client's feed (that client executes it), or by a feed of this client that is in doubt. After a feed in doubt,
        such orders are executed here too; a second Trade-Result of the same trade does nothing.
        """
        for quote in quotes:
            order = None if quote.trade is None else self._limited.pop(quote.trade, None)
            if order is not None and self._had_feed_in_doubt:
                self.add_submitted(order, now, random)

    def result_sent(self, order: Order, price_cents: int) -> None:
        """A Trade-Result was sent: its price belongs to the next Market-Feed."""
        with self._lock:
            self._results += 1
            self._quotes.append(Quote(order.symbol, price_cents, order.quantity))
            self._note_due()

    def next_due(self, now: float) -> DueWork | None:
        """The quotes of a due Market-Feed by symbol, those of one security in the order of their arrival; otherwise an
        order whose execution is due. Quotes that are too many for one feed wait for the next."""
        if now < self.due_from[0]:
            return None  # the usual case, decided without the lock
        with self._lock:
            due_work = self._next_feed() or self._next_order(now)
            self._note_due()
            return due_work

    def _next_feed(self) -> list[Quote]:
        if self._results < RESULTS_OF_FEED or not self._quotes:
            return []
        self._results -= RESULTS_OF_FEED
        quotes, self._quotes = self._quotes[:MOST_QUOTES], self._quotes[MOST_QUOTES:]
        return sorted(quotes, key=_symbol)

    def _next_order(self, now: float) -> Order | None:
        order = None
        while order is None and self._due and self._due[0][0] <= now:
            _, _, each = heapq.heappop(self._due)
            if isinstance(each, Order):
                order = each
            else:
                self._quotes.append(each)
        return order

    def _note_due(self) -> None:
        """Update ``due_from``; needs the lock."""
        next_at = self._due[0][0] if self._due else math.inf
        self.due_from[0] = next_at if self._results < RESULTS_OF_FEED else -math.inf

    def due(self, now: float) -> int:
        """How many executed orders wait for a user to send their Trade-Result."""
        with self._lock:
            return sum(at <= now and isinstance(each, Order) for at, _, each in self._due)

    def _add(self, at: float, each: Order | Quote) -> None:
        with self._lock:
            heapq.heappush(self._due, (at, next(self._numbers), each))
            self._note_due()


def price_cents(security: int, now: float) -> int:
    """The market's price of a security at a moment: it swings around the price that the store was built with."""
    phase = now / _SWING_SECONDS + security % 97 / 97
    return round(base_price_cents(security) * (1 + _SWING * math.sin(2 * math.pi * phase)))


def _delay(random: Random, mean_seconds: float, longest_seconds: float) -> float:
    return min(longest_seconds, random.expovariate(1 / mean_seconds))
