"""The state of the cluster that runs from a home: where its scheduler is, and the state of each load machine.

It is in ``cluster/state.json`` as long as the process of the scheduler lives, and holds no secret.
"""

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Any, Self

import psutil

from engine.cluster.ports import ANY_PORT, PortRange
from engine.cluster.scheduler_check import DEFAULT_PORT, SchedulerAddress
from engine.files.atomic import atomic_file
from engine.machines.inventory import Inventory
from engine.machines.machine import Role


class WorkerState(StrEnum):
    """What a load machine's worker does."""

    STARTING = "starting"
    READY = "ready"
    ENDED = "ended"


@dataclass(frozen=True, kw_only=True)
class StartedWorker:
    """A worker that was started over SSH; ``message`` says why it has ended, ``processors`` how many it may use."""

    machine: str
    state: WorkerState = WorkerState.STARTING
    message: str = ""
    processors: int = 0

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Self:
        return cls(**{**plain, "state": WorkerState(plain["state"])})


@dataclass(frozen=True, kw_only=True)
class ClusterSettings:
    """What a cluster is started with: ``port`` is where the scheduler listens at all of this machine's addresses, 0 for
    any, and ``agent_ports`` is where runs may. ``controller`` is the address of this machine for load machines, empty
    if it is to be determined. With ``takes_busy`` runs use machines whose processors are not free.
    """

    port: int = DEFAULT_PORT
    agent_ports: PortRange = ANY_PORT
    controller: str = ""
    takes_busy: bool = False

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Self:
        return cls(**{**plain, "agent_ports": PortRange.read("agent_ports", plain["agent_ports"])})

    def to_dict(self) -> dict[str, Any]:
        return {**asdict(self), "agent_ports": str(self.agent_ports)}


@dataclass(frozen=True, kw_only=True)
class ClusterState:
    """``pid`` and ``created`` (its start) identify the scheduler's process; the port in ``settings`` is the one on
    which it listens."""

    pid: int
    created: float
    settings: ClusterSettings
    workers: Mapping[str, StartedWorker] = field(default_factory=dict)

    @property
    def port(self) -> int:
        return self.settings.port

    @property
    def address(self) -> SchedulerAddress:
        """The scheduler's, for programs on this machine."""
        return SchedulerAddress("127.0.0.1", self.port)

    @property
    def process(self) -> psutil.Process | None:
        """The scheduler's process; ``None`` when it has ended."""
        with suppress(psutil.Error):
            process = psutil.Process(self.pid)
            if process.create_time() == self.created and process.status() != psutil.STATUS_ZOMBIE:
                return process
        return None

    def with_worker(self, worker: StartedWorker) -> Self:
        return replace(self, workers={**self.workers, worker.machine: worker})

    def without_worker(self, machine: str) -> Self:
        return replace(self, workers={name: each for name, each in self.workers.items() if name != machine})

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Self:
        workers = map(StartedWorker.from_dict, plain["workers"])
        return cls(
            pid=plain["pid"],
            created=plain["created"],
            settings=ClusterSettings.from_dict(plain["settings"]),
            workers={each.machine: each for each in workers},
        )

    def to_dict(self) -> dict[str, Any]:
        workers = [asdict(each) for each in self.workers.values()]
        return {
            "pid": self.pid,
            "created": self.created,
            "settings": self.settings.to_dict(),
            "workers": workers,
        }


def state_path(folder: Path) -> Path:
    return folder / "state.json"


def read_state(folder: Path) -> ClusterState | None:
    """The state of the cluster that runs; ``None`` when there is none, also when its process was killed."""
    with suppress(OSError, ValueError, KeyError, TypeError):
        state = ClusterState.from_dict(json.loads(state_path(folder).read_text(encoding="utf-8")))
        return state if state.process is not None else None
    return None


def load_machines_of(inventory: Inventory, folder: Path) -> dict[str, int]:
    """The machines that are load machines by their role or are started, each with its processors; 0: not known."""
    state = read_state(folder)
    started = {} if state is None else {name: each.processors for name, each in state.workers.items()}
    return {each.name: 0 for each in inventory if Role.LOAD_MACHINE in each.roles} | started


def write_state(folder: Path, state: ClusterState) -> None:
    """Replace the file; raises ``UserError``."""
    with atomic_file(state_path(folder)) as file:
        file.write(json.dumps(state.to_dict(), indent=1).encode())
