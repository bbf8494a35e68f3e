"""The process of a cluster: dask's scheduler, and the SSH sessions of the workers that were started with it.

It is started by ``engine.cluster.deployment``, told what to start by a line of JSON, and answers with lines until all
workers have joined or failed. Then it goes on alone. When it ends, the sessions end, and with them the workers.
"""

import asyncio
import json
import logging
import os
import signal
import sys
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import psutil

from engine.cluster.certificates import SCHEDULER, CertificateFolder
from engine.cluster.remote_worker import RemoteWorker, WorkerPlan
from engine.cluster.state import ClusterState, StartedWorker, WorkerState, state_path, write_state
from engine.errors import UserError
from engine.machines.access import SshAccess, access_from_dict

if TYPE_CHECKING:
    from distributed import Scheduler


class ClusterProcess:
    """What runs in the process. ``folder`` is the home's of the cluster, ``port`` where the scheduler listens."""

    def __init__(self, folder: Path, port: int, plans: list[WorkerPlan]) -> None:
        self._folder = folder
        self._port = port
        certificates = CertificateFolder(folder)
        self._scheduler_files = certificates.files(SCHEDULER)
        self._workers = [
            RemoteWorker(plan, certificates, folder / "log" / f"{plan.machine}.log", self._on_changed) for plan in plans
        ]
        self._state: ClusterState | None = None
        self._stop = asyncio.Event()
        self._is_told = True

    async def run(self) -> int:
        """Serve until it is asked to stop; returns the exit code."""
        for number in (signal.SIGTERM, signal.SIGINT):
            with suppress(NotImplementedError):  # Windows, where ending the process is all there is
                asyncio.get_running_loop().add_signal_handler(number, self._stop.set)
        try:
            scheduler = await self._start_scheduler()
        except OSError as error:
            why = error.strerror or str(error)
            self._tell(error=f"the scheduler can't listen on port {self._port} ({why}); give another one by --port.")
            return 1
        try:
            await self._serve(scheduler)
        finally:
            await asyncio.gather(*(worker.stop() for worker in self._workers))
            await scheduler.close()
            state_path(self._folder).unlink(missing_ok=True)
        return 0

    async def _start_scheduler(self) -> "Scheduler":
        from distributed import Scheduler

        from engine.cluster.dask_settings import NO_HTTP, apply_settings, close_http, security_of

        apply_settings()
        scheduler = Scheduler(
            port=self._port,
            protocol="tls",
            security=security_of(self._scheduler_files),
            dashboard=False,
            dashboard_address=NO_HTTP,
        )
        close_http(scheduler)
        await scheduler
        return scheduler

    async def _serve(self, scheduler: "Scheduler") -> None:
        own = psutil.Process()
        port = int(scheduler.address.rpartition(":")[2])
        self._state = ClusterState(pid=own.pid, created=own.create_time(), port=port)
        write_state(self._folder, self._state)
        self._tell(port=port)
        starting = asyncio.gather(*(worker.start(port) for worker in self._workers))
        stopping = asyncio.create_task(self._stop.wait())
        await asyncio.wait((starting, stopping), return_when=asyncio.FIRST_COMPLETED)
        self._tell(done=True)
        self._is_told = False
        _close_output()
        await stopping
        starting.cancel()
        with suppress(asyncio.CancelledError):
            await starting

    def _on_changed(self, worker: StartedWorker) -> None:
        assert self._state is not None, "the scheduler is started first"
        self._state = self._state.with_worker(worker)
        with suppress(UserError):  # a full disk: the workers are known to the scheduler all the same
            write_state(self._folder, self._state)
        if worker.state is not WorkerState.STARTING:
            self._tell(worker=asdict(worker))

    def _tell(self, **what: object) -> None:
        """Tell whoever has started this, as long as it listens."""
        if self._is_told:
            with suppress(OSError):
                print(json.dumps(what), flush=True)


def _close_output() -> None:
    """End what the one who has started this reads; closing ``sys.stdout`` would leave its descriptor open."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, sys.stdout.fileno())
    os.close(null)


def main(_arguments: list[str]) -> int:
    """Serve as the request on standard input says: ``folder``, ``port``, ``workers``."""
    request = json.loads(sys.stdin.readline())
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    os.chdir(Path(request["folder"]).anchor)
    plans = []
    for each in request["workers"]:
        access = access_from_dict(each.pop("access"))
        assert isinstance(access, SshAccess), "others start nothing"
        plans.append(WorkerPlan(access=access, **each))
    return asyncio.run(ClusterProcess(Path(request["folder"]), request["port"], plans).run())
