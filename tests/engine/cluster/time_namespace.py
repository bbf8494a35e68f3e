"""Processes whose clocks differ from this machine's: Linux' time namespaces, which only root can make."""

import shutil
import subprocess
from functools import cache

import pytest


def in_time_namespace(ahead_seconds: float) -> list[str]:
    """The beginning of a command whose monotonic clock is so many whole seconds ahead, and that of its children."""
    return ["unshare", "--time", "--monotonic", str(int(ahead_seconds)), "--boottime", str(int(ahead_seconds))]


@cache
def _why_not() -> str:
    if shutil.which("unshare") is None:
        return "there is no unshare"
    tried = subprocess.run([*in_time_namespace(1), "true"], capture_output=True, text=True, check=False)
    return tried.stderr.strip() if tried.returncode else ""


needs_time_namespaces = pytest.mark.skipif(bool(_why_not()), reason=f"no time namespaces here: {_why_not()}")
