"""Identifies the process that drives a run, to find runs in progress whose process has ended."""

from dataclasses import dataclass

import psutil

_SAME_SECONDS = 0.05


@dataclass(frozen=True)
class Owner:
    """A process: its ``pid``, and when it was ``created``, since the system reuses pids; see ``_created``."""

    pid: int
    created: float

    def is_alive(self) -> bool:
        """Whether exactly this process still runs; a zombie does not count as running."""
        try:
            process = psutil.Process(self.pid)
            if process.status() == psutil.STATUS_ZOMBIE:
                return False
            return abs(_created(process) - self.created) <= _SAME_SECONDS
        except psutil.NoSuchProcess:
            return False
        except psutil.AccessDenied:
            return True


def this_process() -> Owner:
    process = psutil.Process()
    return Owner(process.pid, _created(process))


def _created(process: psutil.Process) -> float:
    """When a process began, in seconds that do not change when the system's clock is set.

    Linux counts from the system's start; psutil adds the boot time, which moves with the clock. Other systems record
    the time of day when the process begins.
    """
    created: float = process.create_time()
    return created - psutil.boot_time() if psutil.LINUX else created
