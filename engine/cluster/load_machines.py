"""The load machines of one run: starts agents there, provides the run with their launchers, and fetches their
ledgers."""

import hashlib
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.cluster.controller import Controller
from engine.cluster.messages import EndAgent
from engine.cluster.remote_agent import AgentIsLost, RemoteAgent
from engine.cluster.starter import AgentStart, AgentStarter, RunningAgent
from engine.driver.link import Launcher
from engine.errors import UserError

_CONNECT_SECONDS = 30.0
_POLL_SECONDS = 0.1
_COME_BACK_SECONDS = 10.0
"""How long the run's end waits for the ledgers of a machine that is not connected at that moment."""


@dataclass(frozen=True, kw_only=True)
class MissingLedger:
    """A ledger that could not be fetched, why, as a clause, and the ``folder`` on its machine in which it is."""

    client: int
    machine: str
    reason: str
    folder: str


class LoadMachines:
    """The agents of run ``run_id``; ``machines`` are the numbers of the clients of each, ``labels`` the clients' names.

    ``on_refusal`` is called on another thread with the address of a refused peer and the reason as a clause. Raises
    ``UserError`` if the certificates can't be used or a machine is not there. Must be closed in any case.
    """

    def __init__(
        self,
        starter: AgentStarter,
        run_id: str,
        machines: Mapping[str, Sequence[int]],
        labels: Mapping[int, str],
        on_refusal: Callable[[str, str], None],
    ) -> None:
        self._starter = starter
        self._run_id = run_id
        self._running: dict[str, RunningAgent] = {}
        self._fetched: set[str] = set()
        self._controller = Controller(run_id, machines, labels, starter.certificates, on_refusal, starter.ports)
        try:
            for machine in machines:
                self._start(machine)
        except BaseException:
            self.close()
            raise

    @property
    def agents(self) -> Mapping[str, RemoteAgent]:
        return self._controller.agents

    def connect(self, within_seconds: float = _CONNECT_SECONDS) -> None:
        """Wait until every agent is connected and its clock is known; raises ``UserError`` for one that is not."""
        deadline = time.monotonic() + within_seconds
        for machine, agent in self.agents.items():
            while not agent.is_ready.wait(_POLL_SECONDS):
                if failure := self._running[machine].failure():
                    raise UserError(f"no agent could be started on load machine {machine}: {failure.rstrip('.')}.")
                if time.monotonic() > deadline:
                    raise UserError(
                        f"the agent on load machine {machine} did not connect to port {self._controller.port} of this"
                        f" machine within {within_seconds:.0f} s; is it reachable from there, through every firewall?"
                    )

    def launchers(self) -> dict[int, Launcher]:
        """The launcher of each client that a load machine drives, by the client's number; after ``connect``."""
        launchers: dict[int, Launcher] = {}
        for agent in self.agents.values():
            assert agent.launcher is not None, "connect comes first"
            launchers |= dict.fromkeys(agent.clients, agent.launcher)
        return launchers

    def described(self) -> list[dict[str, Any]]:
        """Each machine for the run's record: what it is, its clients, and how its clocks differ from this one's.

        ``clock_ahead_seconds`` is of the time of day; ``clock_error_ms`` is the largest error of that comparison.
        """
        return [
            {
                "machine": machine,
                "clients": list(agent.clients),
                "clock_ahead_seconds": round(agent.utc_ahead_seconds, 6),
                "clock_error_ms": round(1000 * agent.error_seconds, 3),
                "workstation": dict(agent.described),
            }
            for machine, agent in self.agents.items()
        ]

    def fetch_ledgers(self, path_of: Callable[[int], Path]) -> list[MissingLedger]:
        """Fetch the ledgers of all machines concurrently, each client's to a path; returns those that could not be
        fetched. Call it when the run is over. It waits some seconds for a machine that is not connected; where the
        agent was killed, another one is started.
        """

        def fetch(agent: RemoteAgent) -> list[MissingLedger]:
            return list(_fetch_all(self._reconnected(agent), path_of))

        with ThreadPoolExecutor(max_workers=8, thread_name_prefix="ledgers") as pool:
            fetched = pool.map(fetch, list(self.agents.values()))
            missing = [each for of_machine in fetched for each in of_machine]
        self._fetched = set(self.agents) - {each.machine for each in missing}
        return missing

    def close(self) -> None:
        """End all agents; each removes its ledgers if all of these were fetched."""
        for agent in self.agents.values():
            agent.stream.send(EndAgent(has_ledgers=agent.machine in self._fetched))
        self._controller.close()
        for running in self._running.values():
            running.cancel()

    def _start(self, machine: str, attempt: int = 1) -> None:
        start = AgentStart(
            run_id=self._run_id,
            machine=machine,
            controller_addresses=tuple(self._starter.addresses),
            port=self._controller.port,
            certificates=self._starter.certificates,
            attempt=attempt,
        )
        self._running[machine] = self._starter.start(machine, start)

    def _reconnected(self, agent: RemoteAgent) -> RemoteAgent:
        """The agent, connected again within some seconds if possible; or another one that was started in its place."""
        if self._await_connection(agent, _COME_BACK_SECONDS) or self._running[agent.machine].exit_code() is None:
            return agent
        another = self._controller.accept_another(agent.machine)
        try:
            self._start(agent.machine, attempt=2)
        except UserError:  # the machine is not there any more
            return agent
        return another if self._await_connection(another, _CONNECT_SECONDS) else agent

    def _await_connection(self, agent: RemoteAgent, within_seconds: float) -> bool:
        """Wait for an agent whose process may still be running, even if its worker is not; returns whether it is
        connected."""
        deadline = time.monotonic() + within_seconds
        while not agent.stream.is_connected and time.monotonic() < deadline:
            if self._running[agent.machine].exit_code() is not None:
                break
            time.sleep(_POLL_SECONDS)
        return agent.stream.is_connected


def _fetch_all(agent: RemoteAgent, path_of: Callable[[int], Path]) -> Iterator[MissingLedger]:
    for client in agent.clients:
        try:
            _fetch(agent, client, path_of(client))
        except (AgentIsLost, OSError) as error:
            reason = error.strerror or str(error) if isinstance(error, OSError) else str(error)
            yield MissingLedger(client=client, machine=agent.machine, reason=reason.rstrip("."), folder=agent.ledgers)


def _fetch(agent: RemoteAgent, client: int, path: Path) -> None:
    """Fetch one ledger. Raises ``AgentIsLost``, and ``OSError`` also when a checksum differs."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(".part")
    whole = hashlib.sha256()
    try:
        with os.fdopen(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            while True:
                piece = agent.ledger_piece(client, file.tell())
                if piece.failure:
                    raise OSError(f"{agent.machine} can't read it: {piece.failure}")
                if hashlib.sha256(piece.data).digest() != piece.sha256:
                    raise OSError(f"a piece of it did not come from {agent.machine} as it was sent")
                file.write(piece.data)
                whole.update(piece.data)
                if file.tell() >= piece.size:
                    break
        if whole.digest() != piece.ledger_sha256:
            raise OSError(f"it did not come from {agent.machine} as it is there")
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
