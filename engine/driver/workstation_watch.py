"""Whether the workstation itself is what limits a run: the processor time of its clients, watched while it goes on.

Called by ``Run`` on its collector thread; looking costs well under a millisecond a client and never waits.
"""

import os
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import psutil

EVERY_SECONDS = 1.0
WINDOW_SECONDS = 10.0
CLIENTS_LIMIT_PCT = 80.0
CLIENT_LIMIT_PCT = 90.0
_EASE_PCT = 10.0  # so far below its limit is over: a load that sways about the limit is told of once


@dataclass(frozen=True, kw_only=True)
class WorkstationLoad:
    """Processor use over the last ten seconds, or what there is of them, in per cent.

    ``machine_pct`` is everything on this machine, ``clients_pct`` the client processes together, both of all
    processors; ``busiest_client_pct`` is of one processor, and a client, being one process, can't use more than that.
    An embedded server is no client.
    """

    machine_pct: float
    clients_pct: float
    busiest_client_pct: float
    is_bottleneck: bool


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


class WorkstationWatch:
    """Averages readings over a window, and says once that a limit is reached and once that it is over.

    ``labels`` name the clients by number; ``processors`` are those that this process may use.
    """

    def __init__(
        self,
        labels: Mapping[int, str],
        *,
        meter: Meter | None = None,
        processors: int | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.load: WorkstationLoad | None = None
        self._labels = labels
        self._meter = CpuMeter(clock) if meter is None else meter
        self._processors = usable_processors() if processors is None else processors
        self._clock = clock
        self._next_look = clock()
        self._readings: deque[CpuReading] = deque()

    def look(self, pids: Pids) -> tuple[str, str] | None:
        """Take a reading when a second is over; the label and detail of a warning when there is one to tell."""
        now = self._clock()
        if now < self._next_look:
            return None
        self._next_look = now + EVERY_SECONDS
        reading = self._meter(pids)
        if reading is None or reading.seconds <= 0:
            return None
        self._readings.append(reading)
        while self._seconds() - self._readings[0].seconds >= WINDOW_SECONDS:
            self._readings.popleft()
        return self._judged()

    def _judged(self) -> tuple[str, str] | None:
        was_bottleneck = self.load is not None and self.load.is_bottleneck
        by_client = {number: self._mean_of(number) for number in self._readings[-1].clients_pct}
        busiest = max(by_client, key=by_client.__getitem__, default=None)
        clients_pct = sum(by_client.values()) / self._processors
        busiest_pct = 0.0 if busiest is None else by_client[busiest]
        ease = _EASE_PCT if was_bottleneck else 0.0
        together, alone = clients_pct > CLIENTS_LIMIT_PCT - ease, busiest_pct > CLIENT_LIMIT_PCT - ease
        is_bottleneck = (together or alone) and self._seconds() >= WINDOW_SECONDS
        self.load = WorkstationLoad(
            machine_pct=round(self._mean(lambda reading: reading.machine_pct), 1),
            clients_pct=round(clients_pct, 1),
            busiest_client_pct=round(busiest_pct, 1),
            is_bottleneck=is_bottleneck,
        )
        if is_bottleneck is was_bottleneck:
            return None
        if not is_bottleneck:
            return "the workstation is no longer the bottleneck", ""
        if together or busiest is None:
            return _together(clients_pct)
        return _alone(self._labels[busiest], busiest_pct)

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


def _together(clients_pct: float) -> tuple[str, str]:
    return (
        f"the workstation is the bottleneck: the clients use {clients_pct:.0f} % of its processors",
        "drive the load from a larger machine, or give the users more think time",
    )


def _alone(label: str, busiest_pct: float) -> tuple[str, str]:
    return (
        f"the workstation is the bottleneck: client {label} uses {busiest_pct:.0f} % of a processor",
        "a client is one process and can use no more; spread its users over more clients",
    )
