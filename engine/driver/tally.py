"""Counting by second: what a client's users tell, added up under one lock, and handed over as samples.

An order belongs to the second in which it ended, by the client's clock at that moment: whoever first counts
something in a new second closes the one before, so a late tick moves no order.
"""

import threading
import time
from collections import deque
from collections.abc import Callable

from engine.audit.ledger import Ledger
from engine.dvdstore.user import Step
from engine.errors import ErrorClass, TargetError
from engine.histogram import bucket_of, pack
from engine.sample import Sample

_MICRO = 1_000_000
_MOST_REMARKS = 20


class _Second:
    """The counts of one second; the names are those of ``Sample``."""

    __slots__ = ("counts", "errors", "histogram", "order_us_max")

    def __init__(self) -> None:
        self.counts: dict[str, int] = {}
        self.errors: dict[str, int] = {}
        self.histogram: dict[int, int] = {}
        self.order_us_max = 0

    def add(self, name: str, value: int = 1) -> None:
        self.counts[name] = self.counts.get(name, 0) + value


_STEP_NAMES = {
    Step.LOGIN: ("logins", "login_us"),
    Step.NEW_CUSTOMER: ("new_customers", "new_customer_us"),
    Step.BROWSE: ("browses", "browse_us"),
    Step.PURCHASE: ("purchases", "purchase_us"),
}


class SecondTally:
    """Fulfils ``engine.dvdstore.user.Tally`` for all users of a client; safe from any thread.

    ``epoch`` is the run's, on the monotonic clock that ``clock`` reads. What becomes of each purchase also goes into
    the ``ledger``, if there is one.
    """

    def __init__(
        self,
        client: int,
        epoch: float,
        clock: Callable[[], float] = time.monotonic,
        *,
        ledger: Ledger | None = None,
    ) -> None:
        self._client = client
        self._ledger = ledger
        self._epoch = epoch
        self._clock = clock
        self._lock = threading.Lock()
        self._number = 0
        self._ends = epoch + 1
        self._current = _Second()
        self._closed: deque[tuple[int, _Second]] = deque()
        self._remarks: dict[str, str] = {}
        self._told: set[str] = set()

    def step(self, step: Step, seconds: float) -> None:
        count, total = _STEP_NAMES[step]
        with self._lock:
            now = self._second()
            now.add(count)
            now.add(total, round(seconds * _MICRO))

    def order(self, seconds: float, *, rolled_back: bool) -> None:
        microseconds = round(seconds * _MICRO)
        bucket = bucket_of(microseconds)
        with self._lock:
            now = self._second()
            now.add("orders")
            now.add("order_us", microseconds)
            if rolled_back:
                now.add("rollbacks")
            now.histogram[bucket] = now.histogram.get(bucket, 0) + 1
            now.order_us_max = max(now.order_us_max, microseconds)

    def retry(self) -> None:
        self._add("retries")

    def reconnected(self) -> None:
        self._add("reconnects")

    def acknowledged(self, order: int, customer: int, net_cents: int) -> None:
        if self._ledger is not None:
            self._ledger.acknowledged(self._moment_ms(), order, customer, net_cents)

    def in_doubt(self, customer: int, net_cents: int) -> None:
        if self._ledger is not None:
            self._ledger.in_doubt(self._moment_ms(), customer, net_cents)
        self._add("in_doubt")

    def error(self, error: TargetError) -> None:
        with self._lock:
            errors = self._second().errors
            errors[error.error_class] = errors.get(error.error_class, 0) + 1
            self._remark(error)

    def take(self, before: int, users: dict[str, int]) -> list[Sample]:
        """The samples of all seconds below ``before`` that were not yet taken, each with the users' states now."""
        with self._lock:
            self._second()
            ready = []
            while self._closed and self._closed[0][0] < before:
                ready.append(self._closed.popleft())
        return [self._sample(number, second, users) for number, second in ready]

    def take_all(self, users: dict[str, int]) -> list[Sample]:
        """Also the second that has only begun: for a client that ends."""
        with self._lock:
            self._second()
            self._close()
            ready = list(self._closed)
            self._closed.clear()
        return [self._sample(number, second, users) for number, second in ready]

    def take_remarks(self) -> list[tuple[str, str]]:
        """What the database said that was not heard before: pairs of error class and message."""
        with self._lock:
            remarks = [(error_class, text) for text, error_class in self._remarks.items()]
            self._remarks.clear()
        return remarks

    def _moment_ms(self) -> int:
        return max(0, int((self._clock() - self._epoch) * 1000))

    def _add(self, name: str) -> None:
        with self._lock:
            self._second().add(name)

    def _second(self) -> _Second:
        """The counts of the present second; closes those that are over. Needs the lock."""
        now = self._clock()
        while now >= self._ends:
            self._close()
        return self._current

    def _close(self) -> None:
        self._closed.append((self._number, self._current))
        self._current = _Second()
        self._number += 1
        self._ends = self._epoch + self._number + 1

    def _remark(self, error: TargetError) -> None:
        """Keep each new message once; a server that says something else each time is cut short."""
        text = str(error)
        if error.error_class is ErrorClass.DEADLOCK or text in self._told or len(self._told) >= _MOST_REMARKS:
            return
        self._told.add(text)
        self._remarks[text] = error.error_class

    def _sample(self, number: int, second: _Second, users: dict[str, int]) -> Sample:
        return Sample(
            client=self._client,
            second=number,
            errors=second.errors,
            histogram=pack(second.histogram),
            order_us_max=second.order_us_max,
            **second.counts,
            **users,
        )
