"""The interface through which a run starts agents on load machines, whatever technique starts them.

An agent is a process on a load machine that spawns the client processes of a run there and connects back to the run
over TLS (``engine.cluster.agent``). The run starts it through an ``AgentStarter``, such as the one that uses dask.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from engine.cluster.ports import PortRange

CONTROLLER = "controller"
"""The common name in the certificate of the machine that makes the run; a load machine has its own name in its."""


@dataclass(frozen=True, kw_only=True)
class TlsFiles:
    """Paths of PEM files on the machine that uses them: the CA's certificate, and its own certificate with its key."""

    ca: str
    certificate: str
    key: str


@dataclass(frozen=True, kw_only=True)
class AgentStart:
    """What an agent is started with. There are no secrets in it: these come through the agent's connection.

    The agent tries ``controller_addresses``, each a name or an IP address, in this order until one answers at ``port``.
    ``certificates`` are the paths on the load machine. ``attempt`` counts the run's agents on the machine: one that was
    killed is followed by a second, which fetches its ledgers.
    """

    run_id: str
    machine: str
    controller_addresses: tuple[str, ...]
    port: int
    certificates: TlsFiles
    attempt: int = 1


class RunningAgent(Protocol):
    """An agent whose start was requested; no method waits for the machine."""

    def failure(self) -> str | None:
        """A sentence on why the agent could not be started or has ended with an error; ``None`` while it is well."""
        ...

    def exit_code(self) -> int | None:
        """The exit code of the agent's process; ``None`` while it runs, and when it is not known."""
        ...

    def cancel(self) -> None:
        """End the agent if it has not ended; the run does not need it any more."""
        ...


class AgentStarter(Protocol):
    """Starts agents on the machines that it has."""

    @property
    def certificates(self) -> TlsFiles:
        """The controller's, on this machine."""
        ...

    @property
    def addresses(self) -> Sequence[str]:
        """How load machines may reach this one, the likeliest first."""
        ...

    @property
    def ports(self) -> PortRange:
        """Where a run may listen for its agents."""
        ...

    @property
    def machines(self) -> Sequence[str]:
        """The names of the machines on which agents can be started now."""
        ...

    def start(self, machine: str, start: AgentStart) -> RunningAgent:
        """Start an agent, with ``start.certificates`` replaced by the paths on that machine; returns at once.

        Raises ``UserError`` for a machine that is not there.
        """
        ...
