"""The servers of one lab's folder, and what is known about them: what the keeper keeps.

Today that is one node. Called by the keeper; ``LabStatus`` is also what the apps are told.
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Self

from engine.lab.account import Account, choose_account
from engine.lab.binaries import server_version
from engine.lab.folder import LabFolder
from engine.lab.node import Node, PortTaken, pick_port

RUNNING = "running"
DOWN = "down"
STOPPED = "stopped"
NODE_NAME = "node1"
_PORT_ATTEMPTS = 5
_STOP_TIMEOUT_SECONDS = 30.0


@dataclass(frozen=True, kw_only=True)
class LabStatus:
    """How a lab stands.

    ``state`` is ``running``, ``down`` (the keeper is there, its server has died) or ``stopped`` (neither is there);
    ``port`` is the server's, in use or of the last start; ``leases`` counts the attached apps, and ``kept`` tells
    that the server stays without any.
    """

    state: str
    port: int | None
    server_pid: int | None
    version: str
    data_folder: Path
    keeper_pid: int | None = None
    leases: int = 0
    kept: bool = False

    def to_message(self) -> dict[str, Any]:
        """The status as JSON's plain types, for the keeper's answer."""
        return asdict(self) | {"data_folder": str(self.data_folder)}

    @classmethod
    def from_message(cls, message: dict[str, Any]) -> Self:
        return cls(**(message | {"data_folder": Path(message["data_folder"])}))


def stopped_status(folder: LabFolder) -> LabStatus:
    """The status of a lab that has no keeper."""
    return LabStatus(
        state=STOPPED,
        port=folder.read_port(),
        server_pid=None,
        version=server_version(),
        data_folder=folder.node(NODE_NAME) / "data",
    )


class Lab:
    """The lab's server, as its keeper sees it."""

    def __init__(self, folder: LabFolder) -> None:
        self._folder = folder
        self._account: Account | None = None
        self._node: Node | None = None

    def ensure_running(self, tell: Callable[[str], None]) -> None:
        """Start the server if it does not run; the first time its data are made.

        Raises ``UserError`` when that can't be done.
        """
        if self._node is not None and self._node.pid is not None:
            return
        node = self._prepared_node(tell)
        if node.is_made:
            self._folder.password()
        else:
            tell(f"Making the embedded server's data in {node.data}.")
            node.make(self._folder.make_password())
        self._start(node, tell)
        self._node = node

    def status(self) -> LabStatus:
        """How the server stands; what the keeper knows (itself, its leases) is not filled in."""
        pid = self._node.pid if self._node is not None else None
        return replace(stopped_status(self._folder), state=RUNNING if pid is not None else DOWN, server_pid=pid)

    def stop(self) -> None:
        """Shut the server down in order, or kill it when that takes too long."""
        if self._node is not None:
            self._node.stop(timeout_seconds=_STOP_TIMEOUT_SECONDS)

    def _prepared_node(self, tell: Callable[[str], None]) -> Node:
        folder = self._folder.node(NODE_NAME)
        if self._account is None:
            self._account = choose_account(self._folder.root, folder / "data")
            if self._account.note:
                tell(self._account.note)
        return self._node or Node(folder, self._account)

    def _start(self, node: Node, tell: Callable[[str], None]) -> None:
        favourite = self._folder.read_port()
        for attempts_left in reversed(range(_PORT_ATTEMPTS)):
            port = pick_port(favourite)
            try:
                node.start(port)
            except PortTaken:
                favourite = None
                if not attempts_left:
                    raise
                continue
            break
        kept = self._folder.read_port()
        if kept is not None and kept != port:
            tell(f"Port {kept} is taken by another program: the embedded server now listens on port {port}.")
        self._folder.write_port(port)
