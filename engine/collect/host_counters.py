"""The counters of an operating system at a moment, and the figures that two moments give.

Systems count since their start; rates, uses and latencies are of the time between two readings, computed as ``iostat``
and ``sar`` of sysstat do. A counter that went back was reset, or has wrapped around at 32 bits: then what lies between
is taken if it is plausible, and is unknown otherwise.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from engine.telemetry.host import HostValue
from engine.telemetry.host_figure import HostFigure

_WRAPS_AT = 2**32
# Increases per second beyond these are no wrap-around: requests in flight, operations, bytes.
_MOST_TIMES_BUSY = 10_000.0
_MOST_OPERATIONS = 1e7
_MOST_BYTES = 1e9
_MEGA = 1e6


class CpuTimes(NamedTuple):
    """Times of all processors together since the start, in any unit; ``total`` contains the others."""

    total: float
    idle: float
    io_wait: float | None = None
    steal: float | None = None


class DiskCounts(NamedTuple):
    """Counts of one disk. Times in ms, ``None`` where the system does not measure them.

    ``queued_ms`` is the sum over all requests of the time that they were in the queue or in progress.
    """

    reads: float
    writes: float
    read_bytes: float
    write_bytes: float
    read_ms: float | None = None
    write_ms: float | None = None
    busy_ms: float | None = None
    queued_ms: float | None = None


class InterfaceCounts(NamedTuple):
    """``speed_mbps`` is what its link carries in one direction; ``None``, 0 or less where that is unknown."""

    received_bytes: float
    sent_bytes: float
    speed_mbps: float | None = None


class MemoryState(NamedTuple):
    """What is swapped in and out counts since the start."""

    total_bytes: float
    available_bytes: float
    swap_used_bytes: float | None = None
    swapped_in_bytes: float | None = None
    swapped_out_bytes: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class HostCounters:
    """The counters at ``at_seconds`` of a clock that only goes on. What the system does not have is empty or ``None``.

    ``pressure_us`` is the time in which some tasks waited for a resource: ``cpu``, ``io`` or ``memory``.
    """

    at_seconds: float
    cpu: CpuTimes | None = None
    disks: Mapping[str, DiskCounts] = field(default_factory=dict)
    interfaces: Mapping[str, InterfaceCounts] = field(default_factory=dict)
    memory: MemoryState | None = None
    pressure_us: Mapping[str, float] = field(default_factory=dict)


def values_between(before: HostCounters, now: HostCounters) -> tuple[HostValue, ...]:
    """The figures of the time from ``before`` to ``now``; empty if no time is between them.

    A disk or interface counts from the second reading that has it; one that was never used is left out.
    """
    seconds = now.at_seconds - before.at_seconds
    if seconds <= 0:
        return ()
    return (
        *_cpu_values(before.cpu, now.cpu),
        *_pressure_values(before.pressure_us, now.pressure_us, seconds),
        *_memory_values(now.memory),
        *_swap_values(before.memory, now.memory, seconds),
        *(
            value
            for device, counts in now.disks.items()
            if device in before.disks and any(counts)
            for value in _disk_values(device, before.disks[device], counts, seconds)
        ),
        *(
            value
            for device, counts in now.interfaces.items()
            if device in before.interfaces and (counts.received_bytes or counts.sent_bytes)
            for value in _interface_values(device, before.interfaces[device], counts, seconds)
        ),
    )


def increase(before: float | None, now: float | None, most: float) -> float | None:
    """How much a counter has increased; ``None`` when that is unknown.

    A counter that went back has wrapped around if that means an increase of at most ``most``.
    """
    if before is None or now is None:
        return None
    if now >= before:
        return now - before
    wrapped = now - before + _WRAPS_AT
    return wrapped if 0 <= wrapped <= most else None


def _share_pct(part: float, whole: float) -> float:
    return min(100.0, max(0.0, 100.0 * part / whole))


def _cpu_values(before: CpuTimes | None, now: CpuTimes | None) -> Iterator[HostValue]:
    """A processor that waits for disks is idle; ``idle`` and ``io_wait`` may go back a little."""
    if before is None or now is None or (total := now.total - before.total) <= 0:
        return
    idle = max(0.0, now.idle - before.idle)
    io_wait = max(0.0, (now.io_wait or 0.0) - (before.io_wait or 0.0))
    yield HostValue.of(HostFigure.CPU, _share_pct(total - idle - io_wait, total))
    if now.io_wait is not None:
        yield HostValue.of(HostFigure.CPU_IO_WAIT, _share_pct(io_wait, total))
    if now.steal is not None:
        yield HostValue.of(HostFigure.CPU_STEAL, _share_pct(now.steal - (before.steal or 0.0), total))


_PRESSURES = {"cpu": HostFigure.CPU_PRESSURE, "io": HostFigure.IO_PRESSURE, "memory": HostFigure.MEMORY_PRESSURE}


def _pressure_values(before: Mapping[str, float], now: Mapping[str, float], seconds: float) -> Iterator[HostValue]:
    for resource, figure in _PRESSURES.items():
        if resource in before and resource in now and now[resource] >= before[resource]:
            yield HostValue.of(figure, _share_pct((now[resource] - before[resource]) / 1e6, seconds))


def _memory_values(memory: MemoryState | None) -> Iterator[HostValue]:
    if memory is None or memory.total_bytes <= 0:
        return
    yield HostValue.of(
        HostFigure.MEMORY_USED, _share_pct(memory.total_bytes - memory.available_bytes, memory.total_bytes)
    )
    yield HostValue.of(HostFigure.MEMORY_AVAILABLE, memory.available_bytes / _MEGA)
    if memory.swap_used_bytes is not None:
        yield HostValue.of(HostFigure.SWAP_USED, memory.swap_used_bytes / _MEGA)


def _swap_values(before: MemoryState | None, now: MemoryState | None, seconds: float) -> Iterator[HostValue]:
    if before is None or now is None:
        return
    for figure, was, is_now in (
        (HostFigure.SWAPPED_IN, before.swapped_in_bytes, now.swapped_in_bytes),
        (HostFigure.SWAPPED_OUT, before.swapped_out_bytes, now.swapped_out_bytes),
    ):
        if (moved := increase(was, is_now, _MOST_BYTES * seconds)) is not None:
            yield HostValue.of(figure, moved / seconds / _MEGA)


def _disk_values(device: str, before: DiskCounts, now: DiskCounts, seconds: float) -> Iterator[HostValue]:
    reads = increase(before.reads, now.reads, _MOST_OPERATIONS * seconds)
    writes = increase(before.writes, now.writes, _MOST_OPERATIONS * seconds)
    most_ms = 1000 * seconds * _MOST_TIMES_BUSY
    if reads is not None:
        yield HostValue.of(HostFigure.DISK_READS, reads / seconds, device)
    if writes is not None:
        yield HostValue.of(HostFigure.DISK_WRITES, writes / seconds, device)
    if reads is not None and writes is not None:
        yield HostValue.of(HostFigure.DISK_TRANSFERS, (reads + writes) / seconds, device)
    for figure, was, is_now in (
        (HostFigure.DISK_READ_THROUGHPUT, before.read_bytes, now.read_bytes),
        (HostFigure.DISK_WRITE_THROUGHPUT, before.write_bytes, now.write_bytes),
    ):
        if (moved := increase(was, is_now, _MOST_BYTES * seconds)) is not None:
            yield HostValue.of(figure, moved / seconds / _MEGA, device)
    busy_ms = increase(before.busy_ms, now.busy_ms, most_ms)
    if busy_ms is not None:
        yield HostValue.of(HostFigure.DISK_UTILISATION, _share_pct(busy_ms / 1000, seconds), device)
    read_ms = increase(before.read_ms, now.read_ms, most_ms)
    write_ms = increase(before.write_ms, now.write_ms, most_ms)
    if reads and read_ms is not None:
        yield HostValue.of(HostFigure.DISK_READ_LATENCY, read_ms / reads, device)
    if writes and write_ms is not None:
        yield HostValue.of(HostFigure.DISK_WRITE_LATENCY, write_ms / writes, device)
    if (queued_ms := increase(before.queued_ms, now.queued_ms, most_ms)) is not None:
        yield HostValue.of(HostFigure.DISK_QUEUE, queued_ms / 1000 / seconds, device)


def _interface_values(
    device: str, before: InterfaceCounts, now: InterfaceCounts, seconds: float
) -> Iterator[HostValue]:
    for figure, was, is_now in (
        (HostFigure.NETWORK_RECEIVED, before.received_bytes, now.received_bytes),
        (HostFigure.NETWORK_SENT, before.sent_bytes, now.sent_bytes),
    ):
        if (moved := increase(was, is_now, _MOST_BYTES * seconds)) is not None:
            yield HostValue.of(figure, 8 * moved / seconds / _MEGA, device)
    if now.speed_mbps is not None and now.speed_mbps > 0:
        yield HostValue.of(HostFigure.NETWORK_SPEED, now.speed_mbps, device)
