"""Data directories and stores that take seconds to make: made once for all test processes, and then copied."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

if os.name != "nt":
    import fcntl

folder: Path | None = None
"""Where the templates are, for all processes of the tests; without it, everything is made each time."""


def copy_or_make(name: str, place: Path, make: Callable[[], None]) -> None:
    """Put the result of ``make`` at a new path: the first process makes the template while the others wait, then it is
    copied."""
    if folder is None:
        make()
        return
    template = folder / name
    with (folder / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not template.exists():
            make()
            unfinished = folder / f"{name}.unfinished"
            _copy(place, unfinished)
            unfinished.rename(template)
            return
    _copy(template, place)


def _copy(source: Path, target: Path) -> None:
    subprocess.run(["cp", "-a", source, target], check=True)
