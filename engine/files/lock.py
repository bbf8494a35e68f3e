"""A lock between programs: a file that one of them holds. The system takes it back when its holder dies.

(The Windows half is untested.)
"""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from engine.errors import UserError

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

_POLL_SECONDS = 0.02


class FileLock:
    """The lock of a path, whose folder has to exist; the empty file stays."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: IO[bytes] | None = None

    def acquire(self) -> bool:
        """Take the lock without waiting; returns whether it was free."""
        file = self._path.open("ab")
        try:
            if sys.platform == "win32":
                msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
            else:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            file.close()
            return False
        self._file = file
        return True

    def is_free(self) -> bool:
        """Whether the lock was free just now."""
        free = self.acquire()
        self.release()
        return free

    def release(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None


@contextmanager
def changing(path: Path, *, wait_seconds: float = 10.0) -> Iterator[None]:
    """Hold the lock of a file that is read, changed and written; raises ``UserError`` when another holds it longer."""
    lock = FileLock(path.with_name(f".{path.name}.lock"))
    deadline = time.monotonic() + wait_seconds
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        while not lock.acquire():
            if time.monotonic() > deadline:
                raise UserError(f"{path} is being changed by another program; try again when that has ended.")
            time.sleep(_POLL_SECONDS)
    except OSError as error:
        raise UserError(f"{path} can't be written ({error.strerror or error}); choose another home folder.") from error
    try:
        yield
    finally:
        lock.release()
