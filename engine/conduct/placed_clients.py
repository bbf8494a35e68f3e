"""The clients of a run that load machines drive: their agents, from before the run until its ledgers are here."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from engine.audit.ledger_files import ledger_path
from engine.cluster.load_machines import LoadMachines
from engine.cluster.starter import AgentStarter
from engine.driver.link import Launcher
from engine.driver.run import Run
from engine.driver.sinks import Sink
from engine.errors import UserError
from engine.figure_text import capitalised
from engine.plan.clients import ClientPlan
from engine.telemetry.event import EventCode, EventKind, RunEvent


class PlacedClients:
    """The load machines of run ``run_id``; ``warn`` is called with a sentence for the user, from any thread.

    The constructor waits until every agent is connected. Raises ``UserError``. To be closed in any case.
    """

    def __init__(
        self, agents: AgentStarter, run_id: str, clients: Sequence[ClientPlan], warn: Callable[[str], None]
    ) -> None:
        self._warn = warn
        self._clients = {client.number: client for client in clients if client.machine}
        self._run: Run | None = None
        self._run_id = run_id
        of_machines: dict[str, list[int]] = {}
        for client in self._clients.values():
            of_machines.setdefault(client.machine, []).append(client.number)
        labels = {client.number: client.label for client in clients}
        self._machines = LoadMachines(agents, run_id, of_machines, labels, self._report_refusal)
        try:
            self._machines.connect()
        except BaseException:
            self.close()
            raise

    @property
    def launchers(self) -> Mapping[int, Launcher]:
        """By the numbers of the clients."""
        return self._machines.launchers()

    def described(self) -> list[dict[str, Any]]:
        """The machines, for the run's record."""
        return self._machines.described()

    def begin(self, run: Run) -> None:
        """The run has begun: what happens to its machines from now on becomes its events."""
        self._run = run

    def finish(self, library: Path, sink: Sink, number: int) -> None:
        """The run is over: fetch the ledgers to beside the library, and let the machines go.

        Those that can't be had become events of the run, from this number on.
        """
        at_seconds = float(self._run.phases.measuring_to or 0) if self._run is not None else 0.0
        missing_ledgers = self._machines.fetch_ledgers(lambda client: ledger_path(library, self._run_id, client))
        for each, missing in enumerate(missing_ledgers, start=number):
            label = self._clients[missing.client].label
            text = f"the ledger of client {label} could not be fetched from load machine {missing.machine}"
            self._warn(f"{capitalised(text)}: {missing.reason}; the audit will be incomplete.")
            event = RunEvent(
                at_seconds=at_seconds,
                kind=EventKind.WARNING,
                code=EventCode.LEDGER_NOT_FETCHED,
                data={"machine": missing.machine, "reason": missing.reason},
                label=text,
                detail=missing.reason,
                client=missing.client,
                number=each,
            )
            sink.write_event(event)
        self.close()

    def close(self) -> None:
        """End the agents."""
        self._machines.close()

    def _report_refusal(self, address: str, reason: str) -> None:
        text = f"a connection from {address} was refused: {reason}"
        self._warn(f"{capitalised(text)}.")
        if self._run is not None:
            data = {"address": address, "reason": reason}
            self._run.add_event(EventKind.WARNING, text, code=EventCode.LOAD_MACHINE_REFUSED, data=data)


def placed_clients(
    agents: AgentStarter | None, run_id: str, clients: Sequence[ClientPlan], warn: Callable[[str], None]
) -> PlacedClients | None:
    """The load machines of a run, connected; ``None`` if this workstation drives all clients. Raises ``UserError``."""
    if not any(client.machine for client in clients):
        return None
    if agents is None:
        raise UserError("no load machines are running; start them with: spindle cluster start")
    return PlacedClients(agents, run_id, clients, warn)
