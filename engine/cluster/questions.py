"""The questions to a load machine before a run: functions that dask calls there, in the process of its worker.

They are coroutines, since the worker's event loop must not wait; what they return is plain values.
"""

import asyncio
import hashlib
import os
import platform
import socket
import time
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import psutil

import engine
from engine.cluster.agent_runner import running_here
from engine.driver.cpu_meter import usable_processors
from engine.errors import UserError
from engine.target.target import MARIADB, MSSQL, MYSQL
from engine.workstation import application_version

COMPILED = (
    "engine.audit._notes",
    "engine.databases.exchange._exchange",
    "engine.driver._counting",
    "engine.workloads.brokerage._course",
    "engine.workloads.dvdstore._script",
)
"""The compiled modules, with which a client uses less processor time."""
_PACKAGES = ("distributed", "psycopg")
_BUSY_SECONDS = 1.0
_ATTEMPTS = 5
_REACH_SECONDS = 5.0


async def machine_facts() -> dict[str, Any]:
    """Versions, drivers, compiled modules and processors of this machine; takes a second, to measure how many
    processors are free."""
    return await asyncio.to_thread(_facts)


async def runs_here() -> list[str]:
    """The runs whose agents are on this machine now."""
    return running_here()


async def utc_seconds() -> float:
    """This machine's clock."""
    return time.time_ns() / 1e9


async def reach(places: Sequence[tuple[str, int]]) -> list[dict[str, Any]]:
    """For each host and port the least time of five connections, in ms, or why there is none."""
    return list(await asyncio.gather(*(asyncio.to_thread(_reach, host, port) for host, port in places)))


def local_facts() -> dict[str, Any]:
    """The same facts as ``machine_facts``, without the measurement of free processors."""
    return {
        "spindle": application_version(),
        "code": _code_digest(),
        "python": platform.python_version(),
        **{name: version(name) for name in _PACKAGES},
        "odbc_drivers": {kind: _best_odbc_driver(kind) for kind in (MARIADB, MYSQL, MSSQL)},
        "compiled": [name for name in COMPILED if find_spec(name) is not None],
        "system": f"{platform.system()} {platform.release()}",
        "host": socket.gethostname(),
        "loopback": _loopback(),
        "processors": usable_processors(),
        "memory_mb": psutil.virtual_memory().total // 2**20,
    }


def _facts() -> dict[str, Any]:
    free_pct = 100 - psutil.cpu_percent(_BUSY_SECONDS)
    facts = local_facts()
    return facts | {
        "free_processors": round(facts["processors"] * free_pct / 100, 2),
        "free_memory_mb": psutil.virtual_memory().available // 2**20,
        "runs": running_here(),
    }


def _best_odbc_driver(kind: str) -> list[str]:
    """The driver that would be used for a kind; none also where ODBC itself is not installed: PostgreSQL needs none."""
    try:
        from engine.databases.odbc.drivers import drivers_of
    except UserError:
        return []
    return list(drivers_of(kind)[:1])


@cache
def _code_digest() -> str:
    """The beginning of the SHA-256 of the engine's sources: two machines with the same run the same code."""
    digest = hashlib.sha256()
    root = Path(engine.__file__).parent
    for path in sorted(root.rglob("*.py"), key=lambda each: each.relative_to(root).as_posix()):
        digest.update(path.relative_to(root).as_posix().encode())
        digest.update(path.read_bytes().replace(b"\r\n", b"\n"))
    return digest.hexdigest()[:12]


@cache
def _loopback() -> str:
    """An id of this process's loopback interface: each machine, and each network namespace of one, has its own."""
    with suppress(OSError):
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        return f"{boot}/{os.readlink('/proc/self/ns/net')}"
    return f"{socket.gethostname()}/{psutil.boot_time():.0f}"


def _reach(host: str, port: int) -> dict[str, Any]:
    times_ms = []
    for _ in range(_ATTEMPTS):
        began = time.perf_counter()
        try:
            socket.create_connection((host, port), _REACH_SECONDS).close()
        except OSError as error:
            return {"problem": str(error.strerror or error)}
        times_ms.append(1000 * (time.perf_counter() - began))
    return {"round_trip_ms": min(times_ms)}
