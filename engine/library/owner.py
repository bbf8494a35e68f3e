"""Which process a run belongs to, so that a run that is going on can be told from one whose process died."""

from dataclasses import dataclass

import psutil

_SAME_SECONDS = 0.05


@dataclass(frozen=True)
class Owner:
    """A process: its ``pid``, and when it was ``created``, for pids are given out again; see ``_created``."""

    pid: int
    created: float

    def is_alive(self) -> bool:
        """Whether that very process still runs; one that ended but wasn't waited for doesn't."""
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
    """When a process began, in seconds that stay the same when somebody sets the system's clock.

    Linux counts from the system's start, and what psutil adds to that moves with the clock; elsewhere the system notes
    the time of day when the process begins.
    """
    created: float = process.create_time()
    return created - psutil.boot_time() if psutil.LINUX else created
