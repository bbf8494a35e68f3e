"""Puts the tests' files into memory, if the system offers that and has enough.

The tests commit thousands of transactions durably, to servers and libraries of their own, and each waits for the disk;
on one that others use as well that is most of the suite's time. A process that is killed leaves the same behind in
memory as on a disk.
"""

import fcntl
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

import psutil

_MEMORY = Path("/dev/shm")
_PREFIX = "spindle-tests-in-memory-"
_NEEDED_BYTES = 8 * 1024**3
_VARIABLE = "TMPDIR"


def use_memory_for_files() -> Callable[[], None] | None:
    """Have temporary files in memory from now on, also those of processes that are started.

    Returns what removes them in the end; ``None`` where there is no room, or where ``TMPDIR`` says where they belong.
    """
    if _VARIABLE in os.environ or not _has_room():
        return None
    _remove_left_over()
    made = Path(tempfile.mkdtemp(dir=_MEMORY))
    made.chmod(0o755)  # as root, servers run under another account, which has to be able to enter
    lock = os.open(made, os.O_RDONLY)
    fcntl.flock(lock, fcntl.LOCK_EX)
    folder = made.rename(_MEMORY / f"{_PREFIX}{made.name}")  # has its lock before others can find it
    os.environ[_VARIABLE] = str(folder)
    tempfile.tempdir = None

    def remove() -> None:
        del os.environ[_VARIABLE]
        tempfile.tempdir = None
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)

    return remove


def _has_room() -> bool:
    if not os.access(_MEMORY, os.W_OK):
        return False
    return min(shutil.disk_usage(_MEMORY).free, psutil.virtual_memory().available) > _NEEDED_BYTES


def _remove_left_over() -> None:
    """Of tests that were killed, nobody holds the folder's lock any more."""
    for folder in _MEMORY.glob(f"{_PREFIX}*"):
        try:
            lock = os.open(folder, os.O_RDONLY)
        except OSError:
            continue  # another account's, or removed meanwhile
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            pass
        else:
            shutil.rmtree(folder, ignore_errors=True)
        finally:
            os.close(lock)
