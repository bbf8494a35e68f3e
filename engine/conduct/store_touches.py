"""What others did to the stores of a run: said to the user at once, and kept as events of the run.

Called by the conductor; the leases report from threads of their own, before the run has begun and while it goes on.
"""

import threading
from collections.abc import Callable, Iterable

from engine.conduct.leasing import StoreTouch
from engine.driver.run import Run
from engine.driver.sinks import Sink
from engine.figure_text import capitalised
from engine.telemetry.event import EventKind, RunEvent


class StoreTouches:
    """Receives the touches of one run; ``warn`` gets a sentence of each for the user."""

    def __init__(self, warn: Callable[[str], None]) -> None:
        self._warn = warn
        self._run: Run | None = None
        self._before: list[StoreTouch] = []
        self._lock = threading.Lock()

    def report(self, touch: StoreTouch) -> None:
        """Others used a store of the run; from any thread."""
        self._say(touch)
        with self._lock:
            if self._run is None:
                self._before.append(touch)
                return
        self._add(self._run, touch)

    def begin(self, run: Run) -> None:
        """The run has begun: what was reported before is entered into it."""
        with self._lock:
            self._run, before = run, self._before
            self._before = []
        for touch in before:
            self._add(run, touch)

    def write_found(self, found: Iterable[StoreTouch], sink: Sink, *, at_seconds: float, number: int) -> None:
        """Enter what was found when the run was over, as events from this number on."""
        for each, touch in enumerate(found, start=number):
            self._say(touch)
            sink.write_event(
                RunEvent(
                    at_seconds=at_seconds,
                    kind=EventKind.STORE,
                    code=touch.code,
                    data={"place": touch.place},
                    label=touch.text,
                    number=each,
                )
            )

    @staticmethod
    def _add(run: Run, touch: StoreTouch) -> None:
        run.add_event(EventKind.STORE, touch.text, code=touch.code, data={"place": touch.place}, detail=touch.who)

    def _say(self, touch: StoreTouch) -> None:
        who = f" ({touch.who})" if touch.who else ""
        self._warn(f"{capitalised(touch.text)}{who}; the figures of the run are not its own alone.")
