"""What others did to the stores of a run although they were leased: the user is notified, and the run gets an event.

Called by the conductor; the leases report on threads of their own, before the run has begun and during it.
"""

import threading
from collections.abc import Callable, Iterable

from engine.conduct.leasing import LeaseConflict
from engine.driver.run import Run
from engine.driver.sinks import Sink
from engine.figure_text import capitalised
from engine.telemetry.event import EventKind, RunEvent


class LeaseConflicts:
    """Receives the conflicts of one run; ``warn`` is called with a sentence for the user."""

    def __init__(self, warn: Callable[[str], None]) -> None:
        self._warn = warn
        self._run: Run | None = None
        self._before: list[LeaseConflict] = []
        self._lock = threading.Lock()

    def report(self, conflict: LeaseConflict) -> None:
        """Others used a store of the run; from any thread."""
        self._notify(conflict)
        with self._lock:
            if self._run is None:
                self._before.append(conflict)
                return
        self._add(self._run, conflict)

    def begin(self, run: Run) -> None:
        """The run has begun: add the conflicts reported before to it."""
        with self._lock:
            self._run, before = run, self._before
            self._before = []
        for conflict in before:
            self._add(run, conflict)

    def write_found(self, found: Iterable[LeaseConflict], sink: Sink, *, at_seconds: float, number: int) -> None:
        """Add conflicts found after the end of the run, as events from this number on."""
        for each, conflict in enumerate(found, start=number):
            self._notify(conflict)
            sink.write_event(
                RunEvent(
                    at_seconds=at_seconds,
                    kind=EventKind.STORE,
                    code=conflict.code,
                    data={"place": conflict.place},
                    label=conflict.text,
                    number=each,
                )
            )

    @staticmethod
    def _add(run: Run, conflict: LeaseConflict) -> None:
        run.add_event(
            EventKind.STORE, conflict.text, code=conflict.code, data={"place": conflict.place}, detail=conflict.who
        )

    def _notify(self, conflict: LeaseConflict) -> None:
        who = f" ({conflict.who})" if conflict.who else ""
        self._warn(f"{capitalised(conflict.text)}{who}; the figures of the run are not its own alone.")
