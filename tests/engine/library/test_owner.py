import os
import subprocess
import sys

import psutil
import pytest

from engine.library.owner import Owner, _created, this_process
from tests.waiting import wait_until


def test_this_process_is_alive():
    assert this_process().pid == os.getpid()
    assert this_process().is_alive()


def test_another_process_with_the_same_pid_is_not_the_owner():
    assert not Owner(os.getpid(), this_process().created - 60).is_alive()


def test_a_process_that_ended_is_dead_before_and_after_it_was_waited_for():
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        owner = Owner(child.pid, _created(psutil.Process(child.pid)))
        assert owner.is_alive()
        child.kill()
        wait_until(lambda: not owner.is_alive(), "the killed child to count as dead though nobody waited for it")
    assert not owner.is_alive()


@pytest.mark.skipif(not psutil.LINUX, reason="elsewhere the system keeps the time of day at which a process began")
def test_owner_is_alive_after_the_clock_was_set(monkeypatch: pytest.MonkeyPatch):
    owner, booted_at = this_process(), psutil.boot_time()
    created_at = psutil.Process().create_time()
    # What the system would say after somebody set the clock, which no test may.
    monkeypatch.setattr("psutil._pslinux.boot_time", lambda: booted_at + 3600)
    monkeypatch.setattr("psutil.boot_time", lambda: booted_at + 3600)
    assert psutil.Process().create_time() == pytest.approx(created_at + 3600, abs=0.1)
    assert owner.is_alive()
