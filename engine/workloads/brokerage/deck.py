"""The transactions that the users of a client begin by themselves: their types come from one deck, drawn ahead."""

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
_CARDS = bytes(card for card, count in enumerate(DECK.values()) for _ in range(count))
# Between two answers a server on the same machine has the processor, and its caches. A draw then takes several times
# as long as one that follows other draws.
_AHEAD = 64

Drawn = tuple[Call, int]
"""A call; and if it is a Trade-Order, the security that it trades."""


class Deck:
    """The types of the users' own transactions in random order: the cards of ``DECK``, and when all are drawn, again.

    The users of a client draw from one deck, which has no more cards than its shares ask for, so that also the shares
    of a run of minutes are exact: many decks, or large ones, would be left unfinished. A card is drawn from anywhere
    among those that are left, and cards are bytes, which Python's collector of garbage does not look at. Called from
    any thread.
    """

    def __init__(self) -> None:
        self._cards = bytearray()
        self._lock = threading.Lock()
        self._ahead: list[Drawn] = []

    def draw(self, random: Random) -> str:
        """The type of the next transaction; after the last card a new deck begins."""
        with self._lock:
            cards = self._cards
            if not cards:
                cards += _CARDS
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
