"""Agents on a load machine, as the process of its worker keeps them: started by a task, ended on request.

One worker has one agent at a time (a resource), and takes each attempt of a run once: a task that dask would run again,
because a worker had left and come back, is refused.
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
    """The agents of one worker; ``folder`` remembers the runs that it has had, across restarts of the worker.

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
        """Run the agent of a run until it ends; returns its exit code. Raises ``UserError`` for one it has had."""
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
        self.end_all()  # there is no other

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
    """Make it the one of this process, for what dask calls here."""
    _runners[:] = [runner]


def running_here() -> list[str]:
    """The runs whose agents this process has now."""
    return [run_id for runner in _runners for run_id in runner.running]


def run_agent(start: AgentStart) -> int:
    """The task: the agent's exit code when it has ended."""
    return _runners[0].run(start)


async def end_agent(run_id: str) -> None:
    """What is called on the worker when a run does not need its agent any more. Another run's is left alone."""
    await asyncio.to_thread(_runners[0].end, run_id)
