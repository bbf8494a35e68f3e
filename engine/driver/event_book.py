"""The events of one run: each gets its number here, and what other threads add waits here for its turn.

``Run`` keeps one. The collector thread tells and hands on, any other thread adds, so that the sinks hear of
everything on one thread and in one order.
"""

import itertools
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from engine.driver.sinks import Sink
from engine.errors import UserError
from engine.faults.marks import changed_mark, is_mark
from engine.telemetry.event import EventKind, RunEvent


class RunIsOver(UserError):  # noqa: N818 - it reads as what it is
    """Something was added to a run that takes nothing more."""


class EventBook:
    """Numbers a run's events from 1 and hands them to ``sink``; ``wake`` gets the collector thread to hand on."""

    def __init__(self, sink: Sink, wake: Callable[[], None]) -> None:
        self._sink = sink
        self._wake = wake
        self._numbers = itertools.count(1)
        self._marks: dict[int, RunEvent] = {}
        self._injections: dict[int, RunEvent] = {}
        self._waiting: deque[Callable[[], None]] = deque()
        self._closed = False
        self._lock = threading.Lock()

    def tell(self, event: RunEvent) -> int:
        """Number an event and hand it to the sink at once; its number. For the collector thread only.

        One that has a number, having been told before, takes that one's place.
        """
        with self._lock:
            numbered = event if event.number else self._numbered(event)
        self._sink.write_event(numbered)
        return numbered.number

    def hand_on(self) -> None:
        """Let everything that waits have its turn; for the collector thread only."""
        while self._waiting:
            self._waiting.popleft()()

    def close(self) -> None:
        """Hand on what waits; whatever comes later is refused. For the collector thread only."""
        with self._lock:
            self._closed = True
        self.hand_on()

    def add(self, event: RunEvent) -> int:
        """Number an event, which is told with the collector's next turn; its number.

        Raises ``RunIsOver``, as all that follow do.
        """
        with self._lock:
            numbered = self._numbered(event)
            self._put(partial(self._sink.write_event, numbered))
        return numbered.number

    def change_mark(self, number: int, *, label: str | None, at_seconds: float | None) -> None:
        """Tell a mark with another label or time; raises ``UserError`` when the number is no mark's."""
        with self._lock:
            changed = changed_mark(self._mark(number), label=label, at_seconds=at_seconds)
            self._put(partial(self._sink.write_event, changed))
            self._marks[number] = changed

    def remove_mark(self, number: int) -> None:
        """Take a mark back; raises ``UserError`` when the number is no mark's."""
        with self._lock:
            self._mark(number)
            self._put(partial(self._sink.remove_event, number))
            del self._marks[number]

    def put_back(self, mark: RunEvent) -> None:
        """Tell a mark that was removed again, under its number."""
        with self._lock:
            self._put(partial(self._sink.write_event, mark))
            self._marks[mark.number] = mark

    def change_injection(
        self, number: int, *, label: str | None, detail: str | None, is_fault: bool | None = None
    ) -> None:
        """Tell an injection with another label or detail, or that it turned out to be no fault.

        Raises ``UserError`` when the number is no injection's.
        """
        with self._lock:
            if number not in self._injections:
                raise UserError(f"event {number} is not an injection of this run.")
            was = self._injections[number]
            now = replace(
                was,
                label=was.label if label is None else label,
                detail=was.detail if detail is None else detail,
                is_fault=was.is_fault if is_fault is None else is_fault,
            )
            self._put(partial(self._sink.write_event, now))
            self._injections[number] = now

    def do_in_turn(self, action: Callable[[], None]) -> None:
        """Have the collector thread do something between what it tells."""
        with self._lock:
            self._put(action)

    def _numbered(self, event: RunEvent) -> RunEvent:
        numbered = replace(event, number=next(self._numbers))
        if is_mark(numbered.kind, by_hand=numbered.by_hand):
            self._marks[numbered.number] = numbered
        elif numbered.kind is EventKind.INJECTION:
            self._injections[numbered.number] = numbered
        return numbered

    def _mark(self, number: int) -> RunEvent:
        try:
            return self._marks[number]
        except KeyError:
            raise UserError(
                f"event {number} is not a mark of this run, or was removed; only marks can be changed."
            ) from None

    def _put(self, action: Callable[[], None]) -> None:
        """Let something wait for its turn; needs the lock, so that nothing slips in behind ``close``."""
        if self._closed:
            raise RunIsOver("the run is over; open it in the library and change its marks there.")
        self._waiting.append(action)
        self._wake()
