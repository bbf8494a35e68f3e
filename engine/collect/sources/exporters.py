"""The exporters that are known by name, node_exporter and windows_exporter: their metrics as a host's counters.

The names are those of node_exporter 1.x and of windows_exporter from 0.16 on; older names of one metric stand behind
the newer.
"""

from collections.abc import Mapping
from typing import Protocol

from engine.collect.disk_names import is_disk
from engine.collect.host_counters import CpuTimes, DiskCounts, HostCounters, InterfaceCounts, MemoryState
from engine.collect.sources.disk_idle import BusyTimes
from engine.collect.sources.metrics_page import Metrics


class Exporter(Protocol):
    """One kind of exporter. It may keep what it needs from one page to the next."""

    name: str
    metrics: frozenset[str]

    def utc_seconds(self, metrics: Metrics) -> float | None:
        """The host's clock, if the page has it."""
        ...

    def counters(self, metrics: Metrics, at_seconds: float) -> HostCounters: ...


class NodeExporter:
    """Linux, by Prometheus' node_exporter."""

    name = "node_exporter"
    _PRESSURES: Mapping[str, str] = {
        resource: f"node_pressure_{resource}_waiting_seconds_total" for resource in ("cpu", "io", "memory")
    }
    _DISKS = (
        "node_disk_reads_completed_total",
        "node_disk_writes_completed_total",
        "node_disk_read_bytes_total",
        "node_disk_written_bytes_total",
    )
    _DISK_TIMES = (
        "node_disk_read_time_seconds_total",
        "node_disk_write_time_seconds_total",
        "node_disk_io_time_seconds_total",
        "node_disk_io_time_weighted_seconds_total",
    )
    _INTERFACES = ("node_network_receive_bytes_total", "node_network_transmit_bytes_total")
    _SPEED = "node_network_speed_bytes"
    _MEMORY = tuple(f"node_memory_{what}_bytes" for what in ("MemTotal", "MemAvailable", "SwapTotal", "SwapFree"))
    metrics = frozenset(
        (
            "node_time_seconds",
            "node_cpu_seconds_total",
            *_PRESSURES.values(),
            *_DISKS,
            *_DISK_TIMES,
            *_INTERFACES,
            _SPEED,
            *_MEMORY,
        )
    )

    def utc_seconds(self, metrics: Metrics) -> float | None:
        return _single(metrics, "node_time_seconds")

    def counters(self, metrics: Metrics, at_seconds: float) -> HostCounters:
        times = [_by_label(metrics, name, "device") for name in self._DISK_TIMES]
        disks = {
            device: DiskCounts(*counts, *(_ms(each.get(device)) for each in times))
            for device, counts in _known(metrics, "device", self._DISKS).items()
            if is_disk(device)
        }
        speeds = _by_label(metrics, self._SPEED, "device")
        total, available, swap, swap_free = (_single(metrics, each) for each in self._MEMORY)
        has_swap = swap is not None and swap_free is not None
        return HostCounters(
            at_seconds=at_seconds,
            cpu=self._cpu(metrics),
            disks=disks,
            interfaces={
                device: InterfaceCounts(*counts)._replace(speed_mbps=_mbps(speeds.get(device)))
                for device, counts in _known(metrics, "device", self._INTERFACES).items()
                if device != "lo"
            },
            memory=None
            if total is None or available is None
            else MemoryState(total, available, (swap or 0.0) - (swap_free or 0.0) if has_swap else None),
            pressure_us={
                resource: 1e6 * seconds
                for resource, metric in self._PRESSURES.items()
                if (seconds := _single(metrics, metric)) is not None
            },
        )

    def _cpu(self, metrics: Metrics) -> CpuTimes | None:
        times = _by_label(metrics, "node_cpu_seconds_total", "mode")
        if "idle" not in times:
            return None
        return CpuTimes(sum(times.values()), times["idle"], times.get("iowait"), times.get("steal"))


class WindowsExporter:
    """Windows, by windows_exporter. A disk is busy for the time that its idle time leaves."""

    name = "windows_exporter"
    _CLOCKS = ("windows_time_current_timestamp_seconds", "windows_os_time")
    _DISKS = tuple(f"windows_logical_disk_{what}_total" for what in ("reads", "writes", "read_bytes", "write_bytes"))
    _DISK_TIMES = tuple(f"windows_logical_disk_{what}_latency_seconds_total" for what in ("read", "write"))
    _DISK_IDLE = "windows_logical_disk_idle_seconds_total"
    _INTERFACES = ("windows_net_bytes_received_total", "windows_net_bytes_sent_total")
    _SPEED = "windows_net_current_bandwidth_bytes"
    _MEMORY_TOTAL = (
        "windows_memory_physical_total_bytes",
        "windows_cs_physical_memory_bytes",
        "windows_os_visible_memory_bytes",
    )
    _MEMORY_AVAILABLE = ("windows_memory_available_bytes", "windows_os_physical_memory_free_bytes")
    metrics = frozenset(
        (
            "windows_cpu_time_total", *_CLOCKS, *_DISKS, *_DISK_TIMES, _DISK_IDLE, *_INTERFACES, _SPEED,
            *_MEMORY_TOTAL, *_MEMORY_AVAILABLE,
        )
    )  # fmt: skip

    def __init__(self) -> None:
        self._busy_times = BusyTimes()

    def utc_seconds(self, metrics: Metrics) -> float | None:
        return _first(metrics, self._CLOCKS)

    def counters(self, metrics: Metrics, at_seconds: float) -> HostCounters:
        reading, writing = (_by_label(metrics, name, "volume") for name in self._DISK_TIMES)
        idle, busy = _by_label(metrics, self._DISK_IDLE, "volume"), self._busy_times
        disks = {
            volume: DiskCounts(*counts)._replace(
                read_ms=_ms(reading.get(volume)),
                write_ms=_ms(writing.get(volume)),
                busy_ms=_ms(busy.busy_seconds(volume, idle[volume], at_seconds)) if volume in idle else None,
            )
            for volume, counts in _known(metrics, "volume", self._DISKS).items()
        }
        speeds = _by_label(metrics, self._SPEED, "nic")
        total, available = _first(metrics, self._MEMORY_TOTAL), _first(metrics, self._MEMORY_AVAILABLE)
        return HostCounters(
            at_seconds=at_seconds,
            cpu=self._cpu(metrics),
            disks=disks,
            interfaces={
                nic: InterfaceCounts(*counts)._replace(speed_mbps=_mbps(speeds.get(nic)))
                for nic, counts in _known(metrics, "nic", self._INTERFACES).items()
            },
            memory=None if total is None or available is None else MemoryState(total, available),
        )

    def _cpu(self, metrics: Metrics) -> CpuTimes | None:
        """Windows counts the time of interrupts in that of the kernel, too."""
        times = _by_label(metrics, "windows_cpu_time_total", "mode")
        if not {"idle", "user", "privileged"} <= times.keys():
            return None
        return CpuTimes(times["idle"] + times["user"] + times["privileged"], times["idle"])


def exporter_of(text: str) -> Exporter | None:
    """The exporter that has written a page, if it is known."""
    for line in text.splitlines():
        if line.startswith(("node_cpu_seconds_total", "node_time_seconds")):
            return NodeExporter()
        if line.startswith(("windows_cpu_time_total", "windows_exporter_")):
            return WindowsExporter()
    return None


def _single(metrics: Metrics, metric: str) -> float | None:
    samples = metrics.get(metric)
    return samples[0][1] if samples else None


def _first(metrics: Metrics, names: tuple[str, ...]) -> float | None:
    return next((value for name in names if (value := _single(metrics, name)) is not None), None)


def _by_label(metrics: Metrics, metric: str, label: str) -> dict[str, float]:
    """The sums of a metric's samples by a label's values."""
    sums: dict[str, float] = {}
    for labels, value in metrics.get(metric, ()):
        sums[labels.get(label, "")] = sums.get(labels.get(label, ""), 0.0) + value
    return sums


def _known(metrics: Metrics, label: str, names: tuple[str, ...]) -> dict[str, list[float]]:
    """The values of several metrics by a label's value, of those values that all of the metrics have."""
    first, *others = (_by_label(metrics, name, label) for name in names)
    return {
        device: [value, *(each[device] for each in others)]
        for device, value in first.items()
        if all(device in each for each in others)
    }


def _mbps(bytes_per_second: float | None) -> float | None:
    return None if bytes_per_second is None else 8e-6 * bytes_per_second


def _ms(seconds: float | None) -> float | None:
    return None if seconds is None else 1000.0 * seconds
