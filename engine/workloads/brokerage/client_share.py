"""The state that all users of a client share: its market, and the deck from which they draw their transactions."""

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
    """The state of the client whose users count with this tally."""
    with _lock:
        return _shares.setdefault(tally, ClientShare())
