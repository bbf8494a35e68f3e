"""The servers of one lab's folder, which the keeper runs in the shape that the holders request."""

from collections.abc import Callable
from dataclasses import replace

from engine.errors import Remedy, RemedyKind, UserError
from engine.faults.lab_actions import LabAction
from engine.lab.account import Account, choose_account
from engine.lab.action_runner import run_action
from engine.lab.cluster import Cluster
from engine.lab.events import LabEvent
from engine.lab.folder import LabFolder
from engine.lab.node import RUNNING, Node
from engine.lab.processes import end_servers, sessions_of, started_at
from engine.lab.promotion import reshape
from engine.lab.reaper import Reaper
from engine.lab.shapes import LabShape
from engine.lab.status import PRIMARY, STANDBY, LabStatus, NodeStatus, stopped_status
from engine.lab.supervisor import Supervisor

_TICK_SECONDS = 0.5
_SUPERVISED_TICK_SECONDS = 0.05

Notify = Callable[[str], None]


class Lab:
    """The lab in its keeper. ``wake`` makes it call ``supervise`` soon, ``news`` sends events to the holders."""

    def __init__(self, folder: LabFolder, *, wake: Callable[[], None], news: Callable[[LabEvent], None]) -> None:
        self._folder = folder
        self._wake = wake
        self._news = news
        self._account: Account | None = None
        self._cluster: Cluster | None = None
        self._supervisor: Supervisor | None = None
        self._reaper = Reaper(folder.root)

    @property
    def tick_seconds(self) -> float:
        """How often ``supervise`` is to be called when nothing happens."""
        is_supervised = self._cluster is not None and self._cluster.shape.nodes > 1
        return _SUPERVISED_TICK_SECONDS if is_supervised else _TICK_SECONDS

    def ensure_running(self, shape: LabShape | None, notify: Notify, *, may_reshape: bool) -> None:
        """Have the lab in a shape, and well; ``None`` is the shape that it has, or else a single server.

        A lab that serves users is left as it is, but for a single server that has died. Raises ``UserError``, also
        when the lab has another shape and ``may_reshape`` is false.
        """
        self._reaper.ensure_running()
        cluster = self._cluster
        if cluster is None:
            cluster = self._made(shape or LabShape(), notify)
            reshape(cluster, cluster.shape, notify)
        elif shape is None or shape.is_met_by(cluster.shape):
            if shape is not None and may_reshape and not shape.is_target_only:
                cluster.shape = shape
            is_well = cluster.shape.nodes == 1 and cluster.primary.state == RUNNING
            if not (is_well or self._is_in_use(cluster)):
                cluster.repair(notify)
        else:
            self._check_reshape(cluster, shape, may_reshape=may_reshape)
            reshape(cluster, shape, notify)

    def do(self, action: LabAction, *, node: int | None, value: float | None, notify: Notify) -> str:
        """Do an action and return what was done. Raises ``UserError``."""
        if self._cluster is None:
            raise UserError("the embedded server does not run", remedy=Remedy(kind=RemedyKind.START_LAB))
        return run_action(self._cluster, action, node=node, value=value, notify=notify)

    def supervise(self) -> None:
        """Let the supervisor look after the servers."""
        if self._supervisor is not None:
            self._supervisor.supervise()

    def status(self) -> LabStatus:
        """How the lab stands; what the keeper knows (itself, its leases) is not filled in."""
        cluster = self._cluster
        status = replace(stopped_status(self._folder), state="down")
        if cluster is None:
            return status
        pid = cluster.primary.pid
        nodes = _positioned(cluster, [_node_status(cluster, name) for name in sorted(cluster.nodes)])
        follows = {node.name: node.follows for node in nodes}
        return replace(
            status,
            state="running" if pid is not None else "down",
            server_pid=pid,
            shape=cluster.shape,
            nodes=tuple(nodes),
            users=cluster.wiring.users() if cluster.wiring is not None else sessions_of(pid),
            is_protected=any(follows[name] in ("sync", "quorum") for name in cluster.synchronous),
        )

    def stop(self) -> None:
        """Shut the servers down in order, or kill them when that takes too long."""
        if self._supervisor is not None:
            self._supervisor.stop()
        if self._cluster is not None:
            self._cluster.stop()
        self._reaper.stop()

    def _made(self, shape: LabShape, notify: Notify) -> Cluster:
        folder = self._folder
        end_servers(*folder.root.glob("node*/data*"))  # what an earlier keeper may have left holds the ports
        primary = folder.node(folder.read_roles().primary) / "data"
        if self._account is None:
            self._account = choose_account(folder.root, primary)
            if self._account.note:
                notify(self._account.note)
        is_made = Node(primary.parent, self._account).is_made
        secret = folder.password() if is_made else folder.make_password()
        self._cluster = Cluster(folder, self._account, secret, shape, self._news)
        self._supervisor = Supervisor(self._cluster, self._wake)
        return self._cluster

    def _check_reshape(self, cluster: Cluster, shape: LabShape, *, may_reshape: bool) -> None:
        runs = f"the embedded server runs as {cluster.shape.in_words()}, not as {shape.in_words()}"
        if not may_reshape:
            raise UserError(
                f"{runs}, and is used by another program or kept running",
                remedy=Remedy(kind=RemedyKind.OTHER_LAB_SHAPE, target=cluster.shape.url, name=cluster.shape.in_words()),
            )
        if self._is_in_use(cluster):
            raise UserError(f"{runs}, and it is in use", remedy=Remedy(kind=RemedyKind.LAB_IN_USE))

    @staticmethod
    def _is_in_use(cluster: Cluster) -> bool:
        """Whether users are connected, so that nothing may be changed under them."""
        if cluster.wiring is not None:
            return cluster.wiring.users() > 0
        if cluster.primary.state != RUNNING:
            return False
        with cluster.console(cluster.primary) as console:
            return bool(console.users())


def _node_status(cluster: Cluster, name: str) -> NodeStatus:
    node, wiring = cluster.nodes[name], cluster.wiring
    return NodeStatus(
        name=name,
        role=PRIMARY if node is cluster.primary else STANDBY,
        state=node.state,
        port=node.port,
        client_port=wiring.client_port(name) if wiring is not None else node.port,
        pid=node.pid,
        network=wiring.conditions(name).in_words() if wiring is not None else "normal",
        started_at=started_at(node.pid),
    )


def _positioned(cluster: Cluster, nodes: list[NodeStatus]) -> list[NodeStatus]:
    """The nodes with how far they have got, of a lab that has standbys; what does not answer stays unknown."""
    if cluster.shape.nodes == 1:
        return nodes
    positioned = [_with_position(cluster, node) for node in nodes]
    written = next((node.received for node in positioned if node.role == PRIMARY), None)
    follows = _followers(cluster)
    return [
        replace(
            node,
            follows=follows.get(node.name, ""),
            lag_bytes=None
            if node.role == PRIMARY or written is None or node.replayed is None
            else max(written - node.replayed, 0),
        )
        for node in positioned
    ]


def _with_position(cluster: Cluster, node: NodeStatus) -> NodeStatus:
    if node.state != RUNNING:
        return node
    try:
        with cluster.console(cluster.nodes[node.name]) as console:
            position = console.position()
    except UserError:
        return node
    return replace(node, received=position.received, replayed=position.replayed)


def _followers(cluster: Cluster) -> dict[str, str]:
    if cluster.primary.state != RUNNING:
        return {}
    try:
        with cluster.console(cluster.primary) as console:
            return {each.name: each.sync_state if each.is_streaming else "catchup" for each in console.followers()}
    except UserError:
        return {}
