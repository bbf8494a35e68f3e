"""Maps the columns of sar, sadf and iostat, which differ between versions, to figures by name.

Sources: the manual pages sar(1) and iostat(1) of sysstat 12. Called by the readers of those tools' files.
"""

from collections.abc import Mapping, Sequence

from engine.telemetry.host_figure import HostFigure

_BITS = 8 * 1024 / 1e6
_KIB_IN_MB, _MIB_IN_MB, _SECTORS_IN_MB = 1024 / 1e6, 1024 * 1024 / 1e6, 512 / 1e6
_DEVICES = ("CPU", "DEV", "IFACE", "Device", "Device:")
_HOST = frozenset(("-1", "all"))

_FIGURES = {
    "tps": HostFigure.DISK_TRANSFERS,
    "rtps": HostFigure.DISK_READS,
    "wtps": HostFigure.DISK_WRITES,
    "r/s": HostFigure.DISK_READS,
    "w/s": HostFigure.DISK_WRITES,
    "%util": HostFigure.DISK_UTILISATION,
    "await": HostFigure.DISK_LATENCY,
    "r_await": HostFigure.DISK_READ_LATENCY,
    "w_await": HostFigure.DISK_WRITE_LATENCY,
    "aqu-sz": HostFigure.DISK_QUEUE,
    "avgqu-sz": HostFigure.DISK_QUEUE,
}
_THROUGHPUT = {
    "rkB/s": (HostFigure.DISK_READ_THROUGHPUT, _KIB_IN_MB),
    "wkB/s": (HostFigure.DISK_WRITE_THROUGHPUT, _KIB_IN_MB),
    "rMB/s": (HostFigure.DISK_READ_THROUGHPUT, _MIB_IN_MB),
    "wMB/s": (HostFigure.DISK_WRITE_THROUGHPUT, _MIB_IN_MB),
    "rd_sec/s": (HostFigure.DISK_READ_THROUGHPUT, _SECTORS_IN_MB),
    "wr_sec/s": (HostFigure.DISK_WRITE_THROUGHPUT, _SECTORS_IN_MB),
}
_NETWORK = {"rxkB/s": HostFigure.NETWORK_RECEIVED, "txkB/s": HostFigure.NETWORK_SENT}


def device_column(names: Sequence[str]) -> str | None:
    """The index of the device's column; ``None`` when the figures are the host's."""
    return next((name for name in names if name in _DEVICES), None)


def device_of(text: str) -> str:
    """A device's name in a series; all processors together are the host, without a name."""
    return "" if text in _HOST else text


def has_figures(names: Sequence[str]) -> bool:
    """Whether a table with these columns contains a known figure."""
    return bool(figures_of(dict.fromkeys(names, 0.0)))


def figures_of(values: Mapping[str, float]) -> dict[HostFigure, float]:
    """The figures of one row, by its columns' names; NaN where a value is missing.

    A processor that waits for disks is idle: CPU is what ``%idle`` and ``%iowait`` leave of 100 %. A disk's transfers
    are its reads and writes; a kB of disks and networks is 1,024 bytes, and an await is in milliseconds.
    """
    figures = {figure: values[name] for name, figure in _FIGURES.items() if name in values}
    figures |= {figure: values[name] * factor for name, (figure, factor) in _THROUGHPUT.items() if name in values}
    figures |= {figure: values[name] * _BITS for name, figure in _NETWORK.items() if name in values}
    if "%idle" in values:
        figures[HostFigure.CPU] = max(100 - values["%idle"] - values.get("%iowait", 0.0), 0.0)
    if "r/s" in values and "w/s" in values:
        figures[HostFigure.DISK_TRANSFERS] = values["r/s"] + values["w/s"]
    return figures
