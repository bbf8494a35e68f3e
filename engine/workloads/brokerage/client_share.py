"""What all users of a client have in common: its market, and the deck that they draw their transactions from."""

import threading
from weakref import WeakKeyDictionary

from engine.workload.tally import Tally
from engine.workloads.brokerage.deck import Deck
from engine.workloads.brokerage.market_emulator import Market


class ClientShare:
    def __init__(self) -> None:
        self.market = Market()
        self.deck = Deck()


_shares: "WeakKeyDictionary[Tally, ClientShare]" = WeakKeyDictionary()
_lock = threading.Lock()


def share_of(tally: Tally) -> ClientShare:
    """That of the client whose users count with this tally."""
    with _lock:
        return _shares.setdefault(tally, ClientShare())
