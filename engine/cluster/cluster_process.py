"""The process of a cluster: dask's scheduler, and the SSH sessions of the workers that were started with it.

It is started by ``engine.cluster.deployment``, reads what to start from a line of JSON, and prints lines until all
workers have joined or failed. Then it goes on alone; single machines are started and stopped by calls to the scheduler.
When it ends, the sessions end, and with them the workers.
"""

import asyncio
import json
import logging
import os
import signal
import sys
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil

from engine.cluster.certificates import SCHEDULER, CertificateFolder
from engine.cluster.remote_worker import RemoteWorker, WorkerPlan
from engine.cluster.state import ClusterSettings, ClusterState, StartedWorker, WorkerState, state_path, write_state
from engine.errors import UserError

if TYPE_CHECKING:
    from distributed import Scheduler


START_HANDLER, STOP_HANDLER = "spindle_start_worker", "spindle_stop_worker"
"""The scheduler's handlers that start and stop the worker of a machine; every holder of a certificate can call them."""


class ClusterProcess:
    """What runs in the process. ``folder`` is the home's of the cluster."""

    def __init__(self, folder: Path, settings: ClusterSettings, plans: list[WorkerPlan]) -> None:
        self._folder = folder
        self._settings = settings
        self._certificates = CertificateFolder(folder)
        self._workers = {plan.machine: self._new_worker(plan) for plan in plans}
        self._state: ClusterState | None = None
        self._stop = asyncio.Event()
        self._is_read = True

    async def run(self) -> int:
        """Serve until it is asked to stop; returns the exit code."""
        for number in (signal.SIGTERM, signal.SIGINT):
            with suppress(NotImplementedError):  # Windows, where a process can only be killed
                asyncio.get_running_loop().add_signal_handler(number, self._stop.set)
        try:
            scheduler = await self._start_scheduler()
        except OSError as error:
            why = error.strerror or str(error)
            self._print(error=f"the scheduler can't listen on port {self._settings.port} ({why}); choose another port.")
            return 1
        try:
            await self._serve(scheduler)
        finally:
            await asyncio.gather(*(worker.stop() for worker in self._workers.values()))
            await scheduler.close()
            state_path(self._folder).unlink(missing_ok=True)
        return 0

    async def _start_scheduler(self) -> "Scheduler":
        from distributed import Scheduler

        from engine.cluster.dask_settings import HTTP_ADDRESS, apply_settings, close_http, security_of

        apply_settings()
        scheduler = Scheduler(
            port=self._settings.port,
            protocol="tls",
            security=security_of(self._certificates.files(SCHEDULER)),
            dashboard=False,
            dashboard_address=HTTP_ADDRESS,
        )
        close_http(scheduler)
        scheduler.handlers[START_HANDLER] = self._start_worker
        scheduler.handlers[STOP_HANDLER] = self._stop_worker
        await scheduler
        return scheduler

    async def _serve(self, scheduler: "Scheduler") -> None:
        own = psutil.Process()
        port = int(scheduler.address.rpartition(":")[2])
        self._state = ClusterState(pid=own.pid, created=own.create_time(), settings=replace(self._settings, port=port))
        write_state(self._folder, self._state)
        self._print(port=port)
        starting = asyncio.gather(*(worker.start(port) for worker in self._workers.values()))
        stopping = asyncio.create_task(self._stop.wait())
        await asyncio.wait((starting, stopping), return_when=asyncio.FIRST_COMPLETED)
        self._print(done=True)
        self._is_read = False
        _close_output()
        await stopping
        starting.cancel()
        with suppress(asyncio.CancelledError):
            await starting

    def _new_worker(self, plan: WorkerPlan) -> RemoteWorker:
        plan = replace(plan, controller=plan.controller or self._settings.controller)
        return RemoteWorker(plan, self._certificates, self._folder / "log" / f"{plan.machine}.log", self._on_changed)

    async def _start_worker(self, plan: dict[str, Any]) -> dict[str, Any]:
        """Start a machine's worker unless there is one; returns the worker's state."""
        made = WorkerPlan.from_dict(plan)
        assert self._state is not None, "the scheduler is started first"
        worker = self._workers.get(made.machine)
        if worker is None or worker.is_over:
            worker = self._workers[made.machine] = self._new_worker(made)
            await worker.start(self._state.port)
        return asdict(worker.now)

    async def _stop_worker(self, machine: str) -> bool:
        """Stop a machine's worker, with its agents; returns whether it was started here."""
        worker = self._workers.pop(machine, None)
        if worker is None:
            return False
        await worker.stop()
        assert self._state is not None, "the scheduler is started first"
        self._store(self._state.without_worker(machine))
        return True

    def _on_changed(self, worker: StartedWorker) -> None:
        assert self._state is not None, "the scheduler is started first"
        self._store(self._state.with_worker(worker))
        if worker.state is not WorkerState.STARTING:
            self._print(worker=asdict(worker))

    def _store(self, state: ClusterState) -> None:
        self._state = state
        with suppress(UserError):  # a full disk: the workers are known to the scheduler all the same
            write_state(self._folder, state)

    def _print(self, **values: object) -> None:
        """Print a line of JSON for the program that started this process, as long as that reads."""
        if self._is_read:
            with suppress(OSError):
                print(json.dumps(values), flush=True)


def _close_output() -> None:
    """Close the output that the starting program reads; closing ``sys.stdout`` would leave its descriptor open."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, sys.stdout.fileno())
    os.close(null)


def main(_arguments: list[str]) -> int:
    """Serve as the request on standard input says, which ``engine.cluster.deployment.start_cluster`` makes."""
    request = json.loads(sys.stdin.readline())
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    os.chdir(Path(request["folder"]).anchor)
    process = ClusterProcess(
        Path(request["folder"]),
        ClusterSettings.from_dict(request["settings"]),
        [WorkerPlan.from_dict(each) for each in request["workers"]],
    )
    return asyncio.run(process.run())
