import os
import subprocess
import sys

import psutil

from engine.library.owner import Owner, this_process
from tests.waiting import wait_until


def test_this_process_is_alive():
    assert this_process().pid == os.getpid()
    assert this_process().is_alive()


def test_another_process_with_the_same_pid_is_not_the_owner():
    assert not Owner(os.getpid(), this_process().created - 60).is_alive()


def test_a_process_that_ended_is_dead_before_and_after_it_was_waited_for():
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        owner = Owner(child.pid, psutil.Process(child.pid).create_time())
        assert owner.is_alive()
        child.kill()
        wait_until(lambda: not owner.is_alive(), "the killed child to count as dead though nobody waited for it")
    assert not owner.is_alive()
