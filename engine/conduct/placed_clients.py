"""The clients of a run that load machines drive: their agents, from before the run until its ledgers are here."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.audit.ledger_files import ledger_path
from engine.cluster.starter import AgentStarter
from engine.conduct.load_machines import judge_load_machines
from engine.conduct.targets import Targets
from engine.databases.progress import IsCancelled, Progress, ReportProgress
from engine.driver.link import Launcher
from engine.driver.run import Run
from engine.driver.sinks import Sink
from engine.errors import Remedy, RemedyKind, UserError
from engine.figure_text import capitalised
from engine.plan.clients import ClientPlan
from engine.plan.plan import RunPlan
from engine.target.target import Target
from engine.telemetry.event import EventCode, EventKind, RunEvent

if TYPE_CHECKING:
    from engine.cluster.connection import ClusterConnection
    from engine.cluster.load_machines import LoadMachines


class PlacedClients:
    """The load machines of a run, if its plan has any: ``agents`` starts their agents, else the cluster does.

    ``warn`` is called with a sentence for the user, from any thread. To be closed in any case.
    """

    def __init__(self, agents: AgentStarter | None, warn: Callable[[str], None]) -> None:
        self._warn = warn
        self._agents = agents
        self._cluster: ClusterConnection | None = None
        self._clients: dict[int, ClientPlan] = {}
        self._machines: LoadMachines | None = None
        self._run: Run | None = None
        self._run_id = ""

    def check(
        self,
        plan: RunPlan,
        targets: Targets,
        connected_to: Iterable[Target],
        *,
        report_progress: ReportProgress,
        cancelled: IsCancelled,
    ) -> None:
        """Ask the cluster whether its machines can drive the plan, whose stores are ``connected_to`` there.

        Raises ``UserError`` or ``Cancelled``.
        """
        if not plan.load_machines or self._agents is not None:
            return
        report_progress(Progress(doing="asking the load machines", share=0.0))
        if self._cluster is None:
            self._cluster = targets.connect_cluster()
        self._agents = judge_load_machines(
            self._cluster, plan, connected_to, targets.inventory(), warn=self._warn, cancelled=cancelled
        )

    def connect(self, run_id: str, clients: Sequence[ClientPlan]) -> None:
        """Start the agents of a run and wait until every one is connected. Raises ``UserError``."""
        self._run_id = run_id
        self._clients = {client.number: client for client in clients if client.machine}
        if not self._clients:
            return
        if self._agents is None:
            raise UserError("the cluster is not running", remedy=Remedy(kind=RemedyKind.START_CLUSTER))
        from engine.cluster.load_machines import LoadMachines

        of_machines: dict[str, list[int]] = {}
        for client in self._clients.values():
            of_machines.setdefault(client.machine, []).append(client.number)
        labels = {client.number: client.label for client in clients}
        self._machines = LoadMachines(self._agents, run_id, of_machines, labels, self._report_refusal)
        self._machines.connect()

    @property
    def launchers(self) -> Mapping[int, Launcher]:
        """By the numbers of the clients; empty if this workstation drives all."""
        return {} if self._machines is None else self._machines.launchers()

    def described(self) -> list[dict[str, Any]]:
        """The machines, for the run's record."""
        return [] if self._machines is None else self._machines.described()

    def begin(self, run: Run) -> None:
        """The run has begun: what happens to its machines from now on becomes its events."""
        self._run = run
        if self._machines is not None and self._cluster is not None:
            self._cluster.watch_scheduler(self._report_scheduler_lost)

    def finish(self, library: Path, sink: Sink, number: int) -> None:
        """The run is over: fetch the ledgers to beside the library, and let the machines go.

        Those that can't be had become events of the run, from this number on.
        """
        if self._machines is None:
            return
        at_seconds = float(self._run.phases.measuring_to or 0) if self._run is not None else 0.0
        missing_ledgers = self._machines.fetch_ledgers(lambda client: ledger_path(library, self._run_id, client))
        for each, missing in enumerate(missing_ledgers, start=number):
            label = self._clients[missing.client].label
            text = f"the ledger of client {label} could not be fetched from load machine {missing.machine}"
            detail = missing.reason
            if missing.folder:
                detail += (
                    f"; {ledger_path(library, self._run_id, missing.client).name} is there in {missing.folder}: copy it"
                    f" to ledgers/{self._run_id} beside the library, then audit the run again"
                )
            self._warn(f"{capitalised(text)}: {detail}. The audit will be incomplete.")
            event = RunEvent(
                at_seconds=at_seconds,
                kind=EventKind.WARNING,
                code=EventCode.LEDGER_NOT_FETCHED,
                data={"machine": missing.machine, "reason": missing.reason, "folder": missing.folder},
                label=text,
                detail=detail,
                client=missing.client,
                number=each,
            )
            sink.write_event(event)
        self.close()

    def close(self) -> None:
        """End the agents, and leave the cluster."""
        if self._machines is not None:
            self._machines.close()
            self._machines = None
        if self._cluster is not None:
            self._cluster.close()
            self._cluster = self._agents = None

    def _report_scheduler_lost(self) -> None:
        assert self._run is not None, "it has begun"
        self._run.add_event(
            EventKind.WARNING,
            "the scheduler of the load machines was lost",
            code=EventCode.SCHEDULER_LOST,
            detail="this run does not need it any more; start the cluster again before the next one",
        )

    def _report_refusal(self, address: str, reason: str) -> None:
        text = f"a connection from {address} was refused: {reason}"
        self._warn(f"{capitalised(text)}.")
        if self._run is not None:
            data = {"address": address, "reason": reason}
            self._run.add_event(EventKind.WARNING, text, code=EventCode.LOAD_MACHINE_REFUSED, data=data)
