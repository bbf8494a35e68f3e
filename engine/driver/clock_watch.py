"""Whether the workstation's clocks can be relied on while a run goes on: a suspend, a change of the time of day, and
how far the clients' clocks are from the run's.

``WorkstationWatch`` asks once a second, on the run's collector thread.
"""

import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import NamedTuple

# A step of the clock below it moves no second of a run; NTP moves larger offsets in steps, smaller ones by slewing.
_LEAST_STEP_SECONDS = 0.5
# Where no clock counts a suspend apart, a standstill of the run's own watch stands for it.
_STANDSTILL_SECONDS = 5.0
_MOST_READING_SECONDS = 0.05


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


class ClockWatch:
    """Compares the clocks with those of the last look. ``offsets_ms`` are the clients', by number: see ``heard``."""

    def __init__(self, read: Callable[[], Clocks] = read_clocks) -> None:
        self.offsets_ms: dict[int, float] = {}
        self._read = read
        self._last: Clocks | None = None

    def heard(self, client: int, told_at: float, arrived_at: float) -> None:
        """What a client told at ``told_at``, by its clock, arrived: so far behind the run's is its clock at most.

        The smallest difference is kept, which has hardly any of the way in it; one below 0 is a clock ahead.
        """
        offset_ms = round((arrived_at - told_at) * 1000, 3)
        self.offsets_ms[client] = min(offset_ms, self.offsets_ms.get(client, offset_ms))

    def look(self) -> list[tuple[str, str]]:
        """Label and detail of each thing that happened to the clocks since the last look."""
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
            told.append(_suspended(suspended))
        stepped = (now.wall - last.wall) - went - (suspended if now.always is not None else 0.0)
        if abs(stepped) > _LEAST_STEP_SECONDS:
            told.append(_stepped(stepped))
        return told


def _suspended(seconds: float) -> tuple[str, str]:
    return (
        f"the workstation was suspended for {seconds:.1f} s",
        "no user ordered meanwhile, and servers may have dropped their connections; keep the workstation awake",
    )


def _stepped(seconds: float) -> tuple[str, str]:
    return (
        f"the workstation's clock was set {abs(seconds):.1f} s {'ahead' if seconds > 0 else 'back'}",
        "the run's own seconds are of another clock and go on evenly; its times of day, and what the servers or other"
        " machines noted by the time of day, are off by that from here on",
    )


def _always() -> float | None:
    """Linux' CLOCK_BOOTTIME; on macOS CLOCK_MONOTONIC, where ``time.monotonic`` stands still in a suspend."""
    if sys.platform == "linux":
        return time.clock_gettime(time.CLOCK_BOOTTIME)
    if sys.platform == "darwin":
        return time.clock_gettime(time.CLOCK_MONOTONIC)
    return None
