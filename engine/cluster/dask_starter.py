"""Starts agents on the workers of a cluster: one long task each, pinned to its machine."""

import uuid
from collections.abc import Sequence

from engine.cluster.addresses import controller_addresses
from engine.cluster.agent_runner import end_agent, run_agent
from engine.cluster.connection import ClusterConnection
from engine.cluster.ports import PortRange
from engine.cluster.starter import AgentStart, RunningAgent, TlsFiles
from engine.errors import Remedy, RemedyKind, UserError
from engine.machines.access import SshAccess


class DaskStarter:
    """An ``AgentStarter`` on the cluster of a connection, which the caller closes.

    ``accesses`` are the known accesses of its machines: an agent connects back to the address with which the cluster
    was started, or else to this machine's address on the route to the agent's.
    """

    def __init__(self, cluster: ClusterConnection, accesses: Sequence[SshAccess]) -> None:
        self._cluster = cluster
        self._workers = cluster.workers()
        given = [cluster.state.settings.controller] if cluster.state.settings.controller else []
        self._addresses = list(dict.fromkeys([*given, *controller_addresses(accesses)]))

    @property
    def certificates(self) -> TlsFiles:
        return self._cluster.files

    @property
    def addresses(self) -> Sequence[str]:
        return self._addresses

    @property
    def ports(self) -> PortRange:
        return self._cluster.state.settings.agent_ports

    @property
    def machines(self) -> Sequence[str]:
        return list(self._workers)

    def start(self, machine: str, start: AgentStart) -> RunningAgent:
        """The task holds the machine's only resource, so that it drives one run at a time; it is never run again."""
        if machine not in self._workers:
            raise UserError(
                f"load machine '{machine}' is not in the cluster", remedy=Remedy(kind=RemedyKind.START_CLUSTER)
            )
        return _DaskAgent(self._cluster, self._workers[machine], machine, start)


class _DaskAgent:
    """One task. It is held as long as it runs, and cancelled with the run."""

    def __init__(self, cluster: ClusterConnection, worker: str, machine: str, start: AgentStart) -> None:
        self._cluster = cluster
        self._worker = worker
        self._machine = machine
        self._run_id = start.run_id
        self._task = cluster.begin(self._run(start))

    def failure(self) -> str | None:
        if not self._task.done():
            return None
        if self._task.cancelled():
            return f"the worker of load machine '{self._machine}' is gone; start it again."
        error = self._task.exception()
        if isinstance(error, UserError):
            return str(error)
        if error is not None:
            return f"dask could not run its task ({type(error).__name__}: {error})."
        code = self.exit_code()
        return f"its agent has ended with exit code {code}." if code else None

    def exit_code(self) -> int | None:
        has_answered = self._task.done() and not self._task.cancelled() and self._task.exception() is None
        return self._task.result() if has_answered else None

    def cancel(self) -> None:
        if not self._task.done():
            self._cluster.begin(self._end())

    async def _run(self, start: AgentStart) -> int:
        from engine.cluster.dask_settings import RESOURCE

        code: int = await self._cluster.client.submit(
            run_agent,
            start,
            # With a key that it knows, dask would return the earlier task's result and start none.
            key=f"agent-{start.run_id}-{self._machine}-{uuid.uuid4().hex}",
            workers=[self._worker],
            allow_other_workers=False,
            resources={RESOURCE: 1},
            retries=0,
            pure=False,
        )
        return code

    async def _end(self) -> None:
        """End what still runs there; the task ends with it."""
        await self._cluster.client.run(end_agent, self._run_id, workers=[self._worker])
