"""How long the turns of threads on a processor are, as Linux tells it."""

import os
import re
import threading
from pathlib import Path

import pytest


def time_slice_us(process: int, thread: int) -> float | None:
    """``None`` where the kernel does not tell."""
    try:
        told = Path(f"/proc/{process}/task/{thread}/sched").read_text(encoding="ascii", errors="replace")
    except OSError:
        return None
    found = re.search(r"^se\.slice\s*:\s*(\d+)$", told, re.MULTILINE)
    return None if found is None else int(found[1]) / 1000


def own_time_slice_us() -> float | None:
    return time_slice_us(os.getpid(), threading.get_native_id())


def all_time_slices_us(process: int) -> set[float]:
    """Those of all threads of a process; one that ends while it is looked at has none."""
    found = (time_slice_us(process, int(thread.name)) for thread in Path(f"/proc/{process}/task").iterdir())
    return {each for each in found if each is not None}


def policies(process: int) -> set[int]:
    """The scheduling policies of all threads of a process."""
    return {os.sched_getscheduler(int(thread.name)) for thread in Path(f"/proc/{process}/task").iterdir()}


def _lets_threads_choose() -> bool:
    """Whether the kernel does so, which is since 6.12, and tells; it has told since 6.6."""
    version = re.match(r"(\d+)\.(\d+)", os.uname().release) if hasattr(os, "uname") else None
    return version is not None and (int(version[1]), int(version[2])) >= (6, 12) and own_time_slice_us() is not None


needs_time_slices = pytest.mark.skipif(
    not _lets_threads_choose(), reason="needs Linux 6.12 and what it tells of threads"
)
