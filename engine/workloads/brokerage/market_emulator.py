"""The market of one client: it executes the orders of the client's users, and feeds its prices back.

Orders that were submitted come back as Trade-Results, after a delay; limit orders get their price after a while. With
every ten results, a Market-Feed is due that has their prices and those of the limit orders. The users send both, before
they begin a transaction of their own, so that the market has no connections beside theirs. Source: TPC-E specification,
clauses 6.2.3 and 6.5.
"""

import heapq
import itertools
import math
import threading
from dataclasses import dataclass
from operator import attrgetter
from random import Random

from engine.workloads.brokerage.names import base_price_cents

RESULTS_OF_FEED = 10
MOST_QUOTES = 160
"""What one Market-Feed may hold: after an outage many quotes wait, and a transaction of all of them would lock as many
securities."""
_MEAN_DELAY_SECONDS, _LONGEST_DELAY_SECONDS = 1.0, 5.0
_MEAN_LIMIT_SECONDS, _LONGEST_LIMIT_SECONDS = 5.0, 30.0
_SWING, _SWING_SECONDS = 0.02, 60.0
_symbol = attrgetter("symbol")


@dataclass(frozen=True, slots=True)
class Order:
    """A trade that the market has to execute; ``price_cents`` is what was asked for."""

    trade: int
    account: int
    security: int
    symbol: str
    quantity: int
    price_cents: int


@dataclass(frozen=True, slots=True)
class Quote:
    """A price that a security was traded at; the quantity is 0 for one that only lets a limit order be submitted, whose
    ``trade`` it has."""

    symbol: str
    price_cents: int
    quantity: int
    trade: int | None = None


Owed = Order | list[Quote]
"""What the market has due: an order is to be completed, or the quotes of a Market-Feed are to be sent."""


class Market:
    """The orders of a client that are not completed yet. Its methods may be called from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._due: list[tuple[float, int, Order | Quote]] = []
        self._next_at = math.inf  # the moment of the first of them
        self._numbers = itertools.count()
        self._quotes: list[Quote] = []
        self._results = 0
        self._limited: dict[int, Order] = {}  # by trade, until they are submitted or their price has been sent
        self._had_feed_in_doubt = False

    def submitted(self, order: Order, now: float, random: Random) -> None:
        """The market has an order that it is to execute."""
        self._limited.pop(order.trade, None)
        self._add(now + _delay(random, _MEAN_DELAY_SECONDS, _LONGEST_DELAY_SECONDS), order)

    def limited(self, order: Order, now: float, random: Random) -> None:
        """A limit order waits for the price of its security."""
        self._limited[order.trade] = order
        quote = Quote(order.symbol, order.price_cents, 0, order.trade)
        self._add(now + _delay(random, _MEAN_LIMIT_SECONDS, _LONGEST_LIMIT_SECONDS), quote)

    def again(self, owed: Owed, now: float, *, is_in_doubt: bool) -> None:
        """A Trade-Result or a Market-Feed failed, or what became of it is unknown: it is sent again."""
        if isinstance(owed, Order):
            self._add(now, owed)
        else:
            with self._lock:
                self._had_feed_in_doubt |= is_in_doubt
                self._results += RESULTS_OF_FEED
                self._quotes = [*owed, *self._quotes]

    def fed(self, quotes: list[Quote], now: float, random: Random) -> None:
        """A Market-Feed was sent, and the orders that it answered with are ``submitted``.

        A limit order whose price it had and that was not among them was submitted before: by another client's feed,
        which executes it, or by one of this client whose answer never came. Once there was such a feed they are
        executed here, since a Trade-Result of a trade that is completed does nothing.
        """
        for quote in quotes:
            order = None if quote.trade is None else self._limited.pop(quote.trade, None)
            if order is not None and self._had_feed_in_doubt:
                self.submitted(order, now, random)

    def completed(self, order: Order, price_cents: int) -> None:
        """The result of an order was sent: its price is fed back."""
        with self._lock:
            self._results += 1
            self._quotes.append(Quote(order.symbol, price_cents, order.quantity))

    def next_due(self, now: float) -> Owed | None:
        """A Market-Feed that is due, with its quotes by symbols, those of one security in the order in which they came;
        else an order whose execution is due. Quotes that are too many for one wait for the next."""
        if now < self._next_at and self._results < RESULTS_OF_FEED:
            return None  # as nearly always, and then without waiting for another thread
        with self._lock:
            if self._results >= RESULTS_OF_FEED and self._quotes:
                self._results -= RESULTS_OF_FEED
                quotes = sorted(self._quotes[:MOST_QUOTES], key=_symbol)
                self._quotes = self._quotes[MOST_QUOTES:]
                return quotes
            return self._next_order(now)

    def _next_order(self, now: float) -> Order | None:
        order = None
        while order is None and self._due and self._due[0][0] <= now:
            _, _, each = heapq.heappop(self._due)
            if isinstance(each, Order):
                order = each
            else:
                self._quotes.append(each)
        self._next_at = self._due[0][0] if self._due else math.inf
        return order

    def due(self, now: float) -> int:
        """How many orders have been executed, and wait for a user to send their result."""
        with self._lock:
            return sum(at <= now and isinstance(each, Order) for at, _, each in self._due)

    def _add(self, at: float, each: Order | Quote) -> None:
        with self._lock:
            heapq.heappush(self._due, (at, next(self._numbers), each))
            self._next_at = self._due[0][0]


def price_cents(security: int, now: float) -> int:
    """The market's price of a security at a moment: it swings around the price that the store was built with."""
    phase = now / _SWING_SECONDS + security % 97 / 97
    return round(base_price_cents(security) * (1 + _SWING * math.sin(2 * math.pi * phase)))


def _delay(random: Random, mean_seconds: float, longest_seconds: float) -> float:
    return min(longest_seconds, random.expovariate(1 / mean_seconds))
