"""Finding the sockets that a driver opens; here the standard library plays the driver."""

import os
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import pytest

from engine.databases.odbc.sockets import DriverSocket, SocketRegistry, SocketSearch, addresses_of
from engine.target.target import Host

_LOOPBACK = frozenset({"127.0.0.1"})


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as made:
        yield made


@pytest.fixture
def host(listener: socket.socket) -> Host:
    return Host("127.0.0.1", listener.getsockname()[1])


@pytest.fixture
def opened() -> Iterator[ExitStack]:
    """Sockets that are entered are closed after the test."""
    with ExitStack() as stack:
        yield stack


def test_a_new_socket_to_the_host_is_found_and_no_other(host: Host, silent_host: Host, opened: ExitStack) -> None:
    old = opened.enter_context(socket.create_connection((host.name, host.port)))
    search = SocketSearch(SocketRegistry(), host, _LOOPBACK)
    assert search.find() is None
    opened.enter_context(socket.create_connection((silent_host.name, silent_host.port)))
    assert search.find() is None
    new = opened.enter_context(socket.create_connection((host.name, host.port)))
    found = search.find()
    assert found is not None
    assert (found.descriptor, found.local) == (new.fileno(), new.getsockname())
    assert found.shut_down()
    assert new.recv(1) == b""
    old.settimeout(0.05)
    with pytest.raises(TimeoutError):
        old.recv(1)


def test_a_socket_is_claimed_once_and_free_again_when_released(host: Host, opened: ExitStack) -> None:
    registry = SocketRegistry()
    first, second = SocketSearch(registry, host, _LOOPBACK), SocketSearch(registry, host, _LOOPBACK)
    opened.enter_context(socket.create_connection((host.name, host.port)))
    found = first.find()
    assert found is not None
    assert second.find() is None
    registry.release(found)
    assert second.find() == found


def test_of_two_sockets_none_is_claimed_rather_than_the_wrong_one(host: Host, opened: ExitStack) -> None:
    search = SocketSearch(SocketRegistry(), host, _LOOPBACK)
    for _ in range(2):
        opened.enter_context(socket.create_connection((host.name, host.port)))
    assert search.find() is None


def test_claimed_socket_is_not_found_by_concurrent_searches(host: Host, opened: ExitStack) -> None:
    registry, ended = SocketRegistry(), threading.Event()
    search = SocketSearch(registry, host, _LOOPBACK)
    opened.enter_context(socket.create_connection((host.name, host.port)))
    claimed = search.find()
    assert claimed is not None

    def look_at_it() -> None:
        while not ended.is_set():
            assert claimed.is_open

    with ThreadPoolExecutor(2) as pool:
        looking = [pool.submit(look_at_it) for _ in range(2)]
        try:
            found = {SocketSearch(registry, host, _LOOPBACK).find() or search.find() for _ in range(300)}
        finally:
            ended.set()
        for each in looking:
            each.result()
    assert found == {None}


def test_claimed_descriptors_are_not_examined_again(
    host: Host, opened: ExitStack, monkeypatch: pytest.MonkeyPatch
) -> None:
    registry = SocketRegistry()
    claimed = []
    for _ in range(5):
        search = SocketSearch(registry, host, _LOOPBACK)
        opened.enter_context(socket.create_connection((host.name, host.port)))
        claimed.append(search.find(is_thorough=False))
    assert None not in claimed
    seen: list[int] = []
    look = os.fstat
    monkeypatch.setattr(os, "fstat", lambda descriptor: (seen.append(descriptor), look(descriptor))[1])
    assert SocketSearch(registry, host, _LOOPBACK).find(is_thorough=False) is None
    assert not {each.descriptor for each in claimed if each is not None} & set(seen)


def test_a_claimed_descriptor_that_is_a_new_socket_by_now_is_found(host: Host, opened: ExitStack) -> None:
    registry = SocketRegistry()
    first = SocketSearch(registry, host, _LOOPBACK)
    closed = socket.create_connection((host.name, host.port))
    claimed = first.find()
    assert claimed is not None
    search = SocketSearch(registry, host, _LOOPBACK)
    closed.close()  # by the driver, before its connection is released
    new = opened.enter_context(socket.create_connection((host.name, host.port)))
    assert new.fileno() == claimed.descriptor
    assert search.find(is_thorough=False) is None
    found = search.find()
    assert found is not None
    assert (found.descriptor, found.local) == (new.fileno(), new.getsockname())


def test_a_host_of_an_unknown_port_is_known_by_its_address(host: Host, opened: ExitStack) -> None:
    search = SocketSearch(SocketRegistry(), Host("127.0.0.1", 0, "prod"), _LOOPBACK)
    opened.enter_context(socket.create_connection((host.name, host.port)))
    assert search.find() is not None


def test_connecting_socket_is_found(opened: ExitStack) -> None:
    full = opened.enter_context(socket.socket())
    full.bind(("127.0.0.1", 0))
    full.listen(0)
    host = Host("127.0.0.1", full.getsockname()[1])

    def knock() -> socket.socket:
        knocking = opened.enter_context(socket.socket())
        knocking.setblocking(False)
        knocking.connect_ex((host.name, host.port))
        return knocking

    for _ in range(8):  # a full queue drops new connections
        knock()
    search = SocketSearch(SocketRegistry(), host, _LOOPBACK)
    waiting = knock()
    found = search.find()
    assert found is not None
    assert found.descriptor == waiting.fileno()
    assert found.shut_down()


def test_a_socket_over_ipv6_is_found(opened: ExitStack) -> None:
    try:
        listener = opened.enter_context(socket.create_server(("::1", 0), family=socket.AF_INET6))
    except OSError:
        pytest.skip("this machine has no IPv6")
    host = Host("::1", listener.getsockname()[1])
    search = SocketSearch(SocketRegistry(), host, addresses_of(host))
    opened.enter_context(socket.create_connection((host.name, host.port)))
    assert search.find() is not None


def test_a_descriptor_that_is_another_socket_by_now_is_left_alone(host: Host, opened: ExitStack) -> None:
    search = SocketSearch(SocketRegistry(), host, _LOOPBACK)
    gone = socket.create_connection((host.name, host.port))
    found = search.find()
    assert found is not None
    assert found.is_open
    gone.close()
    other = opened.enter_context(socket.create_connection((host.name, host.port)))
    reused = DriverSocket(other.fileno(), found.inode, found.local)
    for each in (found, reused):
        assert not each.is_open
        assert not each.shut_down()
    other.settimeout(0.05)
    with pytest.raises(TimeoutError):
        other.recv(1)


def test_a_silent_network_is_noticed_while_waiting_and_while_sending(host: Host, opened: ExitStack) -> None:
    search = SocketSearch(SocketRegistry(), host, _LOOPBACK)
    made = opened.enter_context(socket.create_connection((host.name, host.port)))
    found = search.find()
    assert found is not None
    found.enable_keepalive(9.0)
    assert made.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
    idle, interval, count = (
        made.getsockopt(socket.IPPROTO_TCP, name)
        for name in (socket.TCP_KEEPIDLE, socket.TCP_KEEPINTVL, socket.TCP_KEEPCNT)
    )
    assert idle + interval * count == 9
    assert made.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT) == 9_000


def test_the_addresses_of_a_name_are_plain() -> None:
    assert addresses_of(Host("127.0.0.1", 1)) == _LOOPBACK
    assert addresses_of(Host("localhost", 0, "prod")) <= {"127.0.0.1", "::1"}
    with pytest.raises((OSError, UnicodeError)):
        addresses_of(Host("x" * 64, 1))
