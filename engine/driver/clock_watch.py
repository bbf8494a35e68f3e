"""Whether the workstation's clocks can be relied on while a run goes on: a suspend, a change of the time of day, and
how far the clocks of the client processes are from the run's.

``WorkstationWatch`` asks once a second, on the run's collector thread.
"""

import sys
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from itertools import pairwise
from math import inf
from statistics import median
from typing import NamedTuple

from engine.telemetry.event import EventCode

# A step of the clock below it moves no second of a run; NTP moves larger offsets in steps, smaller ones by slewing.
_LEAST_STEP_SECONDS = 0.5
# Where no clock counts a suspend apart, a standstill of the run's own watch stands for it.
_STANDSTILL_SECONDS = 5.0
_MOST_READING_SECONDS = 0.05
# So many words of a process, one a second, have a quick one among them, unless the workstation is starved.
_WORDS_TOGETHER = 30
# Words that wait for a processor come some milliseconds sooner or later than each other, quick ones do not.
_MOST_SCATTER_MS = 1.0
_MOST_DRIFT_MS = 5.0


class ClockFinding(NamedTuple):
    """Something that happened to a clock, as its event's code, data, label and detail."""

    code: EventCode
    data: Mapping[str, float]
    label: str
    detail: str


class Clocks(NamedTuple):
    """The monotonic clock of runs, the time of day, and a clock that goes on in a suspend, where there is one."""

    monotonic: float
    wall: float
    always: float | None


def read_clocks() -> Clocks:
    """All of them at one moment; read anew when something came between."""
    while True:
        monotonic, wall, always = time.monotonic(), datetime.now(UTC).timestamp(), _always()
        if time.monotonic() - monotonic < _MOST_READING_SECONDS:
            return Clocks(monotonic, wall, always)


class ProcessClock:
    """How far a client process's clock is behind the run's (milliseconds): of its words, said then and arrived then.

    The smallest of many differences has hardly any of the way in it; one below 0 is a clock ahead. ``offset_ms`` is the
    smallest of all of them. What can be of words that came late is no drift: only words that come evenly tell of one;
    it is behind the smallest of all, and ahead only where words arrive before they were told, as no late word does.
    """

    def __init__(self) -> None:
        self.offset_ms = inf
        self._first_ms: float | None = None
        self._latest_ms: list[float] = []
        self._was_told = False

    def heard(self, told_at: float, arrived_at: float) -> float | None:
        """A word arrived; how far the clock has drifted, the first time that it is more than 5 ms."""
        behind_ms = round((arrived_at - told_at) * 1000, 3)
        self.offset_ms = min(self.offset_ms, behind_ms)
        self._latest_ms.append(behind_ms)
        if len(self._latest_ms) < _WORDS_TOGETHER:
            return None
        latest_ms, self._latest_ms = self._latest_ms, []
        if self._was_told or not _come_evenly(latest_ms):
            return None
        drift_ms = self._drift_ms(min(latest_ms))
        self._was_told = abs(drift_ms) > _MOST_DRIFT_MS
        return drift_ms if self._was_told else None

    def _drift_ms(self, smallest_ms: float) -> float:
        if self._first_ms is None:
            self._first_ms = smallest_ms
        ahead_ms = self._first_ms - smallest_ms
        if smallest_ms < 0 and ahead_ms > _MOST_DRIFT_MS:
            return -ahead_ms
        return smallest_ms - self.offset_ms


def _come_evenly(behind_ms: Sequence[float]) -> bool:
    """Whether the way of most words is as long as that of the word before; a clock that runs too fast is even, too."""
    steps_ms = [after - before for before, after in pairwise(behind_ms)]
    usual_ms = median(steps_ms)
    return median(abs(step - usual_ms) for step in steps_ms) <= _MOST_SCATTER_MS


class ClockWatch:
    """Compares the clocks with those of the last look, and the client processes' with the run's.

    ``labels`` say whose each process is.
    """

    def __init__(self, labels: Mapping[int, str], read: Callable[[], Clocks] = read_clocks) -> None:
        self._labels = labels
        self._read = read
        self._last: Clocks | None = None
        self._processes: dict[int, ProcessClock] = {}

    @property
    def offsets_ms(self) -> dict[int, float]:
        """How far each process's clock is behind the run's at most, by the processes' numbers."""
        return {process: clock.offset_ms for process, clock in self._processes.items()}

    def heard(self, process: int, told_at: float, arrived_at: float) -> list[ClockFinding]:
        """What a process told at ``told_at``, by its clock, arrived; a finding when it has drifted."""
        drift_ms = self._processes.setdefault(process, ProcessClock()).heard(told_at, arrived_at)
        return [] if drift_ms is None else [_drifted(self._labels[process], drift_ms)]

    def look(self) -> list[ClockFinding]:
        """What happened to the clocks since the last look."""
        now, last = self._read(), self._last
        self._last = now
        if last is None:
            return []
        went = now.monotonic - last.monotonic
        suspended = 0.0
        if now.always is not None and last.always is not None:
            suspended = (now.always - last.always) - went
        elif went > _STANDSTILL_SECONDS:
            suspended = went
        told = []
        if suspended > _LEAST_STEP_SECONDS:
            told.append(_suspended(suspended, is_left_out=now.always is not None))
        stepped = (now.wall - last.wall) - went - (suspended if now.always is not None else 0.0)
        if abs(stepped) > _LEAST_STEP_SECONDS:
            told.append(_stepped(stepped))
        return told


def _drifted(label: str, drift_ms: float) -> ClockFinding:
    return ClockFinding(
        EventCode.CLIENT_CLOCK_DRIFTED,
        {"ahead_ms": round(-drift_ms, 3)},
        f"the clock of {label} went {abs(drift_ms):.0f} ms {'behind' if drift_ms > 0 else 'ahead'}",
        "its seconds and the run's are no longer the same; from here on its orders are counted that much too"
        f" {'early' if drift_ms > 0 else 'late'}, its response times are right",
    )


def _suspended(seconds: float, *, is_left_out: bool) -> ClockFinding:
    off = "; the run's seconds leave it out: its times of day are too early by that from here on" if is_left_out else ""
    return ClockFinding(
        EventCode.WORKSTATION_SUSPENDED,
        {"seconds": round(seconds, 1)},
        f"the workstation was suspended for {seconds:.1f} s",
        f"no orders were placed, and servers may have dropped their connections; keep the workstation awake{off}",
    )


def _stepped(seconds: float) -> ClockFinding:
    return ClockFinding(
        EventCode.WORKSTATION_CLOCK_SET,
        {"ahead_seconds": round(seconds, 1)},
        f"the workstation's clock was set {abs(seconds):.1f} s {'ahead' if seconds > 0 else 'back'}",
        "the run's own seconds are of another clock and are not affected; its times of day, and what servers or other"
        " machines logged by the time of day, are off by that from here on",
    )


def _always() -> float | None:
    """Linux' CLOCK_BOOTTIME; on macOS CLOCK_MONOTONIC, where ``time.monotonic`` stands still in a suspend."""
    if sys.platform == "linux":
        return time.clock_gettime(time.CLOCK_BOOTTIME)
    if sys.platform == "darwin":
        return time.clock_gettime(time.CLOCK_MONOTONIC)
    return None
