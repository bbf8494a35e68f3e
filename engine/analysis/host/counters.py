"""The counters of Windows' performance monitor and of esxtop: the figure, or at least the unit, of each.

A counter's unit is only in its name. Latencies become milliseconds, amounts MB, rates of bytes MB/s or Mb/s, so that
counters of one kind share an axis. Sources: Microsoft's descriptions of the counters, and the objects that esxtop's
batch mode writes. Called by the reader of their files, and by the library for files that an earlier version imported.
"""

import re
from dataclasses import dataclass, replace
from typing import TypeVar

from engine.analysis.host.series import HostSeries, Values
from engine.telemetry.host_figure import HostFigure

IDLE, DISK_TIME = "% idle time", "% disk time"
_MEBI = 1024 * 1024
_V = TypeVar("_V", float, Values)


@dataclass(frozen=True, kw_only=True)
class Quantity:
    """A common figure or (``None``) a counter of its own; its unit, and the factor to convert its values.

    For ``is_remainder`` the value is what the values leave of 100.
    """

    unit: str
    factor: float = 1.0
    figure: HostFigure | None = None
    is_remainder: bool = False

    def convert(self, values: _V) -> _V:
        return 100.0 - values if self.is_remainder else self.factor * values


def quantity_of(object_name: str, counter_name: str) -> Quantity:
    """The quantity of an object's counter; its unit is empty if the name does not contain it."""
    name = counter_name.strip().lower()
    known = _KNOWN.get((object_name.strip().lower(), name))
    if known is not None:
        return known
    return next((quantity for pattern, quantity in _BY_NAME if pattern.search(name)), Quantity(unit=""))


def with_known_unit(series: HostSeries) -> HostSeries:
    """A series as imported today: earlier versions stored most counters with the file's units."""
    known = next((figure for figure in HostFigure if figure.value == series.name), None)
    if known is not None:
        return replace(series, unit=known.unit)
    object_name, colon, counter_name = series.name.partition(": ")
    quantity = quantity_of(object_name, counter_name)
    if not colon or quantity.unit == series.unit:
        return series
    name = series.name if quantity.figure is None else quantity.figure.value
    return replace(series, name=name, unit=quantity.unit, values=quantity.convert(series.values))


def _figure(figure: HostFigure, factor: float = 1.0) -> Quantity:
    return Quantity(unit=figure.unit, factor=factor, figure=figure)


_WINDOWS_DISKS = {
    "disk reads/sec": _figure(HostFigure.DISK_READS),
    "disk writes/sec": _figure(HostFigure.DISK_WRITES),
    "disk transfers/sec": _figure(HostFigure.DISK_TRANSFERS),
    "avg. disk sec/read": _figure(HostFigure.DISK_READ_LATENCY, 1000.0),
    "avg. disk sec/write": _figure(HostFigure.DISK_WRITE_LATENCY, 1000.0),
    "avg. disk sec/transfer": _figure(HostFigure.DISK_LATENCY, 1000.0),
    "avg. disk queue length": _figure(HostFigure.DISK_QUEUE),
    "disk read bytes/sec": _figure(HostFigure.DISK_READ_THROUGHPUT, 1e-6),
    "disk write bytes/sec": _figure(HostFigure.DISK_WRITE_THROUGHPUT, 1e-6),
    # What its idle time leaves of 100 %, as "% Disk Time" sums its waiting requests up and goes over 100.
    IDLE: replace(_figure(HostFigure.DISK_UTILISATION), is_remainder=True),
    DISK_TIME: _figure(HostFigure.DISK_UTILISATION),
}
_ESX_DISKS = {
    "reads/sec": _figure(HostFigure.DISK_READS),
    "writes/sec": _figure(HostFigure.DISK_WRITES),
    "commands/sec": _figure(HostFigure.DISK_TRANSFERS),
    "mbytes read/sec": _figure(HostFigure.DISK_READ_THROUGHPUT, _MEBI / 1e6),
    "mbytes written/sec": _figure(HostFigure.DISK_WRITE_THROUGHPUT, _MEBI / 1e6),
    "average guest millisec/command": _figure(HostFigure.DISK_LATENCY),
    "average guest millisec/read": _figure(HostFigure.DISK_READ_LATENCY),
    "average guest millisec/write": _figure(HostFigure.DISK_WRITE_LATENCY),
    "average millisec/read": _figure(HostFigure.DISK_READ_LATENCY),
    "average millisec/write": _figure(HostFigure.DISK_WRITE_LATENCY),
}
_NETWORK = {
    "total": HostFigure.NETWORK,
    "received": HostFigure.NETWORK_RECEIVED,
    "sent": HostFigure.NETWORK_SENT,
}
_KNOWN: dict[tuple[str, str], Quantity] = {
    ("processor", "% processor time"): _figure(HostFigure.CPU),
    ("processor information", "% processor time"): _figure(HostFigure.CPU),
    ("hyper-v hypervisor logical processor", "% total run time"): _figure(HostFigure.CPU),
    ("physical cpu", "% util time"): _figure(HostFigure.CPU),
    **{(disk, name): known for disk in ("physicaldisk", "logicaldisk") for name, known in _WINDOWS_DISKS.items()},
    **{
        (disk, name): known
        for disk in ("physical disk", "physical disk adapter", "physical disk scsi device", "virtual disk")
        for name, known in _ESX_DISKS.items()
    },
    **{
        (interface, f"bytes {way}/sec"): _figure(figure, 8e-6)
        for interface in ("network interface", "network adapter")
        for way, figure in _NETWORK.items()
    },
    ("network interface", "current bandwidth"): _figure(HostFigure.NETWORK_SPEED, 1e-6),
    ("network adapter", "current bandwidth"): _figure(HostFigure.NETWORK_SPEED, 1e-6),
    ("network port", "mbits received/sec"): _figure(HostFigure.NETWORK_RECEIVED),
    ("network port", "mbits transmitted/sec"): _figure(HostFigure.NETWORK_SENT),
}
"""The objects and counters, in lower case, whose figure is known."""


def _named(pattern: str, unit: str, factor: float = 1.0) -> tuple[re.Pattern[str], Quantity]:
    return re.compile(pattern), Quantity(unit=unit, factor=factor)


_BY_NAME = (
    _named(r"%|\bhit ratio\b", "%"),
    _named(r"millisec|\(ms\)|\bms\b", "ms"),
    _named(r"microsec|\(us\)|\(µs\)", "ms", 1e-3),
    _named(r"\bsec(?:onds?)?/\w", "ms", 1e3),
    _named(r"\bmbits\b.*/sec", "Mb/s"),
    _named(r"\b(?:mbytes|mb)\b.*/sec", "MB/s", _MEBI / 1e6),
    _named(r"\b(?:kbytes|kb)\b.*/sec", "MB/s", 1024 / 1e6),
    _named(r"\bbytes\b.*/sec", "MB/s", 1e-6),
    _named(r"/sec\b|\bper sec(?:ond)?\b", "1/s"),
    _named(r"\b(?:mbytes|mb)\b", "MB"),
    _named(r"\b(?:kbytes|kb)\b", "MB", 1 / 1024),
    _named(r"\bbytes\b", "MB", 1 / _MEBI),
    _named(r"\bmhz\b|\bfrequency\b", "MHz"),
    _named(r"\(sec\)|\bseconds\b|\buptime\b|\bup time\b|\blife expectancy\b|\belapsed time\b", "s"),
    _named(
        r"\bqueue length\b|\bcount\b|\bthreads\b|\bprocesses\b|\bhandles\b|\bconnections\b|\btransactions\b|\busers\b"
        r"|\bsessions\b|\bpending\b|\boutstanding\b|\bwaits\b|\bprocessors\b|\bpages\b",
        "count",
    ),
)
"""Units by what a counter's name says, in lower case; the first pattern that is found counts."""
