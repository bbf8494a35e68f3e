"""A server that says what a test has it say, packet by packet, to each client that connects."""

import socket
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from engine.target.target import MYSQL, Host, Target
from tests.doubles.mysql_packets import packet

CHALLENGE = bytes(range(1, 21))
CAPABILITIES = 0x003F_F7DF & ~0x0800  # all that a server of today has but TLS
_PATIENCE_SECONDS = 10.0


class Conversation:
    """The server's end of one connection; packets are numbered as both sides expect it."""

    def __init__(self, connected: socket.socket) -> None:
        self.socket = connected
        self.number = 0

    def say(self, *contents: bytes) -> None:
        for content in contents:
            self.socket.sendall(packet(content, self.number))
            self.number += 1

    def hear(self) -> bytes:
        """The content of the client's next packet; raises ``ConnectionError`` when it has gone."""
        header = self._take(4)
        self.number = header[3] + 1
        return self._take(int.from_bytes(header[:3], "little"))

    def _take(self, size: int) -> bytes:
        taken = b""
        while len(taken) < size:
            some = self.socket.recv(size - len(taken))
            if not some:
                raise ConnectionError
            taken += some
        return taken


def greeting(
    method: str = "mysql_native_password",
    *,
    version: int = 10,
    capabilities: int = CAPABILITIES,
    challenge: bytes = CHALLENGE,
) -> bytes:
    return (
        bytes([version])
        + b"8.0.15\0"
        + struct.pack("<I8sxHBHHB10x", 7, challenge[:8], capabilities & 0xFFFF, 45, 2, capabilities >> 16, 21)
        + challenge[8:]
        + b"\0"
        + method.encode()
        + b"\0"
    )


@contextmanager
def scripted_server(script: Callable[[Conversation], None]) -> Iterator[Target]:
    """The target of a server that follows the script with the one client that it takes; without TLS."""
    with socket.create_server(("127.0.0.1", 0)) as door:

        def serve() -> None:
            with suppress(OSError):
                door.settimeout(_PATIENCE_SECONDS)
                connected, _ = door.accept()
                with connected:
                    connected.settimeout(_PATIENCE_SECONDS)
                    script(Conversation(connected))

        thread = threading.Thread(target=serve, name="scripted MySQL server")
        thread.start()
        host, port = door.getsockname()
        yield Target(kind=MYSQL, hosts=(Host(host, port),), user="user", tls="disable")
        thread.join()
