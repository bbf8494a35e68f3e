"""A key that identifies a process among all others, on any machine and at any time; stored with a lease.

For the key of a process of this machine, it can be checked whether the process has ended; a process elsewhere is
presumed dead when its heartbeats stop.
"""

import os
import sys
import uuid
from functools import cache
from pathlib import Path

import psutil

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
_PROCESS_NAMES = Path("/proc/self/ns/pid")
_SAME_START_SECONDS = 1.0


def process_key() -> str:
    """The key of this process."""
    return f"{_machine()} {os.getpid()} {psutil.Process().create_time():.2f}"


def has_ended(key: str) -> bool:
    """Whether a process is known to have ended; false of one that ran elsewhere."""
    machine, _, process = key.partition(" ")
    if machine != _machine():
        return False
    try:
        number, started = process.split(" ")
        found = psutil.Process(int(number))
        is_same = abs(found.create_time() - float(started)) <= _SAME_START_SECONDS
        return not is_same or found.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True
    except (psutil.Error, ValueError):
        return False


@cache
def _machine() -> str:
    """Identifies this machine since its last boot; on Linux, also the PID namespace of this process."""
    if sys.platform == "linux":
        try:
            return f"{_BOOT_ID.read_text(encoding='ascii').strip()}-{_PROCESS_NAMES.stat().st_ino}"
        except OSError:
            pass  # a system without /proc
    return f"{uuid.getnode():x}-{round(psutil.boot_time())}"
