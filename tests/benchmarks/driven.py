"""The result of one measurement, the same type for every driver: what it did, and what its processes used.

The span is the same for orders and processor time, and begins after a warm-up that counts for neither.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import psutil


@dataclass(frozen=True, kw_only=True)
class Cpu:
    """Processor time in seconds."""

    user: float
    system: float

    @property
    def total(self) -> float:
        return self.user + self.system

    def __add__(self, other: "Cpu") -> "Cpu":
        return Cpu(user=self.user + other.user, system=self.system + other.system)

    def __sub__(self, other: "Cpu") -> "Cpu":
        return Cpu(user=self.user - other.user, system=self.system - other.system)


NO_CPU = Cpu(user=0.0, system=0.0)


@dataclass(frozen=True, kw_only=True)
class Driven:
    """Orders processed (also those that were rolled back) within ``seconds``, and what the driver's processes used for
    them; ``peak_memory_mb`` is the sum of its processes' peaks, ``retries`` how often a deadlock's victim tried again.
    ``began_at`` is when the seconds began, by the wall clock; 0 of a driver that does not say it.
    """

    orders: int
    seconds: float
    cpu: Cpu
    peak_memory_mb: float
    retries: int
    began_at: float = 0.0

    def of_share(self, share: float) -> "Driven":
        """The same, where a share of what was processed was orders."""
        return replace(self, orders=round(self.orders * share))

    @property
    def orders_per_second(self) -> float:
        return self.orders / self.seconds

    @property
    def user_us(self) -> float:
        """User time of an order, in microseconds."""
        return self.cpu.user / self.orders * 1e6

    @property
    def system_us(self) -> float:
        return self.cpu.system / self.orders * 1e6

    @property
    def cpu_us(self) -> float:
        return self.cpu.total / self.orders * 1e6


def cpu_of(process: psutil.Process) -> Cpu:
    """What a process has used since it began."""
    times = process.cpu_times()
    return Cpu(user=times.user, system=times.system)


def cpu_of_all(processes: Iterable[psutil.Process]) -> Cpu:
    return sum((cpu_of(process) for process in processes), NO_CPU)


def peak_memory_mb(process: psutil.Process) -> float:
    """The most memory that a process has held; where the system does not tell, what it holds now."""
    try:
        lines = Path(f"/proc/{process.pid}/status").read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        lines = []
    peaks = [int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM:")]
    return peaks[0] if peaks else process.memory_info().rss / 2**20
