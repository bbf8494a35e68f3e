"""Agents whose controller is gone: there must be no load that nobody supervises."""

import os
import subprocess
import sys
import time
from pathlib import Path

import psutil

from tests.waiting import wait_until

STOP_SECONDS = 10.0


def test_agents_stop_their_users_and_end_when_the_controller_is_killed(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.engine.cluster.run_main", str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as controller:
        assert controller.stdout is not None
        agents = [psutil.Process(int(pid)) for pid in controller.stdout.readline().split()]
        below = [each for agent in agents for each in agent.children(recursive=True)]
        users = [each for each in below if os.getsid(each.pid) == each.pid]  # as every client process
        controller.kill()
        killed_at = time.monotonic()
    assert (len(agents), len(users)) == (2, 2)
    wait_until(lambda: not any(map(_lives, users)), "the users are stopped")
    assert time.monotonic() - killed_at < STOP_SECONDS
    wait_until(lambda: not any(map(_lives, agents)), "the agents end")


def _lives(process: psutil.Process) -> bool:
    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
