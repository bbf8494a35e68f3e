"""The servers' processes: what they inherit, how they end with us, and the search for what others left behind.

Called by the lab's nodes; the only file here that knows psutil.
"""

import ctypes
import os
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import psutil

from engine.errors import UserError
from engine.secrets import PASSWORD_VARIABLE

_SET_PARENT_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG of prctl(2)
_POLL_SECONDS = 0.01
_SERVER_NAMES = ("postgres", "initdb")


def server_environment() -> dict[str, str]:
    """Our environment for a server: without PostgreSQL's variables and our password, with messages in English."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.upper().startswith("PG") and name.upper() != PASSWORD_VARIABLE
    }
    return kept | {"LC_ALL": "C"}


def ending_with_parent() -> Callable[[], None] | None:
    """What a child runs before the server's program so that the server shuts down at once when we are killed.

    It goes by the thread that starts the child, and a change of the account clears it: start servers from the main
    thread, and run this after the change. ``None`` where the system has no such thing (macOS, Windows): there the
    next start finds the server and ends it.
    """
    if sys.platform != "linux":
        return None
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    parent = os.getpid()

    def in_child() -> None:
        prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGQUIT)
        if os.getppid() != parent:
            os._exit(1)

    return in_child


def find_servers(data: Path) -> list[psutil.Process]:
    """The processes that serve a data directory: a server's every process works in it, or names it when started."""
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            if process.name().removesuffix(".exe") in _SERVER_NAMES and _serves(process, str(data)):
                found.append(process)
    return found


def end_servers(data: Path, *, timeout_seconds: float = 10.0) -> int:
    """Kill what still serves a data directory, stopped processes too; return how many there were.

    Raises ``UserError`` when one of them does not go.
    """
    processes = find_servers(data)
    for process in processes:
        with suppress(psutil.Error):  # whether it is gone, or not ours to end, shows below
            process.kill()
    deadline = time.monotonic() + timeout_seconds
    while any(_is_alive(process) for process in processes):
        if time.monotonic() > deadline:
            pids = ", ".join(str(process.pid) for process in processes if _is_alive(process))
            raise UserError(f"{data} is still served by process {pids}, which can't be ended from here; end it first.")
        time.sleep(_POLL_SECONDS)
    return len(processes)


def _serves(process: psutil.Process, data: str) -> bool:
    with suppress(psutil.AccessDenied):
        if process.cwd() == data:
            return True
    return data in process.cmdline()


def _is_alive(process: psutil.Process) -> bool:
    # Whoever adopts an orphan may be late to collect it: what has ended counts as gone.
    try:
        return bool(process.is_running() and process.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False
