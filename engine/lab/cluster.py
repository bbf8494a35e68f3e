"""The nodes of a lab and their roles: the primary, its standbys, and those that its commits wait for.

Called by the lab, its actions and its supervisor, all in the keeper's main thread. Whether a standby is healthy is
judged by what it has replayed: one that can never catch up may be reported as "streaming" for a while.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from engine.errors import Remedy, RemedyKind, TargetError, UserError
from engine.lab.account import Account
from engine.lab.configuration import HOST, USER
from engine.lab.events import LabEvent, LabEventKind
from engine.lab.folder import LabFolder, Roles
from engine.lab.network import Conditions
from engine.lab.node import RUNNING, Node, PortTaken, pick_port
from engine.lab.shapes import LabShape
from engine.lab.wiring import Wiring
from engine.secrets import Secret
from engine.target.target import POSTGRESQL, Host, Target

if TYPE_CHECKING:
    from engine.databases.postgresql.replication import Console

_PORT_ATTEMPTS = 5
_ASK_SECONDS = 2.0
_PROMOTE_SECONDS = 60.0
_STOP_SECONDS = 20.0
_STANDBY_START_SECONDS = 20.0
_STREAMING_SECONDS = 10.0
_PROTECT_SECONDS = 5.0
_POLL_SECONDS = 0.01

Notify = Callable[[str], None]


class Cluster:
    """The servers of a lab. ``news`` is called with what happens; ``generation`` counts the starts of primaries."""

    def __init__(
        self, folder: LabFolder, account: Account, secret: Secret, shape: LabShape, news: Callable[[LabEvent], None]
    ) -> None:
        self._folder = folder
        self._account = account
        self._secret = secret
        self._news = news
        self._roles = folder.read_roles()
        self.shape = shape
        self.nodes: dict[str, Node] = {}
        self.wiring: Wiring | None = None
        self.synchronous: tuple[str, ...] = ()
        self.is_released = False
        self.generation = 0
        self._node(self._roles.primary)

    @property
    def primary(self) -> Node:
        return self.nodes[self._roles.primary]

    @property
    def standbys(self) -> list[Node]:
        """Every node of the shape that is not the primary."""
        return [self.nodes[name] for name in sorted(self.nodes) if name != self._roles.primary]

    def report(self, kind: LabEventKind, node: str, text: str) -> None:
        """Notify the lab's holders."""
        self._news(LabEvent(at_monotonic=time.monotonic(), kind=kind, node=node, text=text))

    @contextmanager
    def console(self, node: Node, *, timeout_seconds: float = _ASK_SECONDS) -> Iterator["Console"]:
        """A connection to a node's server past its proxy. Raises ``UserError`` when it does not answer in time."""
        # The driver takes a while to load, which a single server has no need of.
        from engine.databases.postgresql.replication import console

        if node.port is None:
            raise UserError(f"{node.name} is down; start it first.")
        target = Target(kind=POSTGRESQL, hosts=(Host(HOST, node.port),), database="postgres", user=USER, tls="disable")
        try:
            with console(target, self._secret, timeout_seconds=timeout_seconds) as opened:
                yield opened
        except TargetError as error:
            raise UserError(
                f"{node.name} did not do what the lab asked ({error.cause.rstrip('.')})",
                remedy=Remedy(kind=RemedyKind.LOOK_AT_LAB),
            ) from error

    def apply_shape(self, shape: LabShape, notify: Notify) -> None:
        """Have a shape's nodes, all well: the primary wherever it is, and the first others. Raises ``UserError``."""
        names = self._names(shape)
        for name in [name for name in self.nodes if name not in names]:
            self._remove_node(self.nodes[name])
        self.shape = shape
        for name in names:
            self._node(name)
        self._wire()
        self.start_primary(notify)
        self.repair(notify)

    def repair(self, notify: Notify) -> None:
        """Make everything well that is not: networks, frozen processes, nodes that are down or don't follow."""
        self.restore_networks()
        for node in self.nodes.values():
            node.thaw()
        self.start_primary(notify)
        for node in self.unattached_nodes():
            self.follow(node, notify)
        self.protect()

    def start_primary(self, notify: Notify) -> None:
        """Start the primary if it is down; one that was chosen but not yet promoted is promoted."""
        node = self.primary
        if node.pid is not None:
            return
        if not node.is_made:
            notify(f"Creating the embedded server's data in {node.data}.")
            node.make(self._secret)
        # Those that follow a primary that comes back have what they were promised to have.
        waits_for = tuple(name for name in self.synchronous if self.nodes[name].state == RUNNING)
        if node.files.is_standbys:
            self._start(node, notify, follows=self._uplink(node))
            with self.console(node, timeout_seconds=_PROMOTE_SECONDS) as console:
                console.promote(timeout_seconds=_PROMOTE_SECONDS)
            waits_for = ()
        else:
            self._start(node, notify, synchronous=waits_for)
        self.synchronous = waits_for
        self._route_to_primary()
        if waits_for:
            self._is_synchronous()

    def restart_immediately(self, node: Node, notify: Notify) -> None:
        """End a node's server without a checkpoint and start it again in its role."""
        node.stop_immediately(timeout_seconds=_STOP_SECONDS)
        if node is self.primary:
            self.start_primary(notify)
        else:
            self._start(node, notify, follows=self._uplink(node))

    def unattached_nodes(self) -> list[Node]:
        """The standbys that don't follow the primary now."""
        if not self.standbys:
            return []
        with self.console(self.primary) as console:
            following = {follower.name for follower in console.followers()}
        return [node for node in self.standbys if node.name not in following or node.state != RUNNING]

    def follow(self, node: Node, notify: Notify, *, anew: bool = False) -> str:
        """Make a node follow the primary: as it is, rewound, or copied from it (immediately with ``anew``).

        Returns how it was done. Raises ``UserError`` when none of the ways leads there.
        """
        node.kill()
        ways = ["copied from the primary"]
        if node.is_made and not anew:
            ways.insert(0, "as it was" if node.name in self._roles.in_line else "rewound")
        for way in ways:
            try:
                self._prepare(node, way)
                self._start(node, notify, follows=self._uplink(node), timeout_seconds=_STANDBY_START_SECONDS)
                self._await_streaming(node)
            except UserError as error:
                node.kill()
                if way == ways[-1]:
                    raise
                notify(f"{node.name} can't follow {way}: {error}")
            else:
                break
        self._write_roles(in_line=self._roles.in_line | {node.name})
        self.report(LabEventKind.REJOINED, node.name, f"{node.name} follows {self.primary.name}, {way}")
        return way

    def written(self) -> int:
        """What the primary has written of the WAL, in bytes."""
        with self.console(self.primary) as console:
            return console.position().received

    def protect(self, goal: int = 0) -> None:
        """Make commits wait for the standbys that have replayed this far in a synchronous shape, else for none."""
        names: tuple[str, ...] = ()
        if self.shape.sync:
            with self.console(self.primary) as console:
                followers = console.followers()
            streaming = {each.name for each in followers if each.is_streaming and each.replayed >= goal}
            names = tuple(sorted({*streaming, *self.synchronous} & {node.name for node in self.standbys}))
            self.is_released = False
        if names == self.synchronous:
            return
        self.primary.synchronize(names)
        self.synchronous = names
        if names and self._is_synchronous():
            self.report(LabEventKind.PROTECTED, self.primary.name, f"commits wait for {' or '.join(names)}")
        elif not names:
            self.report(LabEventKind.UNPROTECTED, self.primary.name, "commits wait for no standby")

    def release(self) -> None:
        """Let commits continue without any standby, until one is brought back or the lab is repaired."""
        self.primary.synchronize(())
        self.synchronous = ()
        self.is_released = True
        self.report(LabEventKind.UNPROTECTED, self.primary.name, "commits wait for no standby")

    def make_primary(self, new: Node, *, in_line: set[str]) -> None:
        """Promote a standby; the old primary must be gone. ``in_line`` are the nodes that can follow it as they are."""
        self._write_roles(primary=new.name, in_line=frozenset(in_line - {new.name}))
        self.synchronous = ()
        self.is_released = False
        with self.console(new, timeout_seconds=_PROMOTE_SECONDS) as console:
            console.promote(timeout_seconds=_PROMOTE_SECONDS)
        self._route_to_primary()
        self.report(LabEventKind.PROMOTED, new.name, f"{new.name} is the primary")
        if self.shape.sync:
            self.report(LabEventKind.UNPROTECTED, new.name, "commits wait for no standby until one follows")

    def restore_networks(self) -> None:
        for name in self.nodes:
            if self.wiring is not None and not self.wiring.conditions(name).is_normal:
                self.wiring.change(name, lambda _: Conditions())

    def stop(self) -> None:
        """Shut all down in order, the primary first so that its standbys have all of it."""
        self.restore_networks()
        for node in self.nodes.values():
            node.thaw()
        for node in [self.primary, *self.standbys]:
            node.stop(timeout_seconds=_STOP_SECONDS)
        if self.wiring is not None:
            self.wiring.close()
            self.wiring = None

    def _prepare(self, node: Node, way: str) -> None:
        port = self.primary.port
        assert port is not None, "a primary that runs has a port"
        if way == "rewound":
            node.files.rewind_to(port, self._secret)
        elif way == "copied from the primary":
            node.files.copy_from(port, self._secret)
        else:
            node.files.write_passfile(self._secret)

    def _await_streaming(self, node: Node) -> None:
        """Return when a standby has replayed all that the primary has now. Raises ``UserError``."""
        deadline = time.monotonic() + _STREAMING_SECONDS
        with self.console(self.primary, timeout_seconds=2 * _STREAMING_SECONDS) as console:
            goal = console.position().received
            while time.monotonic() < deadline and node.pid is not None:
                for follower in console.followers():
                    if follower.name == node.name and follower.is_streaming and follower.replayed >= goal:
                        return
                time.sleep(_POLL_SECONDS)
        raise UserError(f"{node.name} did not follow within {_STREAMING_SECONDS:.0f} s; see {node.log}.")

    def _is_synchronous(self) -> bool:
        """Whether commits wait for a standby that streams, as soon as that shows."""
        deadline = time.monotonic() + _PROTECT_SECONDS
        with self.console(self.primary, timeout_seconds=2 * _PROTECT_SECONDS) as console:
            while time.monotonic() < deadline:
                if any(follower.sync_state in ("sync", "quorum") for follower in console.followers()):
                    return True
                time.sleep(_POLL_SECONDS)
        return False

    def _names(self, shape: LabShape) -> list[str]:
        """The nodes of a shape: the primary wherever it is, and the first others."""
        primary = self._roles.primary
        others = [name for name in numbered(shape.nodes) if name != primary]
        return [primary, *others[: shape.nodes - 1]]

    def _node(self, name: str) -> Node:
        return self.nodes.setdefault(name, Node(self._folder.node(name), self._account))

    def _remove_node(self, node: Node) -> None:
        """Let a standby go that the next shape has no place for."""
        if node.name in self.synchronous:
            self.release()
        node.stop(timeout_seconds=_STOP_SECONDS)
        if self.wiring is not None:
            self.wiring.remove(node.name)
        del self.nodes[node.name]

    def _wire(self) -> None:
        if self.shape.nodes == 1:
            if self.wiring is not None:
                self.wiring.close()
                self.wiring = None
            return
        self.wiring = self.wiring or Wiring(self._folder)
        for name in self.nodes:
            if not self.wiring.has(name):
                self.wiring.add(name)
        if self.primary.pid is not None:
            self._route_to_primary()

    def _route_to_primary(self) -> None:
        """Have the lab's network lead to the primary, which has just become it or started."""
        self.generation += 1
        port = self.primary.port
        if self.wiring is not None and port is not None:
            self.wiring.route_clients(self.primary.name, port)
            self.wiring.route_uplinks(self.primary.name, port)

    def _uplink(self, node: Node) -> int:
        assert self.wiring is not None, "a standby is wired before it starts"
        return self.wiring.uplink(node.name)

    def _start(
        self,
        node: Node,
        notify: Notify,
        *,
        follows: int | None = None,
        synchronous: tuple[str, ...] = (),
        timeout_seconds: float = 120.0,
    ) -> None:
        """Start a node on its port, or on another one when that is taken."""
        kept = self._folder.read_ports().get(node.name)
        favourite = kept
        for attempts_left in reversed(range(_PORT_ATTEMPTS)):
            port = pick_port(favourite)
            try:
                node.start(port, follows=follows, synchronous=synchronous, timeout_seconds=timeout_seconds)
            except PortTaken:
                favourite = None
                if not attempts_left:
                    raise
                continue
            break
        if kept is not None and kept != port:
            notify(f"Port {kept} is taken by another program: the embedded server now listens on port {port}.")
        self._folder.write_port(node.name, port)
        if self.wiring is not None:
            self.wiring.route_clients(node.name, port)

    def _write_roles(self, *, primary: str | None = None, in_line: frozenset[str]) -> None:
        self._roles = Roles(primary=primary or self._roles.primary, in_line=in_line)
        self._folder.write_roles(self._roles)


def numbered(nodes: int) -> list[str]:
    """The names of the first so many nodes."""
    return [f"node{number}" for number in range(1, nodes + 1)]
