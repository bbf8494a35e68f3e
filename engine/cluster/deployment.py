"""Starts and stops a cluster of load machines: the scheduler here, the workers over SSH."""

import json
import subprocess
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil

from engine.child_programs import in_own_session
from engine.cluster.certificates import CertificateFolder, checked_member
from engine.cluster.connection import ClusterConnection
from engine.cluster.extra import check_cluster_packages
from engine.cluster.remote_worker import WorkerPlan
from engine.cluster.state import ClusterSettings, ClusterState, StartedWorker, WorkerState, read_state, state_path
from engine.errors import BadInput, Cancelled, Remedy, RemedyKind, UserError
from engine.figure_text import listed
from engine.machines.access import SshAccess
from engine.machines.inventory import Inventory
from engine.machines.machine import WORKSTATION, Machine
from engine.machines.ssh import check_ssh
from engine.own_program import own_command

_STOP_SECONDS = 30.0
_POLL_SECONDS = 0.2


class ClusterInUse(UserError):  # noqa: N818 - it reads as what it is
    """Machines of the cluster drive a run; ``what`` says which machine and run, without a remedy."""

    def __init__(self, what: str, machine: str = "") -> None:
        kind = RemedyKind.LOSE_MACHINE if machine else RemedyKind.LOSE_CLUSTER
        super().__init__(what, remedy=Remedy(kind=kind, name=machine))
        self.what = f"{what}, which would lose {'it' if machine else 'them'}."
        self.machine = machine


def startable_problem(machine: Machine) -> str:
    """Why no worker can be started on a machine; empty if one can."""
    try:
        checked_member(machine.name)
        machine.access_of(SshAccess)
    except BadInput as error:
        return str(error)
    return ""


def worker_plans(inventory: Inventory, names: Iterable[str], *, port: int = 0) -> list[WorkerPlan]:
    """How the machines of these names are started; raises ``BadInput`` for one without an SSH access."""
    plans = []
    for name in dict.fromkeys(names):
        machine = inventory.machine(checked_member(name))
        if machine.name == WORKSTATION:
            raise BadInput(f"machine '{name}' is this one, which needs no worker; leave it out.")
        access = machine.access_of(SshAccess)
        plans.append(WorkerPlan(machine=name, access=access, port=port))
    if not plans:
        raise BadInput("the inventory has no load machine", remedy=Remedy(kind=RemedyKind.ADD_LOAD_MACHINE))
    return plans


def start_cluster(
    folder: Path,
    plans: Iterable[WorkerPlan],
    settings: ClusterSettings | None = None,
    *,
    report: Callable[[StartedWorker], None],
    cancelled: Callable[[], bool],
) -> bool:
    """Start a worker on each machine, and the scheduler if none runs; returns whether all have joined.

    ``settings`` are those of a new cluster, ``None`` for the usual ones; a cluster that runs already must have the
    same. Certificates that are missing are made. ``report`` is called with each worker when it has joined or could not.
    Raises ``UserError``, or ``Cancelled`` when everything has been ended again that was started.
    """
    plans = list(plans)
    check_cluster_packages()
    check_ssh()
    if (state := read_state(folder)) is not None:
        if settings not in (None, state.settings):
            raise UserError(
                f"the cluster runs already, with port {state.port} and other settings than these",
                remedy=Remedy(kind=RemedyKind.STOP_CLUSTER),
            )
        return _start_more(folder, state, plans, report, cancelled)
    CertificateFolder(folder).make(plan.machine for plan in plans)
    request = {
        "folder": str(folder),
        "settings": (settings or ClusterSettings()).to_dict(),
        "workers": [plan.to_dict() for plan in plans],
    }
    process = _launched(folder)
    # The process goes on after this function; the thread collects its exit code, so that it does not become a zombie.
    threading.Thread(target=process.wait, name="cluster", daemon=True).start()
    try:
        return _await(process, request, report, cancelled)
    except BaseException:
        process.terminate()
        with suppress(subprocess.TimeoutExpired):
            process.wait(_STOP_SECONDS)
        raise


def _start_more(
    folder: Path,
    state: ClusterState,
    plans: Iterable[WorkerPlan],
    report: Callable[[StartedWorker], None],
    cancelled: Callable[[], bool],
) -> bool:
    """Start machines that the running cluster does not have."""
    there = [name for name, worker in state.workers.items() if worker.state is not WorkerState.ENDED]
    new = [plan for plan in plans if plan.machine not in there]
    if not new:
        raise UserError(f"the cluster runs already{f' with {listed(there)}' if there else ''}.")
    CertificateFolder(folder).make(plan.machine for plan in new)
    have_joined = True
    with ClusterConnection.connect(folder) as cluster:
        for plan in new:
            try:
                worker = cluster.start_worker(plan, cancelled)
            except Cancelled:
                cluster.stop_worker(plan.machine)
                raise
            report(worker)
            have_joined = have_joined and worker.state is WorkerState.READY
    return have_joined


def stop_machine(folder: Path, machine: str, *, is_forced: bool = False) -> None:
    """End the worker of a machine and its agents; the others stay.

    Raises ``ClusterInUse`` when it drives a run, unless ``is_forced``, and ``UserError`` when it can't be ended.
    """
    with ClusterConnection.connect(folder) as cluster:
        if not is_forced and (running := cluster.runs([machine])):
            raise ClusterInUse(f"load machine {machine} drives run {listed(sorted(running))}", machine)
        if not cluster.stop_worker(machine):
            if machine in cluster.workers():
                raise UserError(f"load machine '{machine}' was started by hand; end its worker there.")
            raise UserError(
                f"load machine '{machine}' is not in the cluster", remedy=Remedy(kind=RemedyKind.LIST_CLUSTER)
            )


def refuse_in_use(folder: Path) -> None:
    """Raise ``ClusterInUse`` when a run is driven by machines of the cluster."""
    if read_state(folder) is None:
        return
    try:
        with ClusterConnection.connect(folder) as cluster:
            running = cluster.runs()
    except UserError:
        return  # what does not answer drives no run that we know of
    if running:
        raise ClusterInUse(f"the load machines drive run {listed(sorted(running))}")


def stop_cluster(folder: Path) -> bool:
    """End the scheduler, and with it all workers and their agents; returns whether there was one.

    Raises ``UserError`` when it does not end.
    """
    state = read_state(folder)
    process = None if state is None else state.process
    if process is None:
        return False
    with suppress(psutil.NoSuchProcess):
        process.terminate()
        try:
            process.wait(_STOP_SECONDS)
        except psutil.TimeoutExpired as error:
            raise UserError(f"process {process.pid} of the scheduler does not end; kill it.") from error
    state_path(folder).unlink(missing_ok=True)
    return True


def _launched(folder: Path) -> "subprocess.Popen[str]":
    """The process, in a session of its own: it outlives us and our terminal."""
    log = folder / "log" / "scheduler.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("ab") as errors:
        return subprocess.Popen(
            own_command("scheduler"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            **in_own_session(),
        )


def _await(
    process: "subprocess.Popen[str]",
    request: dict[str, Any],
    report: Callable[[StartedWorker], None],
    cancelled: Callable[[], bool],
) -> bool:
    assert process.stdin is not None
    assert process.stdout is not None
    with suppress(BrokenPipeError):
        process.stdin.write(json.dumps(request) + "\n")
        process.stdin.close()
    is_over = threading.Event()
    watching = threading.Thread(target=_end_if_cancelled, args=(process, cancelled, is_over), daemon=True)
    watching.start()
    have_joined, is_done = True, False
    try:
        for line in process.stdout:
            told = json.loads(line)
            if "error" in told:
                raise UserError(told["error"])
            if "worker" in told:
                worker = StartedWorker.from_dict(told["worker"])
                have_joined = have_joined and worker.state is WorkerState.READY
                report(worker)
            is_done = is_done or "done" in told
    finally:
        is_over.set()
        watching.join()
        process.stdout.close()
    if cancelled():
        raise Cancelled
    if not is_done:
        raise UserError(f"the scheduler has ended; see {Path(request['folder']) / 'log' / 'scheduler.log'}.")
    return have_joined


def _end_if_cancelled(
    process: "subprocess.Popen[str]", cancelled: Callable[[], bool], is_over: threading.Event
) -> None:
    while not is_over.wait(_POLL_SECONDS):
        if cancelled():
            process.terminate()
            return
