"""Whether a file can be written, and where else to put it if its disk is full.

Such a spare file is private, and is found again by its name, which contains a hash of the home that it belongs to.
Standard library only.
"""

import hashlib
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

SPARE_VARIABLE = "SPINDLE_RESCUE"
_LEAST_FREE_BYTES = 1_000_000
_PREFIX = "spindle-rescue-"
_NEW_FILE = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)


def why_unwritable(path: Path) -> str:
    """Why a file can't be written or enlarged; empty if it can."""
    folder = path.parent
    try:
        if hasattr(os, "statvfs"):
            system = os.statvfs(folder)
            if system.f_flag & os.ST_RDONLY:
                return "its disk is read-only"
            is_root = os.geteuid() == 0
            free = (system.f_bfree if is_root else system.f_bavail) * system.f_frsize
        else:
            free = shutil.disk_usage(folder).free
    except OSError:
        return ""
    if not os.access(folder, os.W_OK) or (path.exists() and not os.access(path, os.W_OK)):
        return "you have no right to write to it"
    return "its disk is full" if free < _LEAST_FREE_BYTES else ""


def spare_folders() -> list[Path]:
    """The folders for spare files, beginning with those that survive a restart of the machine; only one if the
    environment names it."""
    if chosen := os.environ.get(SPARE_VARIABLE):
        return [folder for folder in [Path(chosen).expanduser()] if folder.is_dir()]
    folders = [Path("/var/tmp"), Path(tempfile.gettempdir())]  # noqa: S108 - the files' names and modes are their own
    with suppress(RuntimeError):
        folders.insert(0, Path.home())
    return [folder for folder in dict.fromkeys(folders) if folder.is_dir()]


def spare_name(home: Path, what: str) -> str:
    """The name of a spare file; ``what`` may be a pattern, and includes the file extension."""
    stem, dot, ending = what.rpartition(".")
    of_home = hashlib.sha256(str(home.resolve()).encode()).hexdigest()[:8]
    return f"{_PREFIX}{stem}-{of_home}{dot}{ending}"


def label_of_spare(path: Path) -> str:
    """The ``what`` of a spare file's name, without its extension."""
    return path.stem.removeprefix(_PREFIX).rpartition("-")[0]


def spare_paths(name: str) -> Iterator[Path]:
    """The paths at which a spare file with this name could be written, the best first."""
    return (folder / name for folder in spare_folders() if not why_unwritable(folder / name))


def found_spares(name: str) -> list[Path]:
    """The spare files with a name or pattern, except those of other users and links."""
    return sorted(path for folder in spare_folders() for path in folder.glob(name) if _is_ours(path))


def open_new(path: Path) -> int:
    """Create a file that only its owner can read; raises ``OSError``, also if it exists."""
    return os.open(path, _NEW_FILE, 0o600)


def _is_ours(path: Path) -> bool:
    with suppress(OSError):
        found = path.lstat()
        return stat.S_ISREG(found.st_mode) and (not hasattr(os, "geteuid") or found.st_uid == os.geteuid())
    return False
