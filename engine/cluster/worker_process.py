"""The process of a load machine's worker: dask's worker, and the agents that it is asked to start.

It ends when the scheduler has ended, on request, or when its standard input ends, if it was started over SSH. Agents go
on until their runs are over, unless it is asked to end them: a run does not need the scheduler.
"""

import asyncio
import json
import shutil
import signal
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from engine.cluster.agent_runner import AgentRunner, use_runner
from engine.cluster.agent_task import start_agent
from engine.cluster.certificates import check_member, write_member
from engine.cluster.extra import check_cluster_packages
from engine.cluster.questions import utc_seconds
from engine.cluster.scheduler_check import SchedulerAddress, check_scheduler
from engine.cluster.starter import TlsFiles
from engine.errors import UserError

if TYPE_CHECKING:
    from distributed import Worker

CLOCK_HANDLER = "spindle_clock"
"""The name of the worker's handler that returns its time."""
STOP = "stop"
"""The line on standard input that ends the worker together with its agents."""
_JOIN_SECONDS = 30.0
_THREADS = 2  # threads for tasks: one for the agent, and a free one


def received_member(lines: TextIO, folder: Path) -> TlsFiles:
    """Write the certificate from the first line to files; raises ``UserError``."""
    try:
        return write_member(folder, json.loads(lines.readline()))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise UserError("no certificate came on standard input; give --certificates FOLDER.") from error


def serve_worker(
    address: SchedulerAddress,
    files: TlsFiles,
    *,
    runs_folder: Path,
    port: int = 0,
    lines: TextIO | None = None,
    announce: Callable[[str], None],
) -> str:
    """Serve as the load machine that the certificate names; returns a sentence on why it has ended.

    ``port`` is where it listens, 0 for any. The worker ends with ``lines``, and when ``STOP`` is one of them.
    ``announce`` is called with the machine's name when the scheduler has it. Raises ``UserError`` when it can't join.
    """
    check_cluster_packages()
    machine = check_member(files)
    check_scheduler(address, files)
    runner = AgentRunner(machine, files, runs_folder, start_agent)
    use_runner(runner)
    scratch = tempfile.mkdtemp(prefix="spindle-worker-")
    try:
        return asyncio.run(_Service(address, files, machine, runner, announce).run(port, lines, scratch))
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


class _Service:
    def __init__(
        self,
        address: SchedulerAddress,
        files: TlsFiles,
        machine: str,
        runner: AgentRunner,
        announce: Callable[[str], None],
    ) -> None:
        self._address = address
        self._files = files
        self._machine = machine
        self._runner = runner
        self._announce = announce
        self._asked = asyncio.Event()
        self._ends_agents = False

    async def run(self, port: int, lines: TextIO | None, scratch: str) -> str:
        from engine.cluster.dask_settings import close_http

        self._listen_for_signals()
        worker = self._worker(port, scratch)
        try:
            await worker
        except (OSError, ValueError, RuntimeError) as error:  # dask raises errors of many types
            await worker.close()
            raise UserError(f"the scheduler at {self._address.place} did not take this machine ({error}).") from error
        close_http(worker)
        self._announce(self._machine)
        watching = None if lines is None else asyncio.create_task(self._watch(lines))
        asked, over = asyncio.create_task(self._asked.wait()), asyncio.create_task(worker.finished())
        await asyncio.wait((asked, over), return_when=asyncio.FIRST_COMPLETED)
        was_asked = self._asked.is_set()
        for task in filter(None, (watching, asked)):
            task.cancel()
        await self._end(worker)
        if was_asked:
            return "it was asked to end."
        return f"the scheduler at {self._address.place} is gone."

    def _worker(self, port: int, scratch: str) -> "Worker":
        from distributed import Worker

        from engine.cluster.dask_settings import HTTP_ADDRESS, RESOURCE, apply_settings, security_of

        apply_settings()
        made = Worker(
            str(self._address),
            port=port,
            name=self._machine,
            nthreads=_THREADS,
            memory_limit=0,
            resources={RESOURCE: 1},
            security=security_of(self._files),
            dashboard_address=HTTP_ADDRESS,
            local_directory=scratch,
            death_timeout=_JOIN_SECONDS,
        )
        made.handlers[CLOCK_HANDLER] = utc_seconds
        return made

    async def _end(self, worker: "Worker") -> None:
        """End the worker, and its agents too if that was requested; otherwise wait for them."""
        if self._ends_agents:
            await asyncio.to_thread(self._runner.end_all)
        closing = asyncio.create_task(worker.close(executor_wait=False))
        await asyncio.to_thread(self._runner.wait_until_none)
        await closing

    async def _watch(self, lines: TextIO) -> None:
        """Wait for the end of the standard input, which a daemon thread reads."""
        reader = asyncio.StreamReader()
        await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), lines)
        line = await reader.readline()
        self._ends_agents = line.decode().strip() == STOP
        self._asked.set()

    def _listen_for_signals(self) -> None:
        """SIGTERM and Ctrl-C end it together with its agents."""

        def end() -> None:
            self._ends_agents = True
            self._asked.set()

        for number in (signal.SIGTERM, signal.SIGINT):
            with suppress(NotImplementedError):  # Windows: Ctrl-C raises KeyboardInterrupt
                asyncio.get_running_loop().add_signal_handler(number, end)
