"""How far apart the machines of a run began to place orders: measured on each, and told with their clocks' errors."""

from collections.abc import Callable, Mapping

from engine.figure_text import listed, significant
from engine.telemetry.event import EventCode, EventKind, RunEvent

_PATIENCE_SECONDS = 3.0
_MOST_APART_MS = 100.0
"""Seconds of machines that began further apart than this are notably not the same."""


class StartMonitor:
    """``machines`` has the machine of each client process, by its number; ``errors_ms`` within what the clock of each
    is known. The first user of the last process begins at ``last_at`` of the monotonic clock; who has not reported some
    seconds later has not begun. ``now`` gives a moment, or the present one, in seconds of the run.

    A process is late by its machine's clock, so two machines began as far apart as they were late, more or less the
    errors of both clocks.
    """

    def __init__(
        self,
        machines: Mapping[int, str],
        errors_ms: Mapping[str, float],
        last_at: float,
        emit: Callable[[RunEvent], int],
        now: Callable[[float | None], float],
    ) -> None:
        self._machines = machines
        self._errors_ms = errors_ms
        self._deadline = last_at + _PATIENCE_SECONDS
        self._emit = emit
        self._now = now
        self._late_ms: dict[int, float] = {}

    def receive(self, process: int, late_ms: float) -> None:
        """The first user of a process began so late."""
        self._late_ms[process] = late_ms

    def check(self, moment: float) -> bool:
        """Emit the event if it is time for it; returns whether it was."""
        is_complete = self._late_ms.keys() >= self._machines.keys()
        if is_complete or moment > self._deadline:
            self._emit_start()
            return True
        return False

    def _emit_start(self) -> None:
        late_ms: dict[str, float] = {}
        for process, late in self._late_ms.items():
            machine = self._machines[process]
            late_ms[machine] = max(late, late_ms.get(machine, late))
        missing = sorted({each for number, each in self._machines.items() if number not in self._late_ms})
        skew_ms = round(max(self._late_ms.values()) - min(self._late_ms.values()), 3) if late_ms else None
        error_ms = round(sum(sorted(self._errors_ms[each] for each in late_ms)[-2:]), 3)
        label = "no machine has begun its load"
        if skew_ms is not None:
            label = f"the load machines started within {significant(skew_ms + error_ms)} ms of each other"
            if missing:
                label += f", without {listed([each or 'this machine' for each in missing])}"
        is_wrong = skew_ms is None or bool(missing) or skew_ms + error_ms > _MOST_APART_MS
        self._emit(
            RunEvent(
                at_seconds=self._now(None),
                kind=EventKind.WARNING if is_wrong else EventKind.PHASE,
                code=EventCode.LOAD_MACHINES_STARTED,
                label=label,
                detail="" if skew_ms is None else _detail(skew_ms, error_ms),
                data={
                    "skew_ms": skew_ms,
                    "error_ms": error_ms,
                    "started": {
                        machine: {"late_ms": late, "error_ms": self._errors_ms[machine]}
                        for machine, late in late_ms.items()
                    },
                },
            )
        )


def _detail(skew_ms: float, error_ms: float) -> str:
    return (
        f"by their own clocks they were {significant(skew_ms)} ms apart, and their clocks are known within"
        f" {significant(error_ms)} ms"
    )
