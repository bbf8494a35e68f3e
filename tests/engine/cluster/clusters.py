"""Clusters for tests: load machines are this machine, reached over the SSH server of the session, with homes of their
own."""

import shlex
import sys
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import psutil

from engine.cluster.deployment import start_cluster
from engine.cluster.remote_worker import WorkerPlan
from engine.cluster.state import ClusterSettings, StartedWorker
from engine.machines.access import SshAccess

ROOT = Path(__file__).parents[3]


def spindle_there(home: Path) -> str:
    """How Spindle is started by a shell of such a machine."""
    words = ["env", f"SPINDLE_HOME={home}", f"PYTHONPATH={ROOT}", sys.executable, "-m", "app"]
    return shlex.join(words)


def plan_of(access: SshAccess, machine: str, home: Path) -> WorkerPlan:
    """A machine that the access reaches, with its home."""
    return WorkerPlan(machine=machine, access=replace(access, spindle=spindle_there(home)))


def started(folder: Path, plans: Iterable[WorkerPlan]) -> list[StartedWorker]:
    """Start a cluster on a free port; what became of its workers, by their names."""
    workers: list[StartedWorker] = []
    settings = ClusterSettings(port=0, takes_busy=True)
    start_cluster(folder, plans, settings, report=workers.append, cancelled=lambda: False)
    return sorted(workers, key=lambda each: each.machine)


def worker_processes(home: Path) -> list[psutil.Process]:
    """The processes that belong to the machine with this home."""
    found = []
    for process in psutil.process_iter(["environ"]):
        if (process.info["environ"] or {}).get("SPINDLE_HOME") == str(home):
            found.append(process)
    return found
