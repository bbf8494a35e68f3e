"""The emulated user of Wholesale: a terminal that enters one transaction after the other, each a single call."""

from bisect import bisect
from collections.abc import Callable
from dataclasses import dataclass
from itertools import accumulate
from random import Random

from engine.errors import TargetError
from engine.workload.actions import Call, Script
from engine.workload.tally import Tally
from engine.workload.user import EmulatedUser
from engine.workloads.wholesale import picks
from engine.workloads.wholesale.transactions import NEW_ORDER, ROLLED_BACK

DISTRICT_KEYS = 100


@dataclass(frozen=True, kw_only=True)
class Terminal:
    """The settings of a user's script.

    ``home`` is the warehouse of all its transactions; ``None`` for a random one each time. With ``as_specified`` it
    waits the specification's keying and think times, otherwise the plan's think time.
    """

    warehouses: int
    mix: str
    think_time_ms: float
    home: int | None = None
    as_specified: bool = False

    @property
    def mean_think_seconds(self) -> float:
        """The mean time between the end of a transaction and the call of the next."""
        if not self.as_specified:
            return self.think_time_ms / 1000
        pacing = [(share, picks.PACING[each]) for each, share in picks.MIXES[self.mix].items()]
        return sum(share * (each.keying_seconds + each.think_seconds) for share, each in pacing) / 100


def district_key(warehouse: int, district: int) -> int:
    """A warehouse and a district as one number, as the ledger records them."""
    return DISTRICT_KEYS * warehouse + district


def district_of(key: int) -> tuple[int, int]:
    """The warehouse and the district of a ``district_key``."""
    return divmod(key, DISTRICT_KEYS)


class WholesaleUser(EmulatedUser):
    """Implements the user of ``engine.workload.workload.Workload``."""

    def __init__(self, terminal: Terminal, random: Random, tally: Tally) -> None:
        super().__init__(random, tally, terminal.mean_think_seconds)
        self._terminal = terminal
        mix = picks.MIXES[terminal.mix]
        self._types = tuple(mix)
        self._limits = list(accumulate(mix.values()))[:-1]
        self._calls: dict[str, Callable[[int], Call]] = {
            NEW_ORDER: self._new_order,
            "payment": self._payment,
            "order_status": self._order_status,
            "delivery": lambda home: Call("delivery", (home, picks.carrier(random))),
            "stock_level": lambda home: Call("stock_level", (home, picks.district(random), picks.threshold(random))),
        }
        self._next = self._draw()

    def _transaction(self) -> Script:
        kind = self._next
        home = self._terminal.home or 1 + int(self._random.random() * self._terminal.warehouses)
        call = self._calls[kind](home)
        result, error, seconds = yield call
        self._since_due += seconds
        if error is not None:
            try:
                result, seconds = yield from self._retry(call, error, seconds)
            except TargetError as failure:
                if kind == NEW_ORDER and not (failure.usable or failure.undone):
                    self._tally.in_doubt(district_key(*call.arguments[:2]), call.arguments[2])
                raise
        if kind == NEW_ORDER and result is not None:
            self._tally.acknowledged(result, district_key(*call.arguments[:2]), call.arguments[2])
        is_rolled_back = kind == NEW_ORDER and result is None
        counted = ROLLED_BACK if is_rolled_back else kind
        self._tally.transaction(counted, seconds + self._late, rolled_back=is_rolled_back)
        self._report_delay(seconds)

    def _draw(self) -> str:
        return self._types[bisect(self._limits, self._random.random() * 100)]

    def _pause_seconds(self) -> float:
        """Think after the transaction that has ended, and key in the next one, which is drawn here."""
        ended, self._next = self._next, self._draw()
        if not self._terminal.as_specified:
            return 0.0 if self._never_thinks else super()._pause_seconds()
        return picks.think_seconds(self._random, ended) + picks.PACING[self._next].keying_seconds

    def _new_order(self, home: int) -> Call:
        random = self._random
        lines = picks.order_lines(random, home, self._terminal.warehouses)
        return Call(NEW_ORDER, (home, picks.district(random), picks.customer(random), lines))

    def _payment(self, home: int) -> Call:
        random = self._random
        district = picks.district(random)
        payer_place = picks.payer_district(random, home, district, self._terminal.warehouses)
        return Call("payment", (home, district, *payer_place, *picks.buyer(random), picks.payment_cents(random)))

    def _order_status(self, home: int) -> Call:
        return Call("order_status", (home, picks.district(self._random), *picks.buyer(self._random)))
