"""Whether a process is known to have ended, told by its key: real processes of this machine."""

import os
import signal
import subprocess
import sys

import psutil

from engine.databases.process_key import has_ended, process_key
from tests.waiting import wait_until

_PRINT_KEY = """
import time
from engine.databases.process_key import process_key
print(process_key(), flush=True)
time.sleep(99)
"""


def test_own_process_has_not_ended() -> None:
    assert not has_ended(process_key())


def test_a_process_that_was_killed_has_ended_reaped_or_not() -> None:
    process = subprocess.Popen([sys.executable, "-c", _PRINT_KEY], stdout=subprocess.PIPE, text=True)
    with process:
        assert process.stdout is not None
        key = process.stdout.readline().strip()
        assert not has_ended(key)
        os.kill(process.pid, signal.SIGKILL)
        wait_until(lambda: psutil.Process(process.pid).status() == psutil.STATUS_ZOMBIE, "nobody has waited for it yet")
        assert has_ended(key)
    assert has_ended(key)


def test_reused_process_id_has_another_key() -> None:
    machine, number, started = process_key().split(" ")
    assert has_ended(f"{machine} {number} {float(started) - 60:.2f}")


def test_process_on_another_machine_is_unknown() -> None:
    _, number, started = process_key().split(" ")
    for key in (f"elsewhere {number} {started}", "elsewhere 1 0.00", "", "nonsense", f"{process_key()} more"):
        assert not has_ended(key)
