"""Records in a run what the embedded lab does by itself: which nodes died or were promoted, and when.

Called by the conductor, for runs on a lab of several nodes.
"""

import logging
import threading
import time
from collections.abc import Callable, Iterable
from typing import Protocol

from engine.errors import UserError
from engine.lab.events import LabEvent, LabEventKind
from engine.telemetry.event import EventKind

_log = logging.getLogger(__name__)
_POLL_SECONDS = 0.2
_JOIN_SECONDS = 10.0
_DONE_BY_THE_LAB = (LabEventKind.FENCED, LabEventKind.PROMOTED, LabEventKind.REJOINED, LabEventKind.PROTECTED)


class RunLog(Protocol):
    """Where the news go: a run."""

    def add_injection(self, label: str, detail: str = "", *, at_monotonic: float, is_fault: bool = True) -> int: ...

    def add_event(self, kind: EventKind, label: str, *, at_monotonic: float | None = None) -> None: ...


class LabMonitor:
    """Polls ``events`` on a separate thread until it is stopped.

    Actions of the lab are recorded as injections that are not faults: they are the response to one.
    """

    def __init__(self, events: Callable[[], Iterable[LabEvent]], run_log: RunLog) -> None:
        self._events = events
        self._run_log = run_log
        self._since = 0.0
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._poll, name="lab-watch", daemon=True)

    def start(self) -> None:
        """Begin; what the lab did before, such as its own set-up, does not belong to the run."""
        self._since = time.monotonic()
        self._thread.start()

    def stop(self) -> None:
        """Record the last events, and end. May be called more than once."""
        self._stopping.set()
        self._thread.join(_JOIN_SECONDS)

    def _poll(self) -> None:
        try:
            while not self._stopping.wait(_POLL_SECONDS):
                self._publish()
            self._publish()
        except UserError:
            return  # the run is over: what the lab still does is not its own any more
        except Exception:
            _log.exception("the lab's news end here")

    def _publish(self) -> None:
        for events in self._events():
            if events.at_monotonic < self._since:
                continue
            if events.kind in _DONE_BY_THE_LAB:
                detail = f"by the lab's supervisor; {events.kind.value} {events.node}".rstrip()
                self._run_log.add_injection(events.text, detail, at_monotonic=events.at_monotonic, is_fault=False)
            else:
                self._run_log.add_event(EventKind.WARNING, events.text, at_monotonic=events.at_monotonic)
