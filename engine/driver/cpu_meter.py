"""The processor time of a run's clients and of the whole workstation, second by second, and its mean over a window.

``WorkstationWatch`` reads it on the run's collector thread; a reading costs well under a millisecond a client.
"""

import os
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import psutil

from engine.driver.spells import Reading


@dataclass(frozen=True, kw_only=True)
class CpuReading:
    """What was used in the last ``seconds``: by the machine of all processors, by each client of one processor."""

    seconds: float
    machine_pct: float
    clients_pct: Mapping[int, float]


Pids = Mapping[int, int]
Meter = Callable[[Pids], CpuReading | None]


class CpuMeter:
    """Reads what the system counts; ``clock`` is monotonic."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._processes: dict[int, psutil.Process] = {}
        self._read_at: float | None = None

    def __call__(self, pids: Pids) -> CpuReading | None:
        """The use since the last call, by the clients' numbers; ``None`` the first time, which only begins to count.

        A client that is new, or gone, is not in the reading.
        """
        now = self._clock()
        machine_pct = psutil.cpu_percent(interval=None)
        clients_pct = {}
        for number, pid in pids.items():
            used = self._used(number, pid)
            if used is not None:
                clients_pct[number] = used
        began, self._read_at = self._read_at, now
        if began is None:
            return None
        return CpuReading(seconds=now - began, machine_pct=machine_pct, clients_pct=clients_pct)

    def _used(self, number: int, pid: int) -> float | None:
        try:
            if number not in self._processes:
                self._processes[number] = psutil.Process(pid)
                self._processes[number].cpu_percent(interval=None)
                return None
            return self._processes[number].cpu_percent(interval=None)
        except psutil.Error:
            return None


@dataclass(frozen=True, kw_only=True)
class CpuUse:
    """In per cent: of all processors by the machine and by the clients together, of one processor by the busiest."""

    machine_pct: float
    clients_pct: float
    busiest: Reading


class CpuWindow:
    """The readings of the last ``window_seconds`` and their mean; ``processors`` are those the clients may use."""

    def __init__(self, window_seconds: float, processors: int) -> None:
        self._window_seconds = window_seconds
        self._processors = processors
        self._readings: deque[CpuReading] = deque()

    def add(self, reading: CpuReading) -> None:
        self._readings.append(reading)
        while self._seconds() - self._readings[0].seconds >= self._window_seconds:
            self._readings.popleft()

    @property
    def is_full(self) -> bool:
        return self._seconds() >= self._window_seconds

    def mean(self) -> CpuUse:
        """Over the window, of the clients that are still there."""
        by_client = {number: self._mean_of(number) for number in self._readings[-1].clients_pct}
        return self._use(self._mean(lambda reading: reading.machine_pct), by_client)

    def last(self) -> CpuUse:
        """The newest reading by itself."""
        newest = self._readings[-1]
        return self._use(newest.machine_pct, newest.clients_pct)

    def _use(self, machine_pct: float, by_client: Mapping[int, float]) -> CpuUse:
        busiest = max(by_client, key=by_client.__getitem__, default=None)
        return CpuUse(
            machine_pct=machine_pct,
            clients_pct=sum(by_client.values()) / self._processors,
            busiest=Reading(0.0 if busiest is None else by_client[busiest], busiest),
        )

    def _seconds(self) -> float:
        return sum(reading.seconds for reading in self._readings)

    def _mean(self, value: Callable[[CpuReading], float]) -> float:
        return sum(value(reading) * reading.seconds for reading in self._readings) / self._seconds()

    def _mean_of(self, client: int) -> float:
        return self._mean(lambda reading: reading.clients_pct.get(client, 0.0))


def usable_processors() -> int:
    """The processors that this process, and so its clients, may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return psutil.cpu_count() or 1
