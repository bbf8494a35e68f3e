"""The agents of a load machine in the process of its worker: each is started by a task and ended on request.

A worker has one agent at a time (a dask resource), and accepts each attempt of a run once: a task that dask repeats
because the worker was away for a while is refused.
"""

import asyncio
import multiprocessing
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from engine.cluster.starter import AgentStart, TlsFiles
from engine.errors import UserError

_LEAVE_SECONDS = 5.0
"""How long an agent that its run does not need any more may take to remove its ledgers."""
_END_SECONDS = 3.0
_REMEMBERED_SECONDS = 7 * 24 * 3600.0


class AgentRunner:
    """The agents of one worker; the runs that it has accepted are stored in ``folder``, so that a restarted worker
    knows them.

    ``start_agent`` runs an agent until it ends, in a child process, and returns its exit code.
    """

    def __init__(self, machine: str, files: TlsFiles, folder: Path, start_agent: Callable[[AgentStart], int]) -> None:
        self._machine = machine
        self._files = files
        self._folder = folder
        self._start_agent = start_agent
        self._running: list[str] = []
        self._changed = threading.Condition()

    @property
    def running(self) -> list[str]:
        """The runs whose agents are here now."""
        return list(self._running)

    def run(self, start: AgentStart) -> int:
        """Run the agent of a run until it ends; returns its exit code. Raises ``UserError`` for an attempt that was
        accepted before."""
        self._remember(start)
        with self._changed:
            self._running.append(start.run_id)
        try:
            return self._start_agent(replace(start, certificates=self._files))
        finally:
            with self._changed:
                self._running.remove(start.run_id)
                self._changed.notify_all()

    def end(self, run_id: str) -> None:
        """End the agent of a run, if it is here and has not ended by itself in time."""
        with self._changed:
            if self._changed.wait_for(lambda: run_id not in self._running, _LEAVE_SECONDS):
                return
        self.end_all()  # it is the only one

    def end_all(self) -> None:
        """Kill the agents; their client processes end with them."""
        agents = multiprocessing.active_children()
        for agent in agents:
            agent.terminate()
        for agent in agents:
            agent.join(_END_SECONDS)
            if agent.is_alive():
                agent.kill()

    def wait_until_none(self) -> None:
        """Wait until no agent runs any more; each ends by itself when its run does."""
        with self._changed:
            self._changed.wait_for(lambda: not self._running)

    def _remember(self, start: AgentStart) -> None:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for each in self._folder.iterdir():
            with suppress(OSError):
                if each.stat().st_mtime < datetime.now(UTC).timestamp() - _REMEMBERED_SECONDS:
                    each.unlink()
        try:
            (self._folder / f"{self._machine} {start.run_id} {start.attempt}").touch(exist_ok=False)
        except FileExistsError as error:
            raise UserError(
                f"load machine {self._machine} has had run {start.run_id} already; start another run."
            ) from error


_runners: list[AgentRunner] = []


def use_runner(runner: AgentRunner) -> None:
    """Make this the runner of the process, for the functions that dask calls here."""
    _runners[:] = [runner]


def running_here() -> list[str]:
    """The runs whose agents this process has now."""
    return [run_id for runner in _runners for run_id in runner.running]


def run_agent(start: AgentStart) -> int:
    """The task: the agent's exit code when it has ended."""
    return _runners[0].run(start)


async def end_agent(run_id: str) -> None:
    """Called on the worker when a run no longer needs its agent. The agent of another run is left alone."""
    await asyncio.to_thread(_runners[0].end, run_id)
