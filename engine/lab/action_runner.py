"""Executes an action in a lab's cluster and returns what was done. Called by the lab, in the keeper's main thread."""

import os
import signal
from collections.abc import Callable
from contextlib import suppress

import psutil

from engine.errors import UserError
from engine.faults.lab_actions import LabAction, check_action
from engine.lab.cluster import Cluster
from engine.lab.network import Conditions
from engine.lab.node import DOWN, RUNNING, Node
from engine.lab.promotion import promote, switch_over

_STOP_SECONDS = 20.0
_BITS_OF_A_MEGABIT = 1_000_000


def run_action(
    cluster: Cluster, action: LabAction, *, node: int | None, value: float | None, notify: Callable[[str], None]
) -> str:
    """Execute the action and return what was done, as a short sentence. Raises ``UserError`` if it is not possible."""
    check_action(action, nodes=cluster.shape.nodes, node=node, value=value)
    return _ActionRunner(cluster, None if node is None else _named(cluster, node), value or 0.0, notify).do(action)


def _named(cluster: Cluster, number: int) -> Node:
    name = f"node{number}"
    if name not in cluster.nodes:
        raise UserError(f"{name} does not exist; the lab has {', '.join(sorted(cluster.nodes))}.")
    return cluster.nodes[name]


class _ActionRunner:
    """One action: on which node, with which number."""

    def __init__(self, cluster: Cluster, node: Node | None, value: float, notify: Callable[[str], None]) -> None:
        self._cluster = cluster
        self._node = node
        self._value = value
        self._notify = notify

    def do(self, action: LabAction) -> str:
        actions: dict[LabAction, Callable[[], str]] = {
            LabAction.KILL_PRIMARY: lambda: self._kill(self._primary()),
            LabAction.KILL_STANDBY: lambda: self._kill(self._standby()),
            LabAction.FREEZE_PRIMARY: lambda: self._freeze(self._primary()),
            LabAction.FREEZE_STANDBY: lambda: self._freeze(self._standby()),
            LabAction.THAW: self._thaw,
            LabAction.STOP_PRIMARY: self._stop,
            LabAction.RESTART_IMMEDIATE: self._restart,
            LabAction.START: self._start,
            LabAction.PROMOTE: self._promote,
            LabAction.FENCE_AND_PROMOTE: lambda: f"{promote(self._cluster, self._successor()).name} is the primary",
            LabAction.SWITCHOVER: self._switch_over,
            LabAction.REJOIN: self._rejoin,
            LabAction.RESET: self._reset,
            LabAction.RELEASE_WRITES: self._release,
            LabAction.KILL_BACKEND: self._kill_backend,
            LabAction.FREEZE_WALSENDER: self._freeze_walsender,
            LabAction.CUT_NETWORK: lambda: self._network(lambda _: Conditions(is_cut=True)),
            LabAction.SILENCE_NETWORK: lambda: self._network(lambda _: Conditions(is_silent=True)),
            LabAction.DELAY_NETWORK: lambda: self._network(lambda was: was.delayed(self._value / 1000)),
            LabAction.LIMIT_NETWORK: lambda: self._network(
                lambda was: was.limited(self._value * _BITS_OF_A_MEGABIT / 8)
            ),
            LabAction.RESTORE_NETWORK: self._restore_network,
        }
        return actions[action]()

    def _primary(self) -> Node:
        return self._node or self._cluster.primary

    def _standby(self) -> Node:
        running = [node for node in self._cluster.standbys if node.state != DOWN]
        if self._node is None and not running:
            raise UserError("no standby is up; bring one back with rejoin first.")
        return self._node or running[0]

    def _successor(self) -> Node | None:
        if self._node is self._cluster.primary:
            raise UserError(f"{self._node.name} is the primary already; name another node.")
        return self._node

    def _up(self, node: Node) -> Node:
        if node.state == DOWN:
            raise UserError(f"{node.name} is down already; bring it back with start or rejoin first.")
        return node

    def _kill(self, node: Node) -> str:
        return f"killed {self._up(node).kill()} processes of {node.name}"

    def _freeze(self, node: Node) -> str:
        return f"froze {self._up(node).freeze()} processes of {node.name}"

    def _thaw(self) -> str:
        nodes = [self._node] if self._node else list(self._cluster.nodes.values())
        thawed = {node.name: node.thaw() for node in nodes}
        thawed_text = " and ".join(f"{count} processes of {name}" for name, count in sorted(thawed.items()) if count)
        return f"thawed {thawed_text}" if thawed_text else "nothing was frozen"

    def _stop(self) -> str:
        node = self._up(self._primary())
        in_order = node.stop(timeout_seconds=_STOP_SECONDS)
        return f"{node.name} shut down" if in_order else f"{node.name} did not shut down in time and was killed"

    def _restart(self) -> str:
        node = self._primary()
        self._cluster.restart_immediately(node, self._notify)
        return f"{node.name} was stopped without a checkpoint and started again"

    def _start(self) -> str:
        nodes = [self._node] if self._node else [self._cluster.primary, *self._cluster.standbys]
        started = [node.name for node in nodes if node.state == DOWN]
        for node in nodes:
            if node.state == DOWN and node is self._cluster.primary:
                self._cluster.start_primary(self._notify)
            elif node.state == DOWN:
                self._cluster.follow(node, self._notify)
        self._cluster.protect()
        return f"started {' and '.join(started)}" if started else "nothing was down"

    def _promote(self) -> str:
        old = self._cluster.primary
        if old.state != DOWN:
            raise UserError(f"{old.name} is the primary and {old.state}: use fence_and_promote, or switchover.")
        return f"{promote(self._cluster, self._successor()).name} is the primary"

    def _switch_over(self) -> str:
        old = self._cluster.primary.name
        new = switch_over(self._cluster, self._successor(), self._notify).name
        return f"{new} is the primary, and {old} follows it"

    def _rejoin(self) -> str:
        if self._node is self._cluster.primary:
            raise UserError(f"{self._node.name} is the primary; rejoin brings back a standby, start the primary.")
        nodes = [self._node] if self._node else self._cluster.unattached_nodes()
        ways = [f"{node.name} follows, {self._cluster.follow(node, self._notify)}" for node in nodes]
        self._cluster.protect()
        return "; ".join(ways) or "every standby already follows"

    def _reset(self) -> str:
        cluster = self._cluster
        cluster.restore_networks()
        for node in cluster.nodes.values():
            node.thaw()
        cluster.start_primary(self._notify)
        for node in [self._node] if self._node not in (None, cluster.primary) else cluster.standbys:
            assert node is not None
            cluster.follow(node, self._notify, anew=True)
        cluster.protect()
        return f"{cluster.primary.name} is the primary, with {len(cluster.standbys)} fresh standbys"

    def _release(self) -> str:
        self._cluster.release()
        return f"commits on {self._cluster.primary.name} wait for no standby"

    def _kill_backend(self) -> str:
        node = self._answering(self._primary())
        with self._cluster.console(node) as console:
            users = console.users()
        if not users:
            raise UserError(f"{node.name} serves no users; connect some first.")
        with suppress(ProcessLookupError):
            os.kill(users[0], getattr(signal, "SIGKILL", signal.SIGTERM))
        return f"killed process {users[0]}, one of {len(users)} that serve users on {node.name}"

    def _freeze_walsender(self) -> str:
        node = self._answering(self._primary())
        with self._cluster.console(node) as console:
            senders = console.followers()
        if not senders:
            raise UserError(f"{node.name} sends its WAL to no standby; bring one back with rejoin first.")
        for sender in senders:
            with suppress(psutil.Error):
                psutil.Process(sender.pid).suspend()
        names = " and ".join(sender.name for sender in senders)
        return f"froze the processes that send the WAL from {node.name} to {names}"

    def _answering(self, node: Node) -> Node:
        if node.state != RUNNING:
            raise UserError(f"{node.name} is {node.state}; start or thaw it first.")
        return node

    def _network(self, change: Callable[[Conditions], Conditions]) -> str:
        node, wiring = self._primary(), self._cluster.wiring
        assert wiring is not None, "a lab with a standby is wired"
        return f"the network of {node.name} is {wiring.change(node.name, change).in_words()}"

    def _restore_network(self) -> str:
        wiring = self._cluster.wiring
        assert wiring is not None, "a lab with a standby is wired"
        names = [self._node.name] if self._node else sorted(self._cluster.nodes)
        for name in names:
            wiring.change(name, lambda _: Conditions())
        return f"the network of {' and '.join(names)} is restored"
