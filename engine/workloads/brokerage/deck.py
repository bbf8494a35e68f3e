"""Draws the types of the transactions that the users of a client begin by themselves from one shuffled deck."""

import itertools
import threading
from random import Random

from engine.workload.actions import Call
from engine.workloads.brokerage.picks import Picks
from engine.workloads.brokerage.transactions import MARKET_FEED, TRADE_RESULT, TRANSACTIONS

DECK = {
    each.id: round(10 * each.mix_pct)
    for each in TRANSACTIONS
    if each.mix_pct is not None and each.id not in (TRADE_RESULT, MARKET_FEED)
}
"""The number of cards of each type: those of 1,000 transactions without the 100 Trade-Results and the 10 Market-Feeds,
which the market makes due."""

_TYPES = tuple(DECK)
_PARTS = 10


def _part(number: int) -> bytes:
    """The cards of one part of the deck: a tenth of each type, rounded up or down so that all parts together are
    exact."""
    counts = [count * (number + 1) // _PARTS - count * number // _PARTS for count in DECK.values()]
    return bytes(card for card, count in enumerate(counts) for _ in range(count))


_DECK_PARTS = [_part(number) for number in range(_PARTS)]
# Calls are drawn this many at a time: between two answers, a server on the same machine displaces the client from the
# processor's caches, and a single draw then takes several times as long as one of many.
_AHEAD = 64

Drawn = tuple[Call, int]
"""A call, and the security that it trades if it is a Trade-Order."""


class Deck:
    """The types of the users' own transactions in random order: draws all cards of ``DECK``, then begins again.

    All users of a client draw from the same deck, one tenth of it after another, so that the shares of types are exact
    even in a run of minutes: with a deck for each user, or with large ones, too many cards would be undrawn at its end.
    Cards are bytes, which Python's garbage collector does not traverse. Called from any thread.
    """

    def __init__(self) -> None:
        self._cards = bytearray()
        self._parts = itertools.cycle(_DECK_PARTS)
        self._lock = threading.Lock()
        self.ahead: list[Drawn] = []
        """The calls that were drawn ahead; the last one is the next to be used."""

    def draw(self, random: Random) -> str:
        """The type of the next transaction."""
        with self._lock:
            cards = self._cards
            if not cards:
                cards += next(self._parts)
            place = int(random.random() * len(cards))
            card = cards[place]
            cards[place] = cards[-1]
            cards.pop()
            return _TYPES[card]

    def draw_call(self, picks: Picks, random: Random) -> Drawn:
        """The call of the next transaction. Several are drawn at a time, for all users of the client."""
        while True:
            try:
                return self.ahead.pop()
            except IndexError:  # another thread may have taken the last one
                self.draw_ahead(picks, random)

    def draw_ahead(self, picks: Picks, random: Random) -> None:
        """Draw the calls of several transactions ahead."""
        self.ahead += [(picks.calls[self.draw(random)](), picks.traded) for _ in range(_AHEAD)]
