"""The transactions that the users of a client begin by themselves: their types come from one deck, drawn ahead."""

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
"""How many of the 890 cards of a deck are of each type: of a thousand transactions all but the 100 Trade-Results and
the ten Market-Feeds, which the market has due."""

_TYPES = tuple(DECK)
_PARTS = 10


def _part(number: int) -> bytes:
    """The cards of a part of the deck: of each type a tenth, or the whole numbers next to that."""
    counts = [count * (number + 1) // _PARTS - count * number // _PARTS for count in DECK.values()]
    return bytes(card for card, count in enumerate(counts) for _ in range(count))


_DECK_PARTS = [_part(number) for number in range(_PARTS)]
# Between two answers a server on the same machine has the processor, and its caches. A draw then takes several times
# as long as one that follows other draws.
_AHEAD = 64

Drawn = tuple[Call, int]
"""A call; and if it is a Trade-Order, the security that it trades."""


class Deck:
    """The types of the users' own transactions in random order: the cards of ``DECK``, and when all are drawn, again.

    The users of a client draw from one deck, a tenth of it after the other, so that also the shares of a run of minutes
    are exact: of many decks, or large ones, much would be left over at its beginning and end. A card is drawn from
    anywhere among those that are left, and cards are bytes, which Python's collector of garbage does not look at.
    Called from any thread.
    """

    def __init__(self) -> None:
        self._cards = bytearray()
        self._parts = itertools.cycle(_DECK_PARTS)
        self._lock = threading.Lock()
        self._ahead: list[Drawn] = []

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
        """The call of the next transaction. Some are drawn ahead at a time, for all users of the client."""
        ahead = self._ahead
        while True:
            try:
                return ahead.pop()
            except IndexError:  # another thread may have taken the last one
                ahead += [(picks.calls[self.draw(random)](), picks.traded) for _ in range(_AHEAD)]
