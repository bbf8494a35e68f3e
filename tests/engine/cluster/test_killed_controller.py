"""Agents whose controller was killed, and frozen agents: no load may run unsupervised."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil

from tests.lateness import measured_lateness
from tests.waiting import wait_until

STOP_SECONDS = 10.0


def test_users_end_when_their_agent_is_frozen_or_its_controller_is_killed(tmp_path: Path) -> None:
    """The first agent is frozen; the second finds that the controller is gone."""
    command = [sys.executable, "-m", "tests.engine.cluster.run_main", str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as controller:
        assert controller.stdout is not None
        agents = [psutil.Process(int(pid)) for pid in controller.stdout.readline().split()]
        below = [each for agent in agents for each in agent.children(recursive=True)]
        users = [each for each in below if os.getsid(each.pid) == each.pid]  # as every client process
        agents[0].send_signal(signal.SIGSTOP)
        controller.kill()
        killed_at = time.monotonic()
    assert (len(agents), len(users)) == (2, 2)
    try:
        with measured_lateness() as lateness:
            wait_until(lambda: not any(map(_lives, users)), "the users are stopped")
        assert time.monotonic() - killed_at < STOP_SECONDS + 2 * lateness.worst_seconds
    finally:
        agents[0].send_signal(signal.SIGCONT)
    wait_until(lambda: not any(map(_lives, agents)), "the agents end")


def _lives(process: psutil.Process) -> bool:
    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
