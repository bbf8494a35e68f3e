"""The lab's network: a proxy in front of each node for its users, and one through which it reaches the primary.

Called by the cluster. The ports stay the same during the lab's life, so that a failover only changes the proxies'
destinations. Replication to a standby passes through the standby's network and the primary's.
"""

from collections.abc import Callable

from engine.errors import UserError
from engine.lab.folder import LabFolder
from engine.lab.network import Conditions, Network, Route
from engine.lab.node import pick_port
from engine.lab.proxy import Proxy, ProxyLoop

_PORT_ATTEMPTS = 5


class Wiring:
    """The proxies of a lab with more than one node."""

    def __init__(self, folder: LabFolder) -> None:
        self._folder = folder
        self._loop = ProxyLoop()
        self._networks: dict[str, Network] = {}
        self._client_proxies: dict[str, Proxy] = {}
        self._uplinks: dict[str, Proxy] = {}

    def add(self, node: str) -> None:
        """Listen for a node's users and for the node itself; the destinations are set later."""
        network = self._networks[node] = Network()
        self._client_proxies[node] = self._listen(f"{node} door", Route(((network, True),)))
        self._uplinks[node] = self._listen(f"{node} uplink", Route(((network, False),)))

    def remove(self, node: str) -> None:
        for proxies in (self._client_proxies, self._uplinks):
            self._loop.remove(proxies.pop(node))
        del self._networks[node]

    def has(self, node: str) -> bool:
        return node in self._networks

    def client_port(self, node: str) -> int:
        """The port at which users find the node."""
        return self._client_proxies[node].port

    def uplink(self, node: str) -> int:
        """The port at which the node finds the primary."""
        return self._uplinks[node].port

    def route_clients(self, node: str, port: int) -> None:
        """Lead the node's users to its server's port."""
        door = self._client_proxies[node]
        if door.upstream != port:
            self._loop.redirect(door, port, door.route)

    def route_uplinks(self, primary: str, port: int) -> None:
        """Lead every node's way to the primary to this one; the primary's own leads nowhere."""
        for node, uplink in self._uplinks.items():
            own = (self._networks[node], False)
            if node == primary:
                self._loop.redirect(uplink, None, Route((own,)))
            else:
                self._loop.redirect(uplink, port, Route((own, (self._networks[primary], True))))

    def conditions(self, node: str) -> Conditions:
        return self._networks[node].conditions

    def change(self, node: str, change: Callable[[Conditions], Conditions]) -> Conditions:
        """Change how a node's network stands; returns the new conditions."""
        network = self._networks[node]

        def apply() -> None:
            network.conditions = change(network.conditions)

        self._loop.apply(apply)
        return network.conditions

    def users(self) -> int:
        """How many users' connections are open."""
        return sum(tunnel.has_client for door in self._client_proxies.values() for tunnel in list(door.tunnels))

    def close(self) -> None:
        self._loop.close()

    def _listen(self, name: str, route: Route) -> Proxy:
        favourite = self._folder.read_ports().get(name)
        for _ in range(_PORT_ATTEMPTS):
            port = pick_port(favourite)
            try:
                proxy = self._loop.add(port, route, None)
            except OSError:  # taken since it was looked at
                favourite = None
                continue
            self._folder.write_port(name, port)
            return proxy
        raise UserError("no port for the lab's network is free; stop programs that use ports from 20000 to 29999.")
