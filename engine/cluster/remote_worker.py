"""A worker that is started on a load machine over SSH: its session, from the first line to its end.

The machine's certificate is sent on the session's standard input, so that it is neither in a shared file nor on a
command line; the worker ends when that input ends.
"""

import asyncio
import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from engine.cluster.addresses import address_towards
from engine.cluster.certificates import CertificateFolder, read_member
from engine.cluster.scheduler_check import SchedulerAddress
from engine.cluster.state import StartedWorker, WorkerState
from engine.cluster.worker_process import STOP
from engine.errors import UserError
from engine.figure_text import capitalised
from engine.machines.access import SshAccess, access_from_dict, access_to_dict
from engine.machines.ssh import FAILED, ssh_arguments, ssh_problem

_JOIN_SECONDS = 90.0
_END_SECONDS = 10.0
_NOT_FOUND = 127  # a shell's, for a command that is not found
_TAIL_BYTES = 4096


@dataclass(frozen=True, kw_only=True)
class WorkerPlan:
    """A machine, how it is reached, and the port on which its worker listens (0: any).

    ``controller`` is this machine's address as seen from there; if it is empty, it is determined.
    """

    machine: str
    access: SshAccess
    port: int = 0
    controller: str = ""

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Self:
        access = access_from_dict(plain["access"])
        assert isinstance(access, SshAccess), "others start nothing"
        return cls(**{**plain, "access": access})

    def to_dict(self) -> dict[str, Any]:
        """For JSON; there is no secret in it."""
        return {
            "machine": self.machine,
            "access": access_to_dict(self.access),
            "port": self.port,
            "controller": self.controller,
        }


class RemoteWorker:
    """One session; ``changed`` is called with each new state of the worker, on the event loop, until it is stopped.
    ``now`` is the present state.
    """

    def __init__(
        self, plan: WorkerPlan, certificates: CertificateFolder, log: Path, changed: Callable[[StartedWorker], None]
    ) -> None:
        self._plan = plan
        self._certificates = certificates
        self._log = log
        self._changed = changed
        self.now = StartedWorker(machine=plan.machine)
        self._is_stopped = False
        self._joining: asyncio.Task[int] | None = None
        self._session: asyncio.subprocess.Process | None = None
        self._watching: asyncio.Task[None] | None = None

    @property
    def is_over(self) -> bool:
        """Whether it has ended, or could not be started."""
        return self.now.state is WorkerState.ENDED

    async def start(self, scheduler_port: int) -> None:
        """Start it, and return when it has joined or could not, or was stopped."""
        self._changed(self.now)
        self._joining = asyncio.create_task(self._join(scheduler_port))
        try:
            processors = await asyncio.wait_for(self._joining, _JOIN_SECONDS)
        except asyncio.CancelledError:
            if not self._is_stopped:
                raise
            self._report("it was stopped")
        except TimeoutError:
            self._report(f"it did not join within {_JOIN_SECONDS:.0f} s; see {self._log}")
            await self.stop()
        except UserError as error:
            self._report(str(error).rstrip("."))
        except OSError as error:
            self._report(f"ssh can't be started here ({error.strerror or error}); install its OpenSSH client")
        else:
            self._change(StartedWorker(machine=self._plan.machine, state=WorkerState.READY, processors=processors))
            self._watching = asyncio.create_task(self._watch())

    async def stop(self) -> None:
        """Ask the worker to end with its agents; a session that stays is killed. Without a session, none is begun."""
        self._is_stopped = True
        for task in (self._joining, self._watching):
            if task is not None:
                task.cancel()
        session = self._session
        if session is None or session.returncode is not None:
            return
        assert session.stdin is not None
        session.stdin.write(f"{STOP}\n".encode())
        session.stdin.close()
        try:
            await asyncio.wait_for(session.wait(), _END_SECONDS)
        except TimeoutError:
            session.kill()
            await session.wait()

    async def _join(self, scheduler_port: int) -> int:
        """Start it; returns how many processors it has when the scheduler has it."""
        plan = self._plan
        controller = plan.controller or await asyncio.to_thread(address_towards, plan.access)
        member = read_member(self._certificates.files(plan.machine))
        command = worker_command(plan, SchedulerAddress(controller, scheduler_port))
        self._log.parent.mkdir(parents=True, exist_ok=True)
        with self._log.open("wb") as log:
            self._session = session = await asyncio.create_subprocess_exec(
                *ssh_arguments(plan.access, command),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=log,
            )
        assert session.stdin is not None
        assert session.stdout is not None
        session.stdin.write(json.dumps(member).encode() + b"\n")
        async for line in session.stdout:
            with suppress(ValueError, KeyError, TypeError):  # what its shell's start-up files print is not the worker's
                return int(json.loads(line)["processors"])
        raise await self._failure(session)

    async def _watch(self) -> None:
        assert self._session is not None
        await self._session.wait()
        self._report(str(await self._failure(self._session)).rstrip("."))

    async def _failure(self, session: asyncio.subprocess.Process) -> UserError:
        """Why the session has ended, from what was written to the log."""
        code = await session.wait()
        said = self._tail()
        if code == FAILED:
            return ssh_problem(self._plan.access, said)
        if code == _NOT_FOUND:
            return UserError(
                f"{_spindle(self._plan)} is no command there; install Spindle there, and give its path in the machine's"
                " SSH access."
            )
        lines = [line.strip() for line in said.splitlines() if line.strip()]
        last = lines[-1].removeprefix("spindle: ") if lines else f"its exit code was {code}"
        return UserError(last)

    def _tail(self) -> str:
        with self._log.open("rb") as log:
            log.seek(max(0, log.seek(0, 2) - _TAIL_BYTES))
            return log.read().decode(errors="replace")

    def _report(self, message: str) -> None:
        self._change(
            StartedWorker(machine=self._plan.machine, state=WorkerState.ENDED, message=f"{capitalised(message)}.")
        )

    def _change(self, now: StartedWorker) -> None:
        self.now = now
        if not self._is_stopped:
            self._changed(now)


def worker_command(plan: WorkerPlan, scheduler: SchedulerAddress) -> str:
    """The command that runs on the load machine; its certificate follows on standard input."""
    port = f" --port {plan.port}" if plan.port else ""
    return f"{_spindle(plan)} worker --scheduler {scheduler} --certificates -{port}"


def _spindle(plan: WorkerPlan) -> str:
    return plan.access.spindle or "spindle"
