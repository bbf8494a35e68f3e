"""The toy's emulated user: it pays for one visit after the other, each a single call."""

from random import Random

from engine.errors import TargetError
from engine.workload.actions import Call, Script
from engine.workload.tally import Tally
from engine.workload.user import EmulatedUser

VISIT = "visit"
_MOST_CENTS = 500


class Visitor(EmulatedUser):
    """Visits any of so many shops."""

    def __init__(self, shops: int, think_time_ms: float, random: Random, tally: Tally) -> None:
        super().__init__(random, tally, think_time_ms / 1000)
        self._shops = shops

    def _transaction(self) -> Script:
        shop, cents = 1 + int(self._random.random() * self._shops), 1 + int(self._random.random() * _MOST_CENTS)
        call = Call("pay", (shop, cents))
        visit, error, seconds = yield call
        self._since_due += seconds
        if error is not None:
            try:
                visit, seconds = yield from self._retry(call, error, seconds)
            except TargetError as failure:
                if not (failure.usable or failure.undone):
                    self._tally.in_doubt(shop, cents)
                raise
        self._tally.acknowledged(visit, shop, cents)
        self._tally.transaction(VISIT, seconds + self._late, rolled_back=False)
        self._report_delay(seconds)
