"""The events of one run: numbers them and passes them to the sinks.

``Run`` has one. The collector thread emits events, any other thread adds them to a queue that the collector thread
empties, so that the sinks receive all events on one thread and in one order.
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
    """An event was added to a run that is over."""


class EventLog:
    """Numbers a run's events from 1 and passes them to ``sink``; ``wake`` makes the collector thread emit the queue."""

    def __init__(self, sink: Sink, wake: Callable[[], None]) -> None:
        self._sink = sink
        self._wake = wake
        self._numbers = itertools.count(1)
        self._marks: dict[int, RunEvent] = {}
        self._injections: dict[int, RunEvent] = {}
        self._pending: deque[Callable[[], None]] = deque()
        self._closed = False
        self._lock = threading.Lock()

    def emit(self, event: RunEvent) -> int:
        """Number an event and pass it to the sink at once; returns its number. On the collector thread only.

        An event that already has a number replaces the earlier one.
        """
        with self._lock:
            numbered = event if event.number else self._numbered(event)
        self._sink.write_event(numbered)
        return numbered.number

    def emit_pending(self) -> None:
        """Carry out everything in the queue; on the collector thread only."""
        while self._pending:
            self._pending.popleft()()

    def close(self) -> None:
        """Carry out what is in the queue and refuse anything later. On the collector thread only."""
        with self._lock:
            self._closed = True
        self.emit_pending()

    def add(self, event: RunEvent) -> int:
        """Number an event and queue it for the collector thread; returns its number.

        Raises ``RunIsOver``, as the methods below do.
        """
        with self._lock:
            numbered = self._numbered(event)
            self._enqueue(partial(self._sink.write_event, numbered))
        return numbered.number

    def change_mark(self, number: int, *, label: str | None, at_seconds: float | None) -> None:
        """Change a mark's label or time; raises ``UserError`` if the number is not a mark's."""
        with self._lock:
            changed = changed_mark(self._mark(number), label=label, at_seconds=at_seconds)
            self._enqueue(partial(self._sink.write_event, changed))
            self._marks[number] = changed

    def remove_mark(self, number: int) -> None:
        """Remove a mark; raises ``UserError`` if the number is not a mark's."""
        with self._lock:
            self._mark(number)
            self._enqueue(partial(self._sink.remove_event, number))
            del self._marks[number]

    def restore(self, mark: RunEvent) -> None:
        """Restore a removed mark under its number."""
        with self._lock:
            self._enqueue(partial(self._sink.write_event, mark))
            self._marks[mark.number] = mark

    def change_injection(
        self, number: int, *, label: str | None, detail: str | None, is_fault: bool | None = None
    ) -> None:
        """Change an injection's label or detail, or whether it is a fault.

        Raises ``UserError`` if the number is not an injection's.
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
            self._enqueue(partial(self._sink.write_event, now))
            self._injections[number] = now

    def run_in_collector(self, action: Callable[[], None]) -> None:
        """Queue an action for the collector thread, in order with the events."""
        with self._lock:
            self._enqueue(action)

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

    def _enqueue(self, action: Callable[[], None]) -> None:
        """Queue an action; the caller holds the lock, so that nothing is queued after ``close``."""
        if self._closed:
            raise RunIsOver("the run is over; open it in the library and change its marks there.")
        self._pending.append(action)
        self._wake()
