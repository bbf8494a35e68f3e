"""The servers' processes: what they inherit, how they end with us, and the search for what others left behind.

Called by the lab's nodes; the only file here that knows psutil.
"""

import ctypes
import os
import subprocess
import sys
import time
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from pathlib import Path

import psutil

from engine.errors import UserError
from engine.secrets import SECRET_VARIABLES

_POLL_SECONDS = 0.01
_SERVER_NAMES = ("postgres", "initdb", "pg_basebackup", "pg_rewind")
_SESSION = " 127.0.0.1("  # the address of the user in a session's title
_SEGMENTS = Path("/proc/sysvipc/shm")
_PID_FILE_SEGMENT_LINE = 6
_REMOVE_SEGMENT = 0  # IPC_RMID of shmctl(2)


def server_environment() -> dict[str, str]:
    """Our environment for a server: without PostgreSQL's variables and our passwords, with messages in English."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.upper().startswith("PG") and name.upper() not in SECRET_VARIABLES
    }
    return kept | {"LC_ALL": "C"}


@cache
def ending_with_parent() -> tuple[str, ...]:
    """The words before a server's command with which the server shuts down at once when we are killed.

    They run util-linux's ``setpriv``, which asks the system for the signal: Python code in a child of a process with
    threads could wait for ever for a lock that one of them held. The signal is sent when the thread that has started
    the child ends, so start servers from the main thread. A change of the account cancels it, so these words come after
    such a change. Empty where the system has no such thing: there the reaper ends the server, or the next start does.
    """
    words = ("setpriv", "--pdeathsig", "QUIT", "--")
    if sys.platform != "linux":
        return ()
    try:
        answer = subprocess.run([*words, "true"], stdin=subprocess.DEVNULL, capture_output=True, check=False)
    except OSError:
        return ()
    return words if answer.returncode == 0 else ()


def find_servers(*data: Path) -> list[psutil.Process]:
    """The processes that serve data directories: a server's every process works in its own, or names it."""
    places = {str(each) for each in data}
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            if process.name().removesuffix(".exe") in _SERVER_NAMES and _serves(process, places):
                found.append(process)
    return found


def started_at(pid: int | None) -> float | None:
    """When a process began, in seconds since the epoch; ``None`` for one that does not run."""
    if pid is None:
        return None
    try:
        return psutil.Process(pid).create_time()
    except psutil.Error:
        return None


def sessions_of(pid: int | None) -> int:
    """How many sessions a server of ours serves, by the titles of its processes: it is not asked."""
    sessions = 0
    if pid is not None:
        with suppress(psutil.Error):
            for process in psutil.Process(pid).children():
                with suppress(psutil.Error):
                    sessions += _SESSION in " ".join(process.cmdline())
    return sessions


def end_servers(*data: Path, timeout_seconds: float = 10.0) -> int:
    """Kill what still serves data directories, stopped processes too; return how many there were.

    A killed server's shared memory goes with it. Raises ``UserError`` when a process does not go.
    """
    processes = find_servers(*data)
    kill_all(processes)
    deadline = time.monotonic() + timeout_seconds
    while any(_is_alive(process) for process in processes):
        if time.monotonic() > deadline:
            pids = ", ".join(str(process.pid) for process in processes if _is_alive(process))
            places = ", ".join(str(place) for place in data)
            raise UserError(
                f"{places} is still served by process {pids}, which can't be ended from here; end it first."
            )
        time.sleep(_POLL_SECONDS)
    for place in data:
        _remove_segment(place)
    return len(processes)


def tree_of(pid: int) -> list[psutil.Process]:
    """A server's process and all its children, the server's own first; empty when it has ended."""
    try:
        server = psutil.Process(pid)
        return [server, *server.children(recursive=True)]
    except psutil.Error:
        return []


def kill_all(processes: Iterable[psutil.Process]) -> None:
    """Kill the processes, stopped ones too."""
    for process in processes:
        with suppress(psutil.Error):  # whether it is gone, or not ours to end, its caller sees
            process.kill()


def freeze_tree(pid: int) -> int:
    """Stop a server and all its children where they are; return how many. The server goes first: it forks no more."""
    with suppress(psutil.Error):
        psutil.Process(pid).suspend()
    tree = tree_of(pid)
    for process in tree:
        with suppress(psutil.Error):
            process.suspend()
    return len(tree)


def thaw_tree(pid: int) -> int:
    """Continue a server's stopped processes, the server's own last; returns how many there were.

    All get the signal: one that was busy when it was frozen may be about to stop.
    """
    tree = tree_of(pid)
    stopped = sum(_status(process) == psutil.STATUS_STOPPED for process in tree)
    for process in reversed(tree):
        with suppress(psutil.Error):
            process.resume()
    return stopped


def is_stopped(pid: int) -> bool:
    """Whether a process is stopped where it is."""
    try:
        return _status(psutil.Process(pid)) == psutil.STATUS_STOPPED
    except psutil.Error:
        return False


def _status(process: psutil.Process) -> str:
    try:
        return process.status()
    except psutil.Error:
        return psutil.STATUS_DEAD


def _serves(process: psutil.Process, places: set[str]) -> bool:
    with suppress(psutil.AccessDenied):
        if process.cwd() in places:
            return True
    return not places.isdisjoint(process.cmdline())


def _remove_segment(data: Path) -> None:
    """Remove the System V segment that a killed server has left; one that starts again here would do it itself.

    Its number may by now be another program's, so that its key and the number of its users are looked at (Linux).
    """
    try:
        words = (data / "postmaster.pid").read_text(encoding="utf-8").splitlines()[_PID_FILE_SEGMENT_LINE].split()
        rows = [line.split() for line in _SEGMENTS.read_text(encoding="ascii").splitlines()[1:]]
        key, number = int(words[0]) & 0xFFFFFFFF, int(words[1])
    except (OSError, ValueError, IndexError):
        return
    for row in rows:
        if (int(row[0]) & 0xFFFFFFFF, int(row[1]), int(row[6])) == (key, number, 0):
            ctypes.CDLL(None, use_errno=True).shmctl(number, _REMOVE_SEGMENT, None)


def _is_alive(process: psutil.Process) -> bool:
    # Whoever adopts an orphan may be late to collect it: what has ended counts as gone.
    try:
        return bool(process.is_running() and process.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False
