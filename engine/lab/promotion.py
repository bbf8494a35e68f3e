"""A change of the primary: chosen or the best there is, after the old one is surely gone.

Called by the lab, its actions and its supervisor.
"""

from engine.errors import Remedy, RemedyKind, UserError
from engine.lab.cluster import Cluster, Notify, numbered
from engine.lab.events import LabEventKind
from engine.lab.node import DOWN, RUNNING, Node
from engine.lab.shapes import LabShape

_STOP_SECONDS = 20.0


def reshape(cluster: Cluster, shape: LabShape, notify: Notify) -> None:
    """Give a cluster another shape; a lab of several nodes always has the first of them. Raises ``UserError``."""
    cluster.apply_shape(shape, notify)
    if shape.nodes > 1 and cluster.primary.name not in numbered(shape.nodes):
        switch_over(cluster, None, notify)
        cluster.apply_shape(shape, notify)


def promote(cluster: Cluster, chosen: Node | None = None) -> Node:
    """Kill the primary, then make another node the primary: the one that has received most, unless it is chosen.

    Raises ``UserError`` when no standby answers; a primary that still lives is left alone then.
    """
    candidates = [chosen] if chosen else cluster.standbys
    old = cluster.primary
    was = old.state
    if was != DOWN and not _received(cluster, candidates):
        raise UserError("no standby answers; start or thaw one first.")
    old.kill()
    if was != DOWN:
        cluster.report(LabEventKind.FENCED, old.name, f"{old.name} was {was} and has been killed")
    received = _received(cluster, candidates)
    if not received:
        raise UserError("no standby answers; start or thaw one first.")
    new = _most_advanced(received)
    cluster.make_primary(
        cluster.nodes[new], in_line={name for name, position in received.items() if position <= received[new]}
    )
    return cluster.nodes[new]


def switch_over(cluster: Cluster, chosen: Node | None, notify: Notify) -> Node:
    """Shut the primary down in order, promote a standby that has all of it, and have the old one follow.

    Raises ``UserError`` when no standby follows.
    """
    unattached_nodes = cluster.unattached_nodes()
    candidates = [node for node in ([chosen] if chosen else cluster.standbys) if node not in unattached_nodes]
    if not candidates:
        raise UserError("no standby follows the primary; bring one back with rejoin first.")
    old = cluster.primary
    in_order = old.stop(timeout_seconds=_STOP_SECONDS)
    received = _received(cluster, candidates)
    if not received:
        raise UserError(
            "the standby stopped answering during the switchover", remedy=Remedy(kind=RemedyKind.LOOK_AT_LAB)
        )
    new = cluster.nodes[_most_advanced(received)]
    in_line = {node.name for node in cluster.standbys if node not in unattached_nodes}
    cluster.make_primary(new, in_line=in_line | ({old.name} if in_order else set()))
    cluster.follow(old, notify)
    cluster.protect()
    return new


def _received(cluster: Cluster, nodes: list[Node]) -> dict[str, int]:
    """What each of the nodes that answer has received, in bytes of WAL."""
    found = {}
    for node in nodes:
        if node.state == RUNNING and node is not cluster.primary:
            try:
                with cluster.console(node) as console:
                    found[node.name] = console.position().received
            except UserError as error:
                cluster.report(LabEventKind.FAILED, node.name, str(error))
    return found


def _most_advanced(received: dict[str, int]) -> str:
    return max(sorted(received), key=lambda name: received[name])
