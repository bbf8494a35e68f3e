"""The figures of hosts and meters that have one name, whatever reads them: a file's reader or a collector."""

from enum import StrEnum

SESSIONS = "sessions"
"""The unit of how many sessions of a database do something, or wait for something."""


class HostFigure(StrEnum):
    """Figures that every source has under another name; the value is Spindle's name.

    ``CPU`` is the use of all processors without the time that they waited for disks. A pressure is the share of time
    in which some tasks waited for the resource (Linux: ``/proc/pressure``). ``NETWORK_SPEED`` is what an interface's
    link can carry in one direction, ``REPLICATION_LAG`` how far a standby, the device, is behind in what it has
    applied. A database's ``LOG_WRITTEN`` is its transaction log, ``BUFFER_HITS`` the share of pages that were found in
    its buffer, ``COMMITS`` those of the databases that are driven, or of the server.
    """

    CPU = "CPU"
    CPU_IO_WAIT = "CPU I/O wait"
    CPU_STEAL = "CPU steal"
    CPU_PRESSURE = "CPU pressure"
    DISK_READS = "Disk reads"
    DISK_WRITES = "Disk writes"
    DISK_TRANSFERS = "Disk transfers"
    DISK_UTILISATION = "Disk utilisation"
    DISK_LATENCY = "Disk latency"
    DISK_READ_LATENCY = "Disk read latency"
    DISK_WRITE_LATENCY = "Disk write latency"
    DISK_QUEUE = "Disk queue"
    DISK_READ_THROUGHPUT = "Disk read throughput"
    DISK_WRITE_THROUGHPUT = "Disk write throughput"
    IO_PRESSURE = "I/O pressure"
    MEMORY_USED = "Memory used"
    MEMORY_AVAILABLE = "Memory available"
    MEMORY_PRESSURE = "Memory pressure"
    SWAP_USED = "Swap used"
    SWAPPED_IN = "Swapped in"
    SWAPPED_OUT = "Swapped out"
    NETWORK = "Network"
    NETWORK_RECEIVED = "Network received"
    NETWORK_SENT = "Network sent"
    NETWORK_SPEED = "Network speed"
    REPLICATION_LAG = "Replication lag"
    LOG_WRITTEN = "Log written"
    BUFFER_HITS = "Buffer hits"
    COMMITS = "Commits"
    POWER = "Power"

    @property
    def unit(self) -> str:
        return _UNITS[self]


_UNITS = {
    HostFigure.CPU: "%",
    HostFigure.CPU_IO_WAIT: "%",
    HostFigure.CPU_STEAL: "%",
    HostFigure.CPU_PRESSURE: "%",
    HostFigure.DISK_READS: "ops/s",
    HostFigure.DISK_WRITES: "ops/s",
    HostFigure.DISK_TRANSFERS: "ops/s",
    HostFigure.DISK_UTILISATION: "%",
    HostFigure.DISK_LATENCY: "ms",
    HostFigure.DISK_READ_LATENCY: "ms",
    HostFigure.DISK_WRITE_LATENCY: "ms",
    HostFigure.DISK_QUEUE: "count",
    HostFigure.DISK_READ_THROUGHPUT: "MB/s",
    HostFigure.DISK_WRITE_THROUGHPUT: "MB/s",
    HostFigure.IO_PRESSURE: "%",
    HostFigure.MEMORY_USED: "%",
    HostFigure.MEMORY_AVAILABLE: "MB",
    HostFigure.MEMORY_PRESSURE: "%",
    HostFigure.SWAP_USED: "MB",
    HostFigure.SWAPPED_IN: "MB/s",
    HostFigure.SWAPPED_OUT: "MB/s",
    HostFigure.NETWORK: "Mb/s",
    HostFigure.NETWORK_RECEIVED: "Mb/s",
    HostFigure.NETWORK_SENT: "Mb/s",
    HostFigure.NETWORK_SPEED: "Mb/s",
    HostFigure.REPLICATION_LAG: "s",
    HostFigure.LOG_WRITTEN: "MB/s",
    HostFigure.BUFFER_HITS: "%",
    HostFigure.COMMITS: "1/s",
    HostFigure.POWER: "W",
}
