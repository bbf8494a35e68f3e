"""Bytes come through a proxy as they were sent, unless its network is cut, silent, slow or narrow."""

import random
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress

import pytest

from engine.lab.network import Conditions, Network, Route
from engine.lab.node import pick_port
from engine.lab.proxy import Proxy, ProxyLoop
from tests.waiting import wait_until

_SECONDS = 60.0


class Echo:
    """A server that sends back what it gets, and ends its side when the other one has."""

    def __init__(self) -> None:
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self.listener.getsockname()[1]
        self.accepted: list[socket.socket] = []
        self._accepting = threading.Thread(target=self._accept, daemon=True)
        self._accepting.start()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            self.accepted.append(connection)
            threading.Thread(target=self._echo, args=(connection,), daemon=True).start()

    def _echo(self, connection: socket.socket) -> None:
        try:
            while piece := connection.recv(65_536):
                connection.sendall(piece)
            connection.shutdown(socket.SHUT_WR)
        except OSError:
            return

    def close(self) -> None:
        with suppress(OSError):  # wakes the thread that accepts, which holds the port open
            self.listener.shutdown(socket.SHUT_RDWR)
        self._accepting.join(_SECONDS)  # it may have accepted one that is not among them yet
        self.listener.close()
        for connection in self.accepted:
            connection.close()


@pytest.fixture
def echo() -> Iterator[Echo]:
    echo = Echo()
    yield echo
    echo.close()


@pytest.fixture
def loop() -> Iterator[ProxyLoop]:
    loop = ProxyLoop()
    yield loop
    loop.close()


@pytest.fixture
def network() -> Network:
    return Network()


@pytest.fixture
def proxy(loop: ProxyLoop, network: Network, echo: Echo) -> Proxy:
    return loop.add(pick_port(None), Route(((network, True),)), echo.port)


@pytest.fixture
def connect(proxy: Proxy) -> Iterator[Callable[[], socket.socket]]:
    opened: list[socket.socket] = []

    def connect() -> socket.socket:
        opened.append(socket.create_connection(("127.0.0.1", proxy.port), _SECONDS))
        opened[-1].settimeout(_SECONDS)
        return opened[-1]

    yield connect
    for each in opened:
        each.close()


def become(loop: ProxyLoop, network: Network, conditions: Conditions) -> None:
    def change() -> None:
        network.conditions = conditions

    loop.apply(change)


def echoed(connection: socket.socket, text: bytes) -> bytes:
    connection.sendall(text)
    return received(connection, len(text))


def received(connection: socket.socket, size: int) -> bytes:
    answer = b""
    while len(answer) < size and (piece := connection.recv(65_536)):
        answer += piece
    return answer


def test_megabytes_round_trip(connect: Callable[[], socket.socket]) -> None:
    connection = connect()
    text = random.Random(1).randbytes(5_000_000)
    sender = threading.Thread(target=connection.sendall, args=(text,))
    sender.start()
    assert received(connection, len(text)) == text
    sender.join(_SECONDS)


def test_an_end_is_passed_on_after_all_that_came_before_it(connect: Callable[[], socket.socket], proxy: Proxy) -> None:
    connection = connect()
    connection.sendall(b"last words")
    connection.shutdown(socket.SHUT_WR)
    assert received(connection, 1_000) == b"last words"
    wait_until(lambda: not proxy.tunnels, "the finished connection is forgotten")


def test_a_server_that_is_not_there_resets(connect: Callable[[], socket.socket], echo: Echo) -> None:
    echo.close()
    with pytest.raises(ConnectionError):
        connect().recv(1)


def test_a_proxy_that_leads_nowhere_resets(connect: Callable[[], socket.socket], loop: ProxyLoop, proxy: Proxy) -> None:
    loop.redirect(proxy, None, proxy.route)
    with pytest.raises(ConnectionError):
        connect().recv(1)


def test_a_proxy_that_leads_elsewhere_resets_the_open_ones_and_serves_the_new(
    connect: Callable[[], socket.socket], loop: ProxyLoop, proxy: Proxy
) -> None:
    connection = connect()
    assert echoed(connection, b"one") == b"one"
    other = Echo()
    loop.redirect(proxy, other.port, proxy.route)
    with pytest.raises(ConnectionResetError):
        connection.recv(1)
    assert echoed(connect(), b"two") == b"two"
    assert len(other.accepted) == 1
    other.close()


def test_a_cut_resets_both_sides_and_refuses_until_it_is_restored(
    connect: Callable[[], socket.socket], loop: ProxyLoop, network: Network, echo: Echo
) -> None:
    connection = connect()
    assert echoed(connection, b"one") == b"one"
    become(loop, network, Conditions(is_cut=True))
    with pytest.raises(ConnectionResetError):
        connection.recv(1)
    with pytest.raises(ConnectionResetError):
        connect().recv(1)
    assert len(echo.accepted) == 1, "nothing reached the server during the cut"
    become(loop, network, Conditions())
    assert echoed(connect(), b"two") == b"two"


def test_silenced_connection_delivers_data_afterwards(
    connect: Callable[[], socket.socket], loop: ProxyLoop, network: Network, echo: Echo
) -> None:
    connection = connect()
    assert echoed(connection, b"one") == b"one"
    become(loop, network, Conditions(is_silent=True))
    connection.sendall(b"two")
    newcomer = connect()
    newcomer.sendall(b"three")
    for each in (connection, newcomer):
        each.settimeout(0.1)
        with pytest.raises(TimeoutError):
            each.recv(1)
        each.settimeout(_SECONDS)
    assert len(echo.accepted) == 1, "nobody new reached the server in the silence"
    become(loop, network, Conditions())
    assert received(connection, 3) == b"two"
    assert received(newcomer, 5) == b"three"


def test_delay_is_added_to_each_round_trip_until_removed(
    connect: Callable[[], socket.socket], loop: ProxyLoop, network: Network
) -> None:
    connection = connect()
    become(loop, network, Conditions().delayed(0.08))
    began = time.monotonic()
    for number in range(3):
        assert echoed(connection, bytes([number])) == bytes([number])
    assert time.monotonic() - began >= 3 * 0.08, "a wait that ends early would be no delay"
    connection.sendall(b"late")
    become(loop, network, Conditions())
    assert received(connection, 4) == b"late", "what was under way arrives before what comes after it"
    assert echoed(connection, b"now") == b"now"


def test_rate_limit_bounds_the_throughput(
    connect: Callable[[], socket.socket], loop: ProxyLoop, network: Network
) -> None:
    become(loop, network, Conditions().limited(1_000_000))
    connection = connect()
    text = random.Random(2).randbytes(300_000)
    began = time.monotonic()
    sender = threading.Thread(target=connection.sendall, args=(text,))
    sender.start()
    assert received(connection, len(text)) == text
    sender.join(_SECONDS)
    assert time.monotonic() - began >= 0.3, "300 kB at 1 MB/s"


def test_a_hundred_connections_are_served_side_by_side(connect: Callable[[], socket.socket], proxy: Proxy) -> None:
    connections = [connect() for _ in range(100)]
    for number, connection in enumerate(connections):
        connection.sendall(bytes([number]) * 1_000)
    for number, connection in enumerate(connections):
        assert received(connection, 1_000) == bytes([number]) * 1_000
    assert len(proxy.tunnels) == 100


def test_a_closed_loop_frees_its_ports_and_resets_its_connections(network: Network, echo: Echo) -> None:
    loop = ProxyLoop()
    proxy = loop.add(pick_port(None), Route(((network, True),)), echo.port)
    port = proxy.port
    connection = socket.create_connection(("127.0.0.1", port), _SECONDS)
    assert echoed(connection, b"one") == b"one"
    loop.close()
    with pytest.raises(ConnectionResetError):
        connection.recv(1)
    connection.close()
    assert pick_port(port) == port
