"""Starts agents as processes here, as dask's workers do on load machines; they may be in namespaces of their own."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path

import psutil

from engine.cluster.certificates import CertificateFolder
from engine.cluster.ports import ANY_PORT, PortRange
from engine.cluster.starter import CONTROLLER, AgentStart, TlsFiles
from engine.places import HOME_VARIABLE


class LocalAgent:
    """An agent of a test's; ``process`` may be killed or stopped, also as if together with its machine."""

    def __init__(self, command: Sequence[str], home: Path) -> None:
        environment = {**os.environ, HOME_VARIABLE: str(home)}
        self.process = subprocess.Popen(command, env=environment)
        self.machine_is_gone = False

    def failure(self) -> str | None:
        return f"exit code {self.process.returncode}" if self.process.poll() else None

    def exit_code(self) -> int | None:
        return None if self.machine_is_gone else self.process.poll()

    def cancel(self) -> None:
        try:
            self.process.wait(15)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    @property
    def tree(self) -> list[psutil.Process]:
        """The agent with its children; the agent may be below the program that made its namespaces."""
        own = psutil.Process(self.process.pid)
        return [own, *own.children(recursive=True)]


class LocalAgents:
    """An ``AgentStarter``; ``prefixes`` are commands that run another one in a namespace, by machine.

    ``utc_ahead`` is how far the machines' times of day are ahead, in seconds.
    """

    def __init__(
        self,
        folder: Path,
        machines: Sequence[str],
        *,
        prefixes: Mapping[str, Sequence[str]] | None = None,
        addresses: Sequence[str] = ("127.0.0.1",),
        ports: PortRange = ANY_PORT,
        utc_ahead: Mapping[str, float] | None = None,
    ) -> None:
        self.folder = folder
        self.machines = machines
        self.addresses = addresses
        self.ports = ports
        self.agents: dict[str, LocalAgent] = {}
        self._prefixes = prefixes or {}
        self._utc_ahead = utc_ahead or {}
        self.members = CertificateFolder(folder / "cluster")
        self.members.make(machines)

    @property
    def certificates(self) -> TlsFiles:
        return self.members.files(CONTROLLER)

    def home(self, machine: str) -> Path:
        return self.folder / machine

    def start(self, machine: str, start: AgentStart) -> LocalAgent:
        start = replace(start, certificates=self.members.files(machine))
        command = [
            *self._prefixes.get(machine, ()),
            sys.executable,
            "-m",
            "tests.engine.cluster.agent_main",
            json.dumps(asdict(start)),
            str(self._utc_ahead.get(machine, 0.0)),
        ]
        self.agents[machine] = LocalAgent(command, self.home(machine))
        return self.agents[machine]
