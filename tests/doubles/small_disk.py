"""A disk that is soon full: a file system in memory of a few megabytes, where this process may mount one."""

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def small_disk(folder: Path, megabytes: int) -> Iterator[Path]:
    """Mount it on the folder, which is made; the test is skipped where that can't be done."""
    mount, umount = shutil.which("mount"), shutil.which("umount")
    if mount is None or umount is None:
        pytest.skip("there is no mount")
    folder.mkdir(parents=True)
    mounted = subprocess.run(
        [mount, "-t", "tmpfs", "-o", f"size={megabytes}m,mode=0777", "tmpfs", str(folder)],
        check=False,
        capture_output=True,
    )
    if mounted.returncode:
        pytest.skip(f"no file system can be mounted here: {mounted.stderr.decode(errors='replace').strip()}")
    try:
        yield folder
    finally:
        subprocess.run([umount, "--lazy", str(folder)], check=True, capture_output=True)
