"""Counting by second: what a client's users report, added up under one lock and taken as samples.

An order belongs to the second in which it ended, by the client's clock at that moment: the first count in a new second
closes the one before, so a late tick moves no order.
"""

import math
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence

from engine.audit.ledger import NO_NUMBER, Ledger
from engine.driver.counting import Counted, CountedType, new_counting
from engine.driver.error_message import ErrorMessage
from engine.driver.timebase import NEVER, Timebase
from engine.errors import ErrorClass, TargetError
from engine.telemetry.sample import Count, Sample
from engine.workload.schedule import Delay, IntendedSchedule, OpenLoopSchedule, Part
from engine.workload.transaction import TransactionType

_MOST_ERROR_MESSAGES = 20


class _Second:
    """The rest of a second: the rare ``counts``, by their names in ``Sample``, errors and delays.

    ``parts`` are parts of delays that the beginning or end of measuring divides. ``counted`` is what is counted with
    every call; it is set when the second is over.
    """

    __slots__ = ("counted", "counts", "delays", "errors", "parts")

    def __init__(self) -> None:
        self.counted: Counted
        self.counts: dict[str, int] = {}
        self.errors: dict[str, int] = {}
        self.delays: list[Delay] = []
        self.parts: list[Part] = []

    def add(self, name: str) -> None:
        self.counts[name] = self.counts.get(name, 0) + 1


def _no_ledger(number: int, key: int, check: int) -> None:
    """Stands for the ledger's method where there is no ledger."""


class SecondTally:
    """Implements ``engine.workload.tally.Tally`` for all users of a client; thread-safe.

    ``types`` are what is counted, first what the headline metric counts; ``timebase`` is the run's, on the monotonic
    clock that ``clock`` reads. The outcome of each purchase is also recorded in the ``ledger``, if there is one.
    ``think_seconds`` is the users' mean think time; in an open loop, response times begin when transactions are due.
    """

    def __init__(
        self,
        client: int,
        timebase: Timebase,
        clock: Callable[[], float] = time.monotonic,
        *,
        types: Sequence[TransactionType],
        ledger: Ledger | None = None,
        think_seconds: float = 0.0,
        is_open_loop: bool = False,
    ) -> None:
        self._client = client
        self._schedule = OpenLoopSchedule() if is_open_loop else IntendedSchedule(think_seconds)
        self._timebase = timebase
        self._clock = clock
        self._lock = threading.RLock()
        self._number = 0
        self._due_from = -NEVER  # time due before this moment belongs to the time before, or is counted already
        self._end_second = NEVER  # of measuring, as long as its last second waits to be charged
        self._current = _Second()
        self._closed: deque[tuple[int, _Second]] = deque()
        self._error_messages: list[ErrorMessage] = []
        self._known_messages: set[str] = set()
        self._types = tuple(types)
        ids = tuple(each.id for each in self._types)
        self._counting = new_counting(ids, self._roll, clock, self._lock)
        self._counting.ends = timebase.moment(1)
        self.step = self._counting.step
        self.transaction = self._counting.transaction
        self.acknowledged = _no_ledger
        if ledger is not None:
            self.acknowledged = ledger.timed(timebase.epoch, timebase.tick_seconds, clock).note_now

    def delayed(self, delay: Delay) -> None:
        with self._lock:
            second = self._second()
            began = self._counting.ends - self._timebase.tick_seconds  # a cheap moment before the present one
            if began - delay.seconds >= self._due_from and self._number < self._end_second:
                second.delays.append(delay)
            else:
                self._divide(delay)

    def set_think_time(self, seconds: float) -> None:
        """The users' mean think time from now on, which a stage of the load has changed."""
        with self._lock:
            self._schedule.think_seconds = seconds

    def measure(self, first: int, end: int | None) -> None:
        """Measure the seconds ``first <= second < end``; without an end, until the run is stopped.

        To be called before measuring begins, and again if its end changes.
        """
        with self._lock:
            self._due_from = max(self._due_from, self._timebase.moment(first))
            self._end_second = NEVER if end is None else end

    def must_charge(self, before: int) -> bool:
        """Whether measuring ended before a second, and ``charge`` was not called yet."""
        return before >= self._end_second

    def charge(self, waits: Iterable[float], now: float) -> None:
        """Measuring is over: count ``waits``, the seconds for which unfinished orders have been due at ``now``.

        The part up to the end of measuring is counted in its last second; only the rest is counted later.
        """
        with self._lock:
            self._second()
            if self._number >= self._end_second:
                for seconds in waits:
                    self._charge(now - seconds)
                self._due_from, self._end_second = self._timebase.moment(self._end_second), NEVER

    def stalled(self, waits: Iterable[float]) -> list[float]:
        """Those of the waits that are longer than an order normally takes."""
        with self._lock:
            return [seconds for seconds in waits if self._schedule.is_stalled(seconds)]

    def _divide(self, delay: Delay) -> None:
        """Divide a delay where measuring began, or ended: the rest is counted in the present second."""
        now = self._clock()
        due, divided_at = now - delay.seconds, self._due_from
        if self._number >= self._end_second:
            self._charge(due)
            divided_at = self._timebase.moment(self._end_second)
        since_seconds = max(0.0, divided_at - due) if divided_at <= now else 0.0
        self._current.parts.append(Part(delay, since_seconds))

    def _charge(self, due: float) -> None:
        """Count in the last second of measuring how long an order, due at a moment, had waited by its end."""
        last, seconds = self._end_second - 1, self._timebase.moment(self._end_second) - due
        if seconds > 0:
            second = next((each for number, each in self._closed if number == last), self._current)
            second.parts.append(Part(Delay(seconds, math.inf), max(0.0, self._due_from - due)))

    def retry(self) -> None:
        self._add("retries")

    def reconnected(self) -> None:
        self._add("reconnects")

    def in_doubt(self, key: int, check: int) -> None:
        self.acknowledged(NO_NUMBER, key, check)
        self._add("in_doubt")

    def error(self, error: TargetError) -> None:
        with self._lock:
            errors = self._second().errors
            errors[error.error_class] = errors.get(error.error_class, 0) + 1
            self._keep_error_message(error, self._clock())

    def take(self, before: int, users: dict[str, int]) -> list[Sample]:
        """The samples of all seconds below ``before`` that were not taken yet, each with the users' present states."""
        with self._lock:
            self._second()
            ready = []
            while self._closed and self._closed[0][0] < before:
                ready.append(self._closed.popleft())
        return [self._sample(number, second, users) for number, second in ready]

    def take_all(self, users: dict[str, int]) -> list[Sample]:
        """All samples, including the second in progress: for a client that ends."""
        with self._lock:
            self._second()
            self._close()
            ready = list(self._closed)
            self._closed.clear()
        return [self._sample(number, second, users) for number, second in ready]

    def take_error_messages(self) -> list[ErrorMessage]:
        """The error messages of the database since the last call, in order, each text only once in a run."""
        with self._lock:
            error_messages, self._error_messages = self._error_messages, []
        return error_messages

    def _add(self, name: str) -> None:
        with self._lock:
            self._second().add(name)

    def _roll(self) -> None:
        with self._lock:
            self._second()

    def _second(self) -> _Second:
        """The present second; closes those that are over. Needs the lock."""
        while self._clock() >= self._counting.ends:
            self._close()
        return self._current

    def _close(self) -> None:
        """Close the present second. A count made meanwhile sees the clock beyond ``ends`` and waits for the lock."""
        self._current.counted = _counted(*self._counting.take())
        self._closed.append((self._number, self._current))
        self._current = _Second()
        self._number += 1
        self._counting.ends = self._timebase.moment(self._number + 1)

    def _keep_error_message(self, error: TargetError, at: float) -> None:
        """Keep each new message once, with its moment, up to a limit: a server may vary its text each time."""
        text = str(error)
        if (
            error.error_class is ErrorClass.DEADLOCK
            or text in self._known_messages
            or len(self._known_messages) >= _MOST_ERROR_MESSAGES
        ):
            return
        self._known_messages.add(text)
        self._error_messages.append(ErrorMessage(error.error_class, text, at))

    def _sample(self, number: int, second: _Second, users: dict[str, int]) -> Sample:
        counted = second.counted
        by_type = list(zip(self._types, counted.types, strict=True))
        transactions = [each for kind, each in by_type if not kind.is_step]
        return Sample(
            client=self._client,
            second=number,
            transactions={
                kind.id: Count(each.n, each.sum_us, 0 if kind.is_step else each.max_us, each.histogram)
                for kind, each in by_type
            },
            errors=second.errors,
            overdue=self._schedule.overdue(
                second.delays,
                orders=sum(each.n for each in transactions),
                order_us=sum(each.sum_us for each in transactions),
                parts=second.parts,
            ),
            rollbacks=counted.rollbacks,
            **second.counts,
            **users,
        )


def _counted(rollbacks: int, types: Iterable[tuple[int, int, int, bytes]]) -> Counted:
    return Counted(rollbacks, [CountedType(*each) for each in types])
