"""The processor time of a run's client processes and of the whole workstation, second by second.

``WorkstationMonitor`` reads it on the run's collector thread; a reading costs well under a millisecond a process.
"""

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import psutil


@dataclass(frozen=True, kw_only=True)
class CpuReading:
    """Processor use in the last ``seconds``: the machine's in per cent of all processors, each process's of one."""

    seconds: float
    machine_pct: float
    processes_pct: Mapping[int, float]


Pids = Mapping[int, int]
Meter = Callable[[Pids], CpuReading | None]


class CpuMeter:
    """Reads the system's counters; ``clock`` is monotonic."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._processes: dict[int, psutil.Process] = {}
        self._read_at: float | None = None

    def __call__(self, pids: Pids) -> CpuReading | None:
        """The use since the last call, by the processes' numbers; ``None`` at the first call.

        A process that is new, or has ended, is not in the reading.
        """
        now = self._clock()
        machine_pct = psutil.cpu_percent(interval=None)
        processes_pct = {}
        for number, pid in pids.items():
            used = self._used(number, pid)
            if used is not None:
                processes_pct[number] = used
        began, self._read_at = self._read_at, now
        if began is None:
            return None
        return CpuReading(seconds=now - began, machine_pct=machine_pct, processes_pct=processes_pct)

    def _used(self, number: int, pid: int) -> float | None:
        try:
            if number not in self._processes:
                self._processes[number] = psutil.Process(pid)
                self._processes[number].cpu_percent(interval=None)
                return None
            return self._processes[number].cpu_percent(interval=None)
        except psutil.Error:
            return None


def usable_processors() -> int:
    """The processors that this process, and so those of its clients, may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return psutil.cpu_count() or 1
