"""The search for processes that tests leave behind, beside psutil's search of all processes."""

import subprocess
import sys
import threading

import psutil

from tests.child_processes import child_processes
from tests.waiting import wait_until

_SLEEP = "import time; time.sleep(600)"
_PARENT = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {_SLEEP!r}])"


def test_descendants_are_found_whichever_thread_started_them() -> None:
    before = child_processes()
    started: list[subprocess.Popen[bytes]] = []

    def start() -> None:
        started.append(subprocess.Popen([sys.executable, "-c", _PARENT]))

    start()
    thread = threading.Thread(target=start)
    thread.start()
    thread.join()
    try:
        wait_until(lambda: len(child_processes() - before) == 4, "both parents and their children run")
        assert child_processes() == set(psutil.Process().children(recursive=True))
    finally:
        for process in child_processes() - before:
            process.kill()
        for parent in started:
            parent.wait()
    assert child_processes() == before


def test_a_process_that_nobody_has_waited_for_is_found() -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as ended:
        process = psutil.Process(ended.pid)
        wait_until(lambda: process.status() == psutil.STATUS_ZOMBIE, "the process has ended")
        assert process in child_processes()
    assert process not in child_processes()
