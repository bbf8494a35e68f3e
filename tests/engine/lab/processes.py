"""The processes of a lab as the system sees them, found without the lab's own search."""

import os
import re
import signal
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from engine.lab.folder import is_root

as_root = pytest.mark.skipif(not is_root(), reason="only root has to run the server under another account")
needs_signals = pytest.mark.skipif(os.name == "nt", reason="there is no kill -9 here")


def keepers_and_servers(folder: Path) -> list[psutil.Process]:
    """Every process that names the lab's folder on its command line or works in it; the ended ones don't count."""
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            places = [*process.cmdline(), process.cwd()]
            if process.pid != os.getpid() and any(str(folder) in place for place in places):
                found.append(process)
    return found


def stopped(processes: list[psutil.Process]) -> list[psutil.Process]:
    """Those that a signal has stopped; one that has ended meanwhile is none of them."""
    found = []
    for process in processes:
        with suppress(psutil.NoSuchProcess):
            if process.status() == psutil.STATUS_STOPPED:
                found.append(process)
    return found


def kill_all(processes: list[psutil.Process]) -> None:
    for process in processes:
        with suppress(psutil.NoSuchProcess):
            process.send_signal(signal.SIGKILL)


def users_served(server_pid: int) -> list[str]:
    """The titles of a server's processes that serve somebody's connection, such as one that has just been closed."""
    titles = []
    with suppress(psutil.NoSuchProcess):
        for process in psutil.Process(server_pid).children():
            with suppress(psutil.Error):
                titles.append(" ".join(process.cmdline()))
    return [title for title in titles if re.search(r"127\.0\.0\.1\(\d+\)", title) and "walsender" not in title]
