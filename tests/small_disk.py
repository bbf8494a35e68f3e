"""A file system of a few megabytes that can be filled up, for tests of what is done when a disk is full.

It is a real one (tmpfs), so that every layer meets the system's own errors; where it can't be mounted, the test is
skipped.
"""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

_CHUNKS = (1 << 20, 4096, 64)


class SmallDisk:
    """The file system mounted on ``path``."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._ballast = path / "ballast"

    def fill(self) -> None:
        """Leave no byte free."""
        with self._ballast.open("ab", buffering=0) as file:
            for size in _CHUNKS:
                try:
                    while True:
                        file.write(bytes(size))
                except OSError:
                    continue

    def make_room(self) -> None:
        self._ballast.unlink(missing_ok=True)

    def make_read_only(self) -> None:
        _mount("-o", "remount,ro", str(self.path))

    def make_writable(self) -> None:
        _mount("-o", "remount,rw", str(self.path))


@contextmanager
def small_disk(path: Path, *, megabytes: int = 8) -> Iterator[SmallDisk]:
    """A new file system on a folder that is made for it; skips the test where none can be mounted."""
    path.mkdir()
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        pytest.skip("only root can mount a small file system to fill up")
    try:
        _mount("-t", "tmpfs", "-o", f"size={megabytes}m,mode=755", "tmpfs", str(path))
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"a small file system can't be mounted here: {error}")
    try:
        yield SmallDisk(path)
    finally:
        subprocess.run(["umount", "--lazy", str(path)], check=True, timeout=120)


def _mount(*arguments: str) -> None:
    subprocess.run(["mount", *arguments], check=True, capture_output=True, timeout=120)
