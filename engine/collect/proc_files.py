"""Parses the files of Linux's ``/proc`` that have a host's counters; proc(5) and the kernel's documentation describe
them (``Documentation/admin-guide/iostats.rst``, ``Documentation/accounting/psi.rst``).

A line that is not as expected is left out: a kernel may lack it, and later ones append fields.
"""

import math
import re
from collections.abc import Collection, Iterable, Mapping

from engine.collect.disk_names import is_disk
from engine.collect.host_counters import CpuTimes, DiskCounts, InterfaceCounts, MemoryState

_SECTOR_BYTES = 512  # in these files, whatever the device's own sectors are
_KIB = 1024
_DISK_FIELDS = 14
_INTERFACE_FIELDS = 16
_MEMORY_LINE = re.compile(r"(\w+):?\s+(\d+)")
_TOTAL = re.compile(r"some .*total=(\d+)")


def cpu_times(line: str) -> CpuTimes | None:
    """The line ``cpu`` of ``/proc/stat``: user, nice, system, idle, iowait, irq, softirq, steal, guest, guest_nice."""
    name, *fields = line.split() or [""]
    if name != "cpu" or len(fields) < 4 or not all(map(str.isdecimal, fields)):
        return None
    times = [float(field) for field in fields[:8]]  # the time of guests is also in user and nice
    return CpuTimes(sum(times), times[3], times[4] if len(times) > 4 else None, times[7] if len(times) > 7 else None)


def disk_counts(lines: Iterable[str], whole: Collection[str] = ()) -> dict[str, DiskCounts]:
    """The disks of ``/proc/diskstats``; ``whole`` are the names in ``/sys/block``, if they are known."""
    found = {}
    for line in lines:
        fields = line.split()
        if len(fields) < _DISK_FIELDS or not is_disk(fields[2], whole) or not all(map(str.isdecimal, fields[3:14])):
            continue
        reads, _, read_sectors, read_ms, writes, _, write_sectors, write_ms, _, busy_ms, queued_ms = map(
            float, fields[3:14]
        )
        found[fields[2]] = DiskCounts(
            reads=reads,
            writes=writes,
            read_bytes=read_sectors * _SECTOR_BYTES,
            write_bytes=write_sectors * _SECTOR_BYTES,
            read_ms=read_ms,
            write_ms=write_ms,
            busy_ms=busy_ms,
            queued_ms=queued_ms,
        )
    return found


def interface_counts(lines: Iterable[str], speeds_mbps: Mapping[str, float]) -> dict[str, InterfaceCounts]:
    """The interfaces of ``/proc/net/dev``, with those speeds of their links that are known."""
    found = {}
    for line in lines:
        name, colon, counts = line.rpartition(":")  # an alias has a colon in its name
        fields = counts.split()
        if colon and len(fields) >= _INTERFACE_FIELDS and all(map(str.isdecimal, fields)):
            name = name.strip()
            found[name] = InterfaceCounts(float(fields[0]), float(fields[8]), speeds_mbps.get(name))
    return found


def memory_state(lines: Iterable[str]) -> MemoryState | None:
    """``/proc/meminfo``, and what is swapped of ``/proc/vmstat`` behind it, if it is there.

    Before Linux 3.14, what is available is estimated as what is free or a cache.
    """
    known = {match[1]: float(match[2]) for line in lines if (match := _MEMORY_LINE.match(line))}
    if "MemTotal" not in known:
        return None
    cached = sum(known.get(name, 0.0) for name in ("MemFree", "Buffers", "Cached"))
    has_swap, page_bytes = {"SwapTotal", "SwapFree"} <= known.keys(), _page_bytes(known)
    return MemoryState(
        known["MemTotal"] * _KIB,
        known.get("MemAvailable", cached) * _KIB,
        (known["SwapTotal"] - known["SwapFree"]) * _KIB if has_swap else None,
        *(known[name] * page_bytes if page_bytes and name in known else None for name in ("pswpin", "pswpout")),
    )


def _page_bytes(known: Mapping[str, float]) -> int | None:
    """The size of a page, a power of 2: the free memory is in both files, here in KiB and there in pages."""
    free_kib, free_pages = known.get("MemFree"), known.get("nr_free_pages")
    return 2 ** round(math.log2(free_kib * _KIB / free_pages)) if free_kib and free_pages else None


def pressure_total_us(text: str) -> float | None:
    """The time in µs in which some tasks waited, of a file in ``/proc/pressure``."""
    found = _TOTAL.search(text)
    return None if found is None else float(found[1])
