"""Checks the workstation's clocks during a run: suspends, standstills of this process, changes of the time of day, and
how far the clocks of the client processes are from the run's.

``WorkstationMonitor`` calls it once a second, on the run's collector thread.
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

# Smaller steps do not matter to a run; NTP corrects larger offsets in one step, smaller ones by slewing.
_LEAST_STEP_SECONDS = 0.5
# Checks are due every second. Where no clock shows a suspend, a gap this long between two of them is taken for one.
_STANDSTILL_SECONDS = 5.0
_MOST_READING_SECONDS = 0.05
# Among so many messages of a process, one a second, at least one arrives promptly, unless the workstation is starved.
_MESSAGES_PER_CHECK = 30
# The delays of messages that wait for a processor differ by some milliseconds; those of prompt messages do not.
_MOST_SCATTER_MS = 1.0
_MOST_DRIFT_MS = 5.0


class ClockFinding(NamedTuple):
    """Something that happened to a clock, as its event's code, data, label and detail; the latter with
    ``{units}`` for what the run's users do."""

    code: EventCode
    data: Mapping[str, float]
    label: str
    detail: str


class Clocks(NamedTuple):
    """The monotonic clock of runs, the time of day, and a clock that also counts suspends, where there is one."""

    monotonic: float
    wall: float
    always: float | None


def read_clocks() -> Clocks:
    """All three clocks at one moment; they are read again if the thread was interrupted in between."""
    while True:
        monotonic, wall, always = time.monotonic(), datetime.now(UTC).timestamp(), _always()
        if time.monotonic() - monotonic < _MOST_READING_SECONDS:
            return Clocks(monotonic, wall, always)


class ProcessClock:
    """How far a client process's clock is behind the run's, from the times at which messages were sent and received.

    Each difference is the offset of the clocks plus the message's delay. The smallest of many differences contains
    hardly any delay; ``offset_ms`` is the smallest so far, negative for a clock that is ahead.

    Late messages must not be mistaken for a drift. So a drift is only looked for in messages with an even delay. The
    clock has fallen behind if their smallest difference exceeds the smallest so far. It is ahead only if messages seem
    to arrive before they were sent, which lateness cannot cause.
    """

    def __init__(self) -> None:
        self.offset_ms = inf
        self._first_ms: float | None = None
        self._latest_ms: list[float] = []
        self._is_reported = False

    def received(self, sent_at: float, arrived_at: float) -> float | None:
        """A message was received; returns the drift in milliseconds when it first exceeds 5 ms."""
        behind_ms = round((arrived_at - sent_at) * 1000, 3)
        self.offset_ms = min(self.offset_ms, behind_ms)
        self._latest_ms.append(behind_ms)
        if len(self._latest_ms) < _MESSAGES_PER_CHECK:
            return None
        latest_ms, self._latest_ms = self._latest_ms, []
        if self._is_reported or not _come_evenly(latest_ms):
            return None
        drift_ms = self._drift_ms(min(latest_ms))
        self._is_reported = abs(drift_ms) > _MOST_DRIFT_MS
        return drift_ms if self._is_reported else None

    def _drift_ms(self, smallest_ms: float) -> float:
        if self._first_ms is None:
            self._first_ms = smallest_ms
        ahead_ms = self._first_ms - smallest_ms
        if smallest_ms < 0 and ahead_ms > _MOST_DRIFT_MS:
            return -ahead_ms
        return smallest_ms - self.offset_ms


def _come_evenly(behind_ms: Sequence[float]) -> bool:
    """Whether most messages took as long as the one before; a clock at a constant wrong rate counts as even, too."""
    steps_ms = [after - before for before, after in pairwise(behind_ms)]
    usual_ms = median(steps_ms)
    return median(abs(step - usual_ms) for step in steps_ms) <= _MOST_SCATTER_MS


class ClockMonitor:
    """Compares the clocks with those at the last check, and the client processes' clocks with the run's.

    ``labels`` name the clients of each process.
    """

    def __init__(self, labels: Mapping[int, str], read: Callable[[], Clocks] = read_clocks) -> None:
        self._labels = labels
        self._read = read
        self._last: Clocks | None = None
        self._processes: dict[int, ProcessClock] = {}

    @property
    def offsets_ms(self) -> dict[int, float]:
        """By the number of each process, the most that its clock can be behind the run's."""
        return {process: clock.offset_ms for process, clock in self._processes.items()}

    def received(self, process: int, sent_at: float, arrived_at: float) -> list[ClockFinding]:
        """A message was received that a process sent at ``sent_at`` by its own clock; a finding if it has drifted."""
        drift_ms = self._processes.setdefault(process, ProcessClock()).received(sent_at, arrived_at)
        return [] if drift_ms is None else [_drifted(self._labels[process], drift_ms)]

    def check(self) -> list[ClockFinding]:
        """What happened to the clocks since the last check."""
        now, last = self._read(), self._last
        self._last = now
        if last is None:
            return []
        went = now.monotonic - last.monotonic
        suspended = 0.0
        if now.always is not None and last.always is not None:
            suspended = (now.always - last.always) - went
        elif went >= _STANDSTILL_SECONDS:
            suspended = went
        reports = []
        if suspended > _LEAST_STEP_SECONDS:
            reports.append(_suspended(suspended, is_left_out=now.always is not None))
        if now.always is not None and went >= _STANDSTILL_SECONDS:
            reports.append(_stood_still(went))
        stepped = (now.wall - last.wall) - went - (suspended if now.always is not None else 0.0)
        if abs(stepped) > _LEAST_STEP_SECONDS:
            reports.append(_stepped(stepped))
        return reports


def _drifted(label: str, drift_ms: float) -> ClockFinding:
    return ClockFinding(
        EventCode.CLIENT_CLOCK_DRIFTED,
        {"ahead_ms": round(-drift_ms, 3)},
        f"the clock of {label} went {abs(drift_ms):.0f} ms {'behind' if drift_ms > 0 else 'ahead'}",
        "its seconds and the run's are no longer the same; from here on its {units} are counted that much too"
        f" {'early' if drift_ms > 0 else 'late'}, its response times are right",
    )


def _suspended(seconds: float, *, is_left_out: bool) -> ClockFinding:
    off = "; the run's seconds leave it out: its times of day are too early by that from here on" if is_left_out else ""
    return ClockFinding(
        EventCode.WORKSTATION_SUSPENDED,
        {"seconds": round(seconds, 1)},
        f"the workstation was suspended for {seconds:.1f} s",
        f"no {{units}} were placed, and servers may have dropped their connections; keep the workstation awake{off}",
    )


def _stood_still(seconds: float) -> ClockFinding:
    return ClockFinding(
        EventCode.MAIN_PROCESS_STOOD_STILL,
        {"seconds": round(seconds, 1)},
        f"the main process stood still for {seconds:.1f} s",
        "what was due in that time, such as a fault or the end of a phase, came late; the client processes went on with"
        " their {units}, unless they were stopped as well",
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
