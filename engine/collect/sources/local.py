"""This workstation by psutil: processors, disks, interfaces and memory, and on Linux the pressure on them."""

import threading
import time
from collections.abc import Iterator
from pathlib import Path

import psutil

from engine.collect.clock import ticks, utc_now
from engine.collect.disk_names import is_disk
from engine.collect.host_counters import (
    CpuTimes,
    DiskCounts,
    HostCounters,
    InterfaceCounts,
    MemoryState,
    values_between,
)
from engine.collect.proc_files import pressure_total_us
from engine.collect.source import SourceReading

_BLOCK_DEVICES = Path("/sys/block")
_PRESSURE = Path("/proc/pressure")
_RESOURCES = ("cpu", "io", "memory")


class LocalSource:
    """This workstation, whose clock is the run's own."""

    name = "local"
    is_average = False

    def __init__(self, *, interval_seconds: float = 1.0) -> None:
        self.interval_seconds = interval_seconds

    def readings(self, stop: threading.Event) -> Iterator[SourceReading]:
        before: HostCounters | None = None
        for _ in ticks(self.interval_seconds, stop):
            here, now = utc_now(), _counters_now()
            if before is not None:
                yield SourceReading(values=values_between(before, now), here_utc_seconds=here)
            before = now


def _counters_now() -> HostCounters:
    return HostCounters(
        at_seconds=time.monotonic(),
        cpu=_cpu(),
        disks=_disks(),
        interfaces=_interfaces(),
        memory=_memory(),
        pressure_us=_pressure(),
    )


def _cpu() -> CpuTimes:
    times = psutil.cpu_times()._asdict()
    # Linux counts the time of guests in that of their users, too.
    total = sum(times.values()) - times.get("guest", 0.0) - times.get("guest_nice", 0.0)
    return CpuTimes(total, times["idle"], times.get("iowait"), times.get("steal"))


def _disks() -> dict[str, DiskCounts]:
    """Whole disks. Where the system names no disks of its own (macOS, Windows), psutil has no partitions."""
    counts = psutil.disk_io_counters(perdisk=True, nowrap=False) or {}
    whole = {path.name for path in _BLOCK_DEVICES.iterdir()} if _BLOCK_DEVICES.is_dir() else counts.keys()
    return {
        name: DiskCounts(
            reads=each.read_count,
            writes=each.write_count,
            read_bytes=each.read_bytes,
            write_bytes=each.write_bytes,
            read_ms=each.read_time,
            write_ms=each.write_time,
            busy_ms=getattr(each, "busy_time", None),
        )
        for name, each in counts.items()
        if name in whole and is_disk(name)
    }


def _interfaces() -> dict[str, InterfaceCounts]:
    links = psutil.net_if_stats()
    return {
        name: InterfaceCounts(counts.bytes_recv, counts.bytes_sent, links[name].speed if name in links else None)
        for name, counts in psutil.net_io_counters(pernic=True, nowrap=False).items()
    }


def _memory() -> MemoryState:
    memory = psutil.virtual_memory()
    swap = psutil.swap_memory()
    return MemoryState(memory.total, memory.available, swap.used, swap.sin, swap.sout)


def _pressure() -> dict[str, float]:
    """Empty where the kernel does not measure it."""
    found = {}
    for resource in _RESOURCES:
        try:
            text = (_PRESSURE / resource).read_text(encoding="ascii")
        except OSError:
            continue
        if (total_us := pressure_total_us(text)) is not None:
            found[resource] = total_us
    return found
