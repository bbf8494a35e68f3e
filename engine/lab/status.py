"""The status of a lab, as its keeper sends it to the apps: plain values, sent as JSON."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

from engine.lab.binaries import server_version
from engine.lab.folder import LabFolder
from engine.lab.shapes import LabShape

PRIMARY, STANDBY = "primary", "standby"


@dataclass(frozen=True, kw_only=True)
class NodeStatus:
    """How one node stands.

    ``state`` is ``running``, ``frozen`` or ``down``. ``port`` is the server's own, ``client_port`` that of its proxy,
    to which users connect. ``received`` and ``replayed`` are places in the WAL in bytes, ``None`` when not known;
    ``lag_bytes`` is what a standby has yet to replay of what the primary has. ``follows`` is ``""`` when it does not,
    else ``catchup`` or the kind of streaming: ``async``, ``sync`` or ``quorum``. ``started_at`` is in seconds since the
    epoch.
    """

    name: str
    role: str
    state: str
    port: int | None = None
    client_port: int | None = None
    pid: int | None = None
    received: int | None = None
    replayed: int | None = None
    lag_bytes: int | None = None
    follows: str = ""
    network: str = "normal"
    started_at: float | None = None


@dataclass(frozen=True, kw_only=True)
class LabStatus:
    """How a lab stands.

    ``state`` is ``running``, ``down`` (the keeper is there, the primary is not) or ``stopped`` (neither is there);
    ``port`` and ``server_pid`` are the primary's, the port also of its last start; ``leases`` counts the attached
    apps, and ``kept`` says that the servers stay without any. ``is_protected``: another node has every order that is
    acknowledged now, so that no failover loses any. ``holders`` names the attached apps, ``users`` counts the sessions
    of the primary.
    """

    state: str
    port: int | None
    server_pid: int | None
    version: str
    data_folder: Path
    keeper_pid: int | None = None
    leases: int = 0
    kept: bool = False
    shape: LabShape = LabShape()  # noqa: RUF009 - it is frozen
    nodes: tuple[NodeStatus, ...] = ()
    is_protected: bool = False
    holders: tuple[str, ...] = ()
    users: int = 0

    def to_message(self) -> dict[str, Any]:
        """The status as JSON's plain types, for the keeper's answer."""
        return asdict(self) | {"data_folder": str(self.data_folder)}

    @classmethod
    def from_message(cls, message: dict[str, Any]) -> Self:
        rebuilt = {
            "data_folder": Path(message["data_folder"]),
            "shape": LabShape.from_message(message["shape"]),
            "nodes": tuple(NodeStatus(**node) for node in message["nodes"]),
            "holders": tuple(message.get("holders", ())),
        }
        return cls(**(message | rebuilt))


def stopped_status(folder: LabFolder) -> LabStatus:
    """The status of a lab that has no keeper."""
    primary = folder.read_roles().primary
    return LabStatus(
        state="stopped",
        port=folder.read_ports().get(primary),
        server_pid=None,
        version=server_version(),
        data_folder=folder.node(primary) / "data",
    )


def lsn_text(position: int | None) -> str:
    """A place in the WAL as PostgreSQL writes it, such as ``0/3000148``; a dash when it is not known."""
    return "–" if position is None else f"{position >> 32:X}/{position & 0xFFFFFFFF:X}"
