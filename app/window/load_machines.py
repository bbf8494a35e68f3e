"""Connects the dialog of load machines with the inventory, and with the cluster that runs from the home.

Everything that waits runs in the background, the import of what speaks to the machines too.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from app.background import Job
from app.remedy_text import window_text
from app.services import Services
from engine.cluster.extra import check_cluster_packages
from engine.errors import UserError
from engine.figure_text import capitalised, counted
from engine.machines.inventory import Inventory, read_inventory
from engine.machines.machine import WORKSTATION, Role
from engine.parameters.values import Whole
from widgets.machines.load_machines_dialog import ClusterOptions, LoadMachinesDialog, machine_texts
from widgets.parts.look import Look

if TYPE_CHECKING:
    from engine.cluster.report import MachineReport
    from engine.cluster.state import ClusterSettings, StartedWorker

_PORT = Whole(0, 65_535)


@dataclass(frozen=True, kw_only=True)
class _Offered:
    """What the dialog begins with."""

    inventory: Inventory
    problems: Mapping[str, str]
    is_running: bool
    certificates: str


@dataclass(frozen=True, kw_only=True)
class _Asked:
    """The machines of the running cluster as they are, workers that could not join among them."""

    reports: "tuple[MachineReport, ...]"
    certificates: str

    @property
    def sentence(self) -> str:
        refused = sum(bool(each.findings.refusals) for each in self.reports)
        if refused:
            return f"{counted(refused, 'load machine')} can't drive clients."
        return f"{counted(len(self.reports), 'load machine')} can drive clients."


class LoadMachines(QObject):
    """Created once; ``show`` opens the dialog over ``window``."""

    def __init__(self, look: Look, services: Services, window: QWidget) -> None:
        super().__init__(window)
        self._look = look
        self._services = services
        self._window = window
        self._inventory = Inventory()
        self._job: Job[_Asked] | None = None
        self.dialog: LoadMachinesDialog | None = None

    @property
    def _folder(self) -> Path:
        return self._services.workbench.places.cluster

    def show(self) -> None:
        """Read the inventory and whether a cluster runs, and open the dialog."""
        if self.dialog is not None:
            self.dialog.raise_()
            return
        places = self._services.workbench.places

        def work(_job: Job[_Offered]) -> _Offered:
            check_cluster_packages()
            from engine.cluster.deployment import startable_problem
            from engine.cluster.state import read_state

            inventory = read_inventory(places.machines)
            return _Offered(
                inventory=inventory,
                problems={each.name: startable_problem(each) for each in inventory if each.name != WORKSTATION},
                is_running=read_state(places.cluster) is not None,
                certificates=_certificates(places.cluster),
            )

        self._services.background.start(work, done=self._open)

    def _open(self, offered: _Offered) -> None:
        if self.dialog is not None:
            return
        from engine.cluster.scheduler_check import DEFAULT_PORT

        self._inventory = offered.inventory
        chosen = [each.name for each in offered.inventory if Role.LOAD_MACHINE in each.roles]
        self.dialog = dialog = LoadMachinesDialog(
            self._look, offered.problems, chosen, offered.certificates, self._window
        )
        dialog.port.setText(str(DEFAULT_PORT))
        dialog.start_requested.connect(self._on_start)
        dialog.stop_requested.connect(self._on_stop)
        dialog.stop_machine_requested.connect(self._on_stop_machine)
        dialog.renew_requested.connect(self._on_renew)
        dialog.ask_requested.connect(self._on_ask)
        dialog.cancel_requested.connect(self._on_cancel)
        dialog.finished.connect(self._on_closed)
        if offered.is_running:
            dialog.show_running()
            self._on_ask()
        else:
            dialog.show_stopped()
        dialog.show()

    def _on_closed(self) -> None:
        if self.dialog is not None:
            self.dialog.deleteLater()
            self.dialog = None

    def _on_start(self, names: list[str]) -> None:
        inventory, folder = self._inventory, self._folder
        assert self.dialog is not None, "it has requested it"
        options = self.dialog.options

        def work(job: Job[_Asked]) -> _Asked:
            from engine.cluster.deployment import start_cluster, worker_plans
            from engine.cluster.state import WorkerState, read_state

            state = read_state(folder)
            settings = _settings(options) if state is None else state.settings
            plans = worker_plans(
                inventory, names, port=_PORT.checked("worker port", _PORT.read("worker port", options.worker_port))
            )
            joined: list[str] = []

            def report(worker: "StartedWorker") -> None:
                joined.append(worker.machine)
                word = "is ready" if worker.state is WorkerState.READY else "could not join"
                job.report_progress(f"{worker.machine} {word}", len(joined) / len(plans))

            start_cluster(folder, plans, settings, report=report, cancelled=job.cancelled)
            return _ask(folder, job)

        self._work("starting load machines", work)

    def _on_ask(self) -> None:
        self._work("asking the load machines", lambda job: _ask(self._folder, job))

    def _work(self, name: str, work: Callable[[Job[_Asked]], _Asked]) -> None:
        if self.dialog is not None:
            self.dialog.show_busy(f"{name} …")
        self._job = self._services.long_work.start(
            name,
            work,
            done=self._on_asked,
            cancelled=self._on_cancelled,
            failed=self._on_failed,
            progressed=self._on_progress,
            beside=self.dialog,
            sentence=lambda asked: asked.sentence,
        )

    def _on_progress(self, doing: str, share: float) -> None:
        if self.dialog is not None:
            self.dialog.show_busy(doing, share)

    def _on_asked(self, asked: _Asked) -> None:
        from engine.cluster.report import TITLES

        if self.dialog is None:
            return
        titles = TITLES[:-1]  # no target was tried
        rows = [(each.machine, *each.texts[: len(titles)]) for each in asked.reports]
        sentences = [
            (capitalised(sentence), False)
            for each in asked.reports
            for sentence in (*each.findings.refusals, *each.findings.warnings)
        ]
        self.dialog.show_machines(machine_texts(titles, rows), sentences, asked.certificates)
        self.dialog.show_result(asked.sentence, ok=not any(each.findings.refusals for each in asked.reports))

    def _on_stop(self, is_forced: bool) -> None:
        folder = self._folder
        if self.dialog is not None:
            self.dialog.show_busy("stopping …")

        def work(_job: Job[None]) -> None:
            from engine.cluster.deployment import refuse_in_use, stop_cluster

            if not is_forced:
                refuse_in_use(folder)
            stop_cluster(folder)

        self._services.background.start(work, done=lambda _: self._on_stopped(), failed=self._on_failed)

    def _on_stop_machine(self, name: str, is_forced: bool) -> None:
        folder = self._folder

        def work(job: Job[_Asked]) -> _Asked:
            from engine.cluster.deployment import stop_machine

            stop_machine(folder, name, is_forced=is_forced)
            return _ask(folder, job)

        self._work(f"stopping {name}", work)

    def _on_renew(self) -> None:
        folder, inventory = self._folder, self._inventory

        def work(_job: Job[str]) -> str:
            from engine.cluster.certificates import CertificateFolder

            names = [each.name for each in inventory if Role.LOAD_MACHINE in each.roles]
            CertificateFolder(folder).make(names, renew=True)
            return _certificates(folder)

        self._services.background.start(work, done=self._on_renewed, failed=self._on_failed)

    def _on_renewed(self, certificates: str) -> None:
        if self.dialog is not None:
            self.dialog.certificates.setText(certificates)
            self.dialog.show_result(
                "All certificates were made anew; machines get theirs when they are started.", ok=True
            )

    def _on_stopped(self) -> None:
        if self.dialog is not None:
            self.dialog.show_stopped()
            self.dialog.show_result("Stopped; nothing is left running on the machines.", ok=True)

    def _on_cancel(self) -> None:
        if self._job is not None:
            self._job.cancel()

    def _on_cancelled(self) -> None:
        self._show_outcome("Cancelled.", ok=True)

    def _on_failed(self, error: BaseException) -> None:
        from engine.cluster.deployment import ClusterInUse

        if self.dialog is None or not isinstance(error, UserError):
            self._services.messages.show_error(error)
        elif isinstance(error, ClusterInUse):
            self.dialog.show_in_use(capitalised(error.what), error.machine)
        else:
            self._show_outcome(capitalised(window_text(error)), ok=False)

    def _show_outcome(self, sentence: str, *, ok: bool) -> None:
        """Say what came of work that did not end as it should, once it is known whether a cluster runs after it."""
        folder = self._folder

        def work(_job: Job[bool]) -> bool:
            from engine.cluster.state import read_state

            return read_state(folder) is not None

        def show(is_running: bool) -> None:
            if self.dialog is None:
                return
            if is_running:
                self.dialog.show_running()
            else:
                self.dialog.show_stopped()
            self.dialog.show_result(sentence, ok=ok)

        self._services.background.start(work, done=show)


def _settings(options: ClusterOptions) -> "ClusterSettings":
    """What was typed in the dialog; raises ``BadInput``."""
    from engine.cluster.ports import PortRange
    from engine.cluster.state import ClusterSettings

    return ClusterSettings(
        port=_PORT.checked("scheduler port", _PORT.read("scheduler port", options.port)),
        agent_ports=PortRange.read("agent ports", options.agent_ports),
        controller=options.address.strip(),
        takes_busy=options.takes_busy,
    )


def _ask(folder: Path, job: Job[_Asked]) -> _Asked:
    from engine.cluster.connection import ClusterConnection
    from engine.cluster.preflight import Needs
    from engine.cluster.report import ALL_KINDS, ask_machines

    job.report_progress("asking the load machines", 1.0)
    with ClusterConnection.connect(folder) as cluster:
        reports = ask_machines(cluster, Needs(kinds=ALL_KINDS), job.cancelled)
    return _Asked(reports=tuple(reports), certificates=_certificates(folder))


def _certificates(folder: Path) -> str:
    """Until when the certificates are valid: the first that expires."""
    from engine.cluster.certificates import CertificateFolder

    validities = CertificateFolder(folder).validities()
    if not validities:
        return "No certificates yet; Start makes them."
    return f"Certificates: {min(validities, key=lambda each: each.ends_at).sentence}."
