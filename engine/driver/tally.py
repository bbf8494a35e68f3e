"""Counting by second: what a client's users tell, added up under one lock, and handed over as samples.

An order belongs to the second in which it ended, by the client's clock at that moment: whoever first counts
something in a new second closes the one before, so a late tick moves no order.
"""

import threading
import time
from collections import deque
from collections.abc import Callable

from engine.audit.ledger import Ledger
from engine.driver.timebase import Timebase
from engine.dvdstore.schedule import Delay, IntendedSchedule
from engine.dvdstore.user import Step
from engine.errors import ErrorClass, TargetError
from engine.histogram import bucket_of, pack
from engine.sample import Sample, StepTimes

_MICRO = 1_000_000
_MOST_REMARKS = 20


# In the order of _Second's lists; the names are those of Sample.
_STEPS = {Step.LOGIN: 0, Step.NEW_CUSTOMER: 1, Step.BROWSE: 2, Step.PURCHASE: 3}
_STEP_COUNTS = ("logins", "new_customers", "browses", "purchases")
_STEP_TIMES = ("login_us", "new_customer_us", "browse_us", "purchase_us")


class _Second:
    """The counts of one second; the names are those of ``Sample``.

    Response times are sorted into their buckets as they come, and not when the second is over: what there is to do then
    is to be little, since the sample is due.
    """

    __slots__ = (
        "counts",
        "delays",
        "errors",
        "histogram",
        "order_us_max",
        "step_counts",
        "step_histograms",
        "steps_us",
    )

    def __init__(self) -> None:
        self.step_histograms: tuple[dict[int, int], ...] = tuple({} for _ in _STEPS)
        self.step_counts = [0] * len(_STEPS)
        self.steps_us = [0] * len(_STEPS)
        self.counts = {"orders": 0, "order_us": 0, "rollbacks": 0}
        self.errors: dict[str, int] = {}
        self.histogram: dict[int, int] = {}
        self.order_us_max = 0
        self.delays: list[Delay] = []

    def add(self, name: str) -> None:
        self.counts[name] = self.counts.get(name, 0) + 1

    def by_name(self) -> dict[str, int]:
        return {
            **self.counts,
            **dict(zip(_STEP_COUNTS, self.step_counts, strict=True)),
            **dict(zip(_STEP_TIMES, self.steps_us, strict=True)),
        }


class SecondTally:
    """Fulfils ``engine.dvdstore.user.Tally`` for all users of a client; safe from any thread.

    ``timebase`` is the run's, on the monotonic clock that ``clock`` reads. What becomes of each purchase also goes into
    the ``ledger``, if there is one. ``think_seconds`` is the users' mean think time.
    """

    def __init__(
        self,
        client: int,
        timebase: Timebase,
        clock: Callable[[], float] = time.monotonic,
        *,
        ledger: Ledger | None = None,
        think_seconds: float = 0.0,
    ) -> None:
        self._client = client
        self._schedule = IntendedSchedule(think_seconds)
        self._step_times: deque[tuple[int, _Second]] = deque()
        self._ledger = ledger
        self._timebase = timebase
        self._clock = clock
        self._lock = threading.Lock()
        self._number = 0
        self._ends = timebase.moment(1)
        self._current = _Second()
        self._closed: deque[tuple[int, _Second]] = deque()
        self._remarks: dict[str, str] = {}
        self._told: set[str] = set()

    def step(self, step: Step, seconds: float) -> None:
        number, microseconds = _STEPS[step], round(seconds * _MICRO)
        bucket = bucket_of(microseconds)
        with self._lock:
            second = self._current if self._clock() < self._ends else self._second()
            histogram = second.step_histograms[number]
            histogram[bucket] = histogram.get(bucket, 0) + 1
            second.step_counts[number] += 1
            second.steps_us[number] += microseconds

    def order(self, seconds: float, *, rolled_back: bool) -> None:
        microseconds = round(seconds * _MICRO)
        bucket = bucket_of(microseconds)
        with self._lock:
            now = self._second()
            counts, histogram = now.counts, now.histogram
            counts["orders"] += 1
            counts["order_us"] += microseconds
            counts["rollbacks"] += rolled_back
            histogram[bucket] = histogram.get(bucket, 0) + 1
            if microseconds > now.order_us_max:
                now.order_us_max = microseconds

    def delayed(self, delay: Delay) -> None:
        with self._lock:
            self._second().delays.append(delay)

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

    def take_step_times(self) -> list[StepTimes]:
        """Those of the seconds whose samples were taken since the last call; by one thread at a time.

        To pack them is the larger part of all that is to be done about a second: samples don't wait for it.
        """
        taken = [self._step_times.popleft() for _ in range(len(self._step_times))]
        return [self._packed_steps(number, second) for number, second in taken]

    def take_remarks(self) -> list[tuple[str, str]]:
        """What the database said that was not heard before: pairs of error class and message."""
        with self._lock:
            remarks = [(error_class, text) for text, error_class in self._remarks.items()]
            self._remarks.clear()
        return remarks

    def _moment_ms(self) -> int:
        return max(0, int(self._timebase.at(self._clock()) * 1000))

    def _add(self, name: str) -> None:
        with self._lock:
            self._second().add(name)

    def _second(self) -> _Second:
        """The counts of the present second; closes those that are over. Needs the lock."""
        while self._clock() >= self._ends:
            self._close()
        return self._current

    def _close(self) -> None:
        self._closed.append((self._number, self._current))
        self._current = _Second()
        self._number += 1
        self._ends = self._timebase.moment(self._number + 1)

    def _remark(self, error: TargetError) -> None:
        """Keep each new message once; a server that says something else each time is cut short."""
        text = str(error)
        if error.error_class is ErrorClass.DEADLOCK or text in self._told or len(self._told) >= _MOST_REMARKS:
            return
        self._told.add(text)
        self._remarks[text] = error.error_class

    def _sample(self, number: int, second: _Second, users: dict[str, int]) -> Sample:
        """What a second becomes."""
        if any(second.step_counts):
            self._step_times.append((number, second))
        return Sample(
            client=self._client,
            second=number,
            errors=second.errors,
            histogram=pack(second.histogram),
            overdue=self._schedule.overdue(
                second.delays, orders=second.counts["orders"], order_us=second.counts["order_us"]
            ),
            order_us_max=second.order_us_max,
            **second.by_name(),
            **users,
        )

    def _packed_steps(self, number: int, second: _Second) -> StepTimes:
        by_step = zip(_STEPS, second.step_histograms, strict=True)
        occurred = {step.value: pack(histogram) for step, histogram in by_step if histogram}
        return StepTimes(client=self._client, second=number, histograms=occurred)
