"""An ESXi host by its own esxtop over SSH, in batch mode.

Its rows have tens of thousands of columns. Read are: the use of the processors, the ready time of each virtual machine,
the free memory, adapters and devices of disks, and the ports of physical network cards.
"""

import threading
from collections.abc import Generator, Sequence
from contextlib import closing
from datetime import UTC

from engine.analysis.host.performance_monitor import PATH
from engine.collect.source import SourceReading
from engine.collect.sources.counter_rows import columns_read, first_line, readings_of
from engine.collect.sources.remote_clock import RemoteClock
from engine.collect.ssh_program import ssh_program
from engine.errors import BadInput, UserError
from engine.machines.access import SshAccess

# esxtop's own least.
_LEAST_INTERVAL_SECONDS = 2.0
_CLOCK = "while read -r line; do date +%s; done"
_MOST_COLUMNS = 256
_OWN_GROUPS = ("host", "system", "helper", "drivers", "ft", "vmotion", "init", "idle")


class EsxtopSource:
    """Reads a host every 2 s or more; its stamps, and so the readings, have whole seconds."""

    name = "esxtop over SSH"
    is_average = False

    def __init__(self, access: SshAccess, *, machine: str, interval_seconds: float = 1.0) -> None:
        self.interval_seconds = float(max(round(interval_seconds), _LEAST_INTERVAL_SECONDS))
        self._access = access
        self._machine = machine

    def readings(self, stop: threading.Event) -> Generator[SourceReading, None, None]:
        command = f"esxtop -b -d {self.interval_seconds:g}"
        clock = RemoteClock(self._access, _CLOCK, machine=self._machine, resolution_seconds=0.5, ahead_seconds=0.5)
        with closing(clock), closing(ssh_program(self._access, command, machine=self._machine)) as program:
            header = first_line(program, stop, self._machine)
            if header is None:
                return
            try:
                columns = columns_read(_wanted(header))
            except BadInput as error:
                raise UserError(f"{self._machine}: esxtop has none of the counters that are read.") from error
            yield from readings_of(
                program,
                columns[:_MOST_COLUMNS],
                clock,
                stop,
                machine=self._machine,
                width=len(header),
                zone=UTC,
                interval_seconds=self.interval_seconds,
                skipped_rows=1,  # it is of the time since the host was started
            )


def _wanted(header: Sequence[str]) -> list[str]:
    """The header with blanks in place of what is not read."""
    return [path if _is_wanted(path) else "" for path in header]


def _is_wanted(path: str) -> bool:
    found = PATH.fullmatch(path)
    if found is None:
        return False
    instance, counter = (found["instance"] or "").lower(), found["counter"].lower()
    match found["object"].lower():
        case "physical cpu":
            return instance == "_total" and counter == "% util time"
        case "group cpu":
            return counter == "% ready" and instance.partition(":")[2] not in _OWN_GROUPS
        case "memory":
            return counter == "free mbytes"
        case "network port":
            return ":vmnic" in instance and counter in ("mbits received/sec", "mbits transmitted/sec")
        case "physical disk adapter" | "physical disk scsi device":
            return counter in _DISK_COUNTERS
    return False


_DISK_COUNTERS = (
    "reads/sec",
    "writes/sec",
    "commands/sec",
    "mbytes read/sec",
    "mbytes written/sec",
    "average guest millisec/read",
    "average guest millisec/write",
)
