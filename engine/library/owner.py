"""Which process a run belongs to, so that a run that is going on can be told from one whose process died."""

from dataclasses import dataclass

import psutil

_SAME_SECONDS = 2.0


@dataclass(frozen=True)
class Owner:
    """A process: its ``pid``, and when it was ``created`` (seconds since 1970), for pids are given out again."""

    pid: int
    created: float

    def is_alive(self) -> bool:
        """Whether that very process still runs; one that ended but wasn't waited for doesn't.

        Linux reckons the time of creation from the system's clock, which may have been set right since: a difference
        of up to two seconds is none.
        """
        try:
            process = psutil.Process(self.pid)
            if process.status() == psutil.STATUS_ZOMBIE:
                return False
            created: float = process.create_time()
            return abs(created - self.created) <= _SAME_SECONDS
        except psutil.NoSuchProcess:
            return False
        except psutil.AccessDenied:
            return True


def this_process() -> Owner:
    process = psutil.Process()
    return Owner(process.pid, process.create_time())
