"""The workstation, as recorded with a run; nothing in it names the user."""

import platform
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import psutil

_MIB = 1024 * 1024
# What the sessions of PostgreSQL's users are driven by where it is there; else by libpq, at a higher cost an order.
_EXCHANGE = "engine.databases.exchange._exchange"
# What users do, count and note is then Python's, at a higher cost as well.
_USERS = ("engine.driver._counting", "engine.audit._notes")


def application_version() -> str:
    """Spindle's version, ``unknown`` if it is not installed."""
    from importlib.metadata import PackageNotFoundError, version  # slow to load; the window starts without it

    try:
        return version("spindle")
    except PackageNotFoundError:
        return "unknown"


def describe_workstation(compiled: Iterable[str] = ()) -> dict[str, Any]:
    """Operating system, processors and memory of this machine, and the versions of the drivers.

    ``compiled`` are the modules that the workload's users run in where they were compiled.
    """
    return {
        "system": platform.system(),
        "release": platform.release(),
        "machine": platform.machine(),
        "processor": _processor(),
        "processors": psutil.cpu_count() or 0,
        "memory_mb": psutil.virtual_memory().total // _MIB,
        "python": platform.python_version(),
        "postgresql_sessions": "compiled, libpq where encrypted" if find_spec(_EXCHANGE) else "libpq",
        "emulated_users": "compiled" if all(map(find_spec, (*_USERS, *compiled))) else "Python",
        "spindle": application_version(),
    }


def _processor() -> str:
    """The processor's name; on Linux it is only in a file."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return platform.processor()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())
