"""Adding events, marks and injections to a run while it is in progress; the base class of ``Run``.

To be called from any thread; the sinks receive the events on the run's collector thread.
"""

import math
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from engine.driver.event_log import EventLog, RunIsOver
from engine.driver.timebase import Timebase
from engine.faults.marks import checked_label, new_mark
from engine.telemetry.event import EventCode, EventKind, RunEvent


class RunAnnotations:
    """``timebase`` is the run's; its epoch is infinite until the run begins."""

    def __init__(self, events: EventLog, tick_seconds: float = 1.0) -> None:
        self.timebase = Timebase(math.inf, tick_seconds)
        self._events = events

    def add_event(
        self,
        kind: EventKind,
        label: str,
        *,
        code: EventCode = EventCode.NONE,
        data: Mapping[str, Any] | None = None,
        at_monotonic: float | None = None,
        detail: str = "",
        by_hand: bool = False,
    ) -> None:
        """Add an event to the run, now unless a moment is given; from any thread, also a sink's.

        Without effect when the run is over.
        """
        at_seconds = self._at(at_monotonic)
        with suppress(RunIsOver):
            self._events.add(
                RunEvent(
                    at_seconds=at_seconds,
                    kind=kind,
                    label=label,
                    code=code,
                    data=data or {},
                    detail=detail,
                    by_hand=by_hand,
                )
            )

    def add_mark(
        self,
        label: str,
        *,
        at_monotonic: float | None = None,
        detail: str = "",
        by_hand: bool = True,
        is_fault: bool = False,
    ) -> int:
        """Add a mark to the run and return its number; does not block.

        ``at_monotonic`` is the moment of the key press on the monotonic clock, by default now; a moment before the
        epoch counts as 0. Raises ``UserError`` for an invalid label and for a run that is over.
        """
        at_seconds = self._at(at_monotonic)
        return self._events.add(new_mark(label, at_seconds, detail=detail, by_hand=by_hand, is_fault=is_fault))

    def add_injection(
        self, label: str, detail: str = "", *, at_monotonic: float | None = None, is_fault: bool = True
    ) -> int:
        """Add something that Spindle does to a target; returns its number. Raises ``UserError`` as ``add_mark`` does.

        ``detail`` is the audit line as far as it is known; ``change_injection`` completes it.
        """
        event = RunEvent(
            at_seconds=self._at(at_monotonic),
            kind=EventKind.INJECTION,
            label=checked_label(label),
            detail=detail,
            is_fault=is_fault,
        )
        return self._events.add(event)

    def change_injection(
        self, number: int, *, label: str | None = None, detail: str | None = None, is_fault: bool | None = None
    ) -> None:
        """Update an injection. Raises ``UserError`` for an unknown number and for a run that is over."""
        self._events.change_injection(number, label=label, detail=detail, is_fault=is_fault)

    def end_fault(
        self, label: str, detail: str = "", *, at_monotonic: float | None = None, by_hand: bool = False
    ) -> int:
        """Add the end of a fault: an injection is over or undone, or (``by_hand``) the user says so with a mark.

        Returns the event's number.
        """
        at_seconds = self._at(at_monotonic)
        return self._events.add(
            RunEvent(
                at_seconds=at_seconds,
                kind=EventKind.FAULT_END,
                label=checked_label(label),
                detail=detail,
                by_hand=by_hand,
            )
        )

    def change_mark(self, number: int, *, label: str | None = None, at_seconds: float | None = None) -> None:
        """Rename a mark or move it, in seconds since the epoch.

        Raises ``UserError`` as ``add_mark`` does, and for a number that is not a mark's.
        """
        self._events.change_mark(number, label=label, at_seconds=at_seconds)

    def remove_mark(self, number: int) -> None:
        """Remove a mark. Raises ``UserError`` as ``change_mark`` does."""
        self._events.remove_mark(number)

    def put_back_mark(self, mark: RunEvent) -> None:
        """Undo the removal of a mark. Raises ``UserError`` for a run that is over."""
        self._events.restore(mark)

    def _emit(
        self,
        kind: EventKind,
        label: str,
        *,
        code: EventCode = EventCode.NONE,
        data: Mapping[str, Any] | None = None,
        client: int | None = None,
        detail: str = "",
        at_seconds: float | None = None,
    ) -> None:
        """Emit an event at once, of now unless a moment is given; on the collector thread only."""
        at_seconds = self._at() if at_seconds is None else at_seconds
        self._events.emit(
            RunEvent(
                at_seconds=at_seconds,
                kind=kind,
                label=label,
                code=code,
                data=data or {},
                client=client,
                detail=detail,
            )
        )

    def _at(self, moment: float | None = None) -> float:
        """A moment of the monotonic clock, or now, in seconds since the epoch; 0 before there is one."""
        moment = time.monotonic() if moment is None else moment
        return self.timebase.event_seconds(moment)
