"""Finds the TCP sockets that an ODBC driver opens among all sockets of the process, since pyodbc does not expose them.

A call that hangs in a driver can be ended from another thread only by shutting its socket down. A driver's new socket
is recognised while it connects: its peer is the host, it did not exist before, and no other connection has claimed it.
To distinguish connections to the same host, only one at a time may be between the driver's connect call and the
creation of its socket, which takes about a millisecond. Where a process can't list its descriptors (Windows), nothing
is found.
"""

import os
import socket
import stat
import struct
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from engine.databases import keepalive
from engine.target.target import Host

_DESCRIPTORS = next((each for each in (Path("/proc/self/fd"), Path("/dev/fd")) if each.is_dir()), None)
_INTERNET = (socket.AF_INET, socket.AF_INET6)
_SYN_SENT = "02"
_TABLES = (Path("/proc/self/net/tcp"), Path("/proc/self/net/tcp6"))
_REMOTE_COLUMN, _STATE_COLUMN, _INODE_COLUMN = 2, 3, 9

_OpenSockets = frozenset[tuple[int, int]]
# A duplicate of a claimed socket's descriptor would be taken for a new socket: the lock keeps listing descriptors and
# having duplicates apart.
_NO_COPIES = threading.Lock()


@dataclass(frozen=True)
class DriverSocket:
    """A driver's socket: its descriptor, and what identifies the socket if the descriptor is reused."""

    descriptor: int
    inode: int
    local: object

    @property
    def is_open(self) -> bool:
        with _copy_of(self.descriptor, self.inode) as copy:
            return copy is not None and bool(copy.getsockname() == self.local)

    def enable_keepalive(self, seconds: float) -> None:
        """Make the system end the connection when the network has been silent for so long."""
        with _copy_of(self.descriptor, self.inode) as copy:
            if copy is not None:
                keepalive.enable_keepalive(copy, seconds)

    def shut_down(self) -> bool:
        """Shut the connection down, without waiting for the network, which ends any call waiting on it.

        Returns whether it still existed. The duplicate keeps the descriptor from being reused meanwhile.
        """
        with _copy_of(self.descriptor, self.inode) as copy:
            try:
                if copy is None or copy.getsockname() != self.local:
                    return False
                copy.shutdown(socket.SHUT_RDWR)
            except OSError:
                return False
        return True


class SocketRegistry:
    """The sockets that connections have claimed, and a lock for each host; for all threads of a process."""

    def __init__(self) -> None:
        self._connect_locks: dict[Host, threading.Lock] = {}
        self._claimed: set[DriverSocket] = set()
        self._guard = threading.Lock()

    def connect_lock(self, host: Host) -> threading.Lock:
        """The lock of a host, held from a driver's connect call until its socket exists; any thread may release it."""
        with self._guard:
            return self._connect_locks.setdefault(host, threading.Lock())

    def claim(self, found: list[DriverSocket]) -> DriverSocket | None:
        """Claim the one socket of those found that is unclaimed; ``None`` if there is none, or more than one."""
        with self._guard:
            free = [each for each in found if each not in self._claimed]
            if len(free) != 1:
                return None
            self._claimed.add(free[0])
            return free[0]

    def release(self, claimed: DriverSocket) -> None:
        with self._guard:
            self._claimed.discard(claimed)

    def claimed(self) -> dict[int, int]:
        """The inodes of the claimed sockets by their descriptors."""
        with self._guard:
            return {each.descriptor: each.inode for each in self._claimed}


class SocketSearch:
    """The search for a new socket to one host, whose ``addresses`` are given; sockets open before do not count."""

    def __init__(self, registry: SocketRegistry, host: Host, addresses: frozenset[str]) -> None:
        self._registry = registry
        self._port = host.port
        self._addresses = addresses
        self._before = _open_sockets(registry.claimed())

    def find(self, *, is_thorough: bool = True) -> DriverSocket | None:
        """Search once, and claim what is found.

        Claimed descriptors are taken to be their connections' still, so that a thousand connections don't look at each
        other's whenever one is opened. A thorough search looks at them as well if it finds nothing else: a driver may
        have closed a socket whose connection is not released yet, and its descriptor be the new one's.
        """
        found = self._found(self._registry.claimed())
        if not found and is_thorough:
            found = self._found({})
        return self._registry.claim(found) if found else None

    def _found(self, claimed: Mapping[int, int]) -> list[DriverSocket]:
        found = []
        for descriptor, inode in _open_sockets(claimed) - self._before:
            candidate = self._candidate(descriptor, inode)
            if candidate is not None:
                found.append(candidate)
        return found

    def _candidate(self, descriptor: int, inode: int) -> DriverSocket | None:
        with _copy_of(descriptor, inode) as copy:
            if copy is None or copy.family not in _INTERNET or copy.type != socket.SOCK_STREAM:
                return None
            peer = _peer(copy, inode)
            if peer is None or _normalized(peer[0]) not in self._addresses or self._port not in (0, peer[1]):
                return None
            return DriverSocket(descriptor, inode, copy.getsockname())


SOCKET_REGISTRY = SocketRegistry()


def addresses_of(host: Host) -> frozenset[str]:
    """The addresses of a host's name; raises ``OSError`` or ``UnicodeError`` if it can't be resolved."""
    found = socket.getaddrinfo(host.name, host.port or None, type=socket.SOCK_STREAM)
    return frozenset(_normalized(str(address[0])) for *_, address in found)


def _open_sockets(claimed: Mapping[int, int]) -> _OpenSockets:
    """Descriptor and inode of every socket of this process; those of claimed descriptors are taken as given."""
    if _DESCRIPTORS is None:
        return frozenset()
    found = []
    with _NO_COPIES:
        for descriptor in map(int, os.listdir(_DESCRIPTORS)):
            if descriptor in claimed:
                found.append((descriptor, claimed[descriptor]))
                continue
            try:
                status = os.fstat(descriptor)
            except OSError:
                continue  # closed by another thread meanwhile
            if stat.S_ISSOCK(status.st_mode):
                found.append((descriptor, status.st_ino))
    return frozenset(found)


@contextmanager
def _copy_of(descriptor: int, inode: int) -> Iterator[socket.socket | None]:
    """A duplicate of the descriptor, closed at the end; ``None`` if the descriptor is another socket's by now."""
    with _NO_COPIES:
        copy = _duplicate(descriptor, inode)
        if copy is None:
            yield None
            return
        with copy:
            yield copy


def _duplicate(descriptor: int, inode: int) -> socket.socket | None:
    try:
        copy = os.dup(descriptor)
    except OSError:
        return None
    try:
        if os.fstat(copy).st_ino == inode:
            return socket.socket(fileno=copy)
    except OSError:
        os.close(copy)
        return None
    os.close(copy)
    return None


def _peer(connected: socket.socket, inode: int) -> tuple[str, int] | None:
    """The address and port of a socket's peer, also while it is still connecting."""
    try:
        peer = connected.getpeername()
    except OSError:
        return _awaited_peer(inode)
    return str(peer[0]), int(peer[1])


def _awaited_peer(inode: int) -> tuple[str, int] | None:
    """The peer of a connecting socket, from Linux's table of TCP connections."""
    for table in _TABLES:
        try:
            lines = table.read_text().splitlines()[1:]
        except OSError:
            continue
        for line in lines:
            columns = line.split()
            if columns[_INODE_COLUMN] == str(inode) and columns[_STATE_COLUMN] == _SYN_SENT:
                return _decoded(columns[_REMOTE_COLUMN])
    return None


def _decoded(place: str) -> tuple[str, int]:
    """Decode ``0100007F:0CEA``: the address as 32-bit words in the machine's byte order, and the port."""
    address, port = place.split(":")
    words = [int(address[start : start + 8], 16) for start in range(0, len(address), 8)]
    family = socket.AF_INET if len(words) == 1 else socket.AF_INET6
    return socket.inet_ntop(family, struct.pack(f"={len(words)}I", *words)), int(port, 16)


def _normalized(address: str) -> str:
    """An address without its zone index; an IPv4-mapped IPv6 address as IPv4."""
    return address.partition("%")[0].removeprefix("::ffff:")
