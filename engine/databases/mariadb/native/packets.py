"""Packets over a socket, one after the other, without ever waiting for it.

Functions that would block yield the events to wait for, as ``selectors`` defines them; the caller of such ``Steps``
waits.
"""

import selectors
import socket
import ssl
from collections.abc import Generator
from typing import TypeVar

T = TypeVar("T")
Steps = Generator[int, None, T]

_LONGEST = 0xFFFFFF
_MOST_AT_ONCE = 65_536
_QUIT = b"\x01"
_ERROR = b"\xff"


class Malformed(Exception):  # noqa: N818 - it says what the packet is
    """What came is not of the protocol."""


class Cipher:
    """TLS without a socket: what the exchange sends goes through ``encrypt``, what it receives through ``decrypt``."""

    def __init__(self, context: ssl.SSLContext, host_name: str) -> None:
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._tls = context.wrap_bio(self._incoming, self._outgoing, server_hostname=host_name)

    def encrypt(self, plain: bytes, /) -> bytes:
        self._tls.write(plain)
        return self._outgoing.read()

    def decrypt(self, encrypted: bytes, /) -> bytes:
        """All that can be read by now; raises ``OSError`` for what is not TLS."""
        self._incoming.write(encrypted)
        parts = []
        while self._incoming.pending or self._tls.pending():
            try:
                part = self._tls.read(_MOST_AT_ONCE)
            except ssl.SSLWantReadError:
                break
            if not part:
                break
            parts.append(part)
        return b"".join(parts)

    def handshake_over(self, received: bytes) -> tuple[bool, bytes]:
        """Take what has come and go on: whether both sides have agreed, and what is to be sent. Raises ``OSError``."""
        self._incoming.write(received)
        try:
            self._tls.do_handshake()
        except ssl.SSLWantReadError:
            return False, self._outgoing.read()
        return True, self._outgoing.read()


class Channel:
    """Packets over a connected socket that does not block; ``cipher`` is there once TLS was agreed on."""

    def __init__(self, connected: socket.socket) -> None:
        self.socket = connected
        self.cipher: Cipher | None = None
        self._received = bytearray()
        self._sequence = 0

    def command(self, payload: bytes) -> Steps[bytes]:
        """Send a packet that begins a new conversation; the first packet of the answer."""
        self._sequence = 0
        yield from self.send(payload)
        return (yield from self.receive())

    def quit(self) -> Steps[None]:
        """Say to the server that there will be no more; the exchange may have sent and received meanwhile."""
        self._sequence = 0
        yield from self.send(_QUIT)

    def send(self, payload: bytes) -> Steps[None]:
        if len(payload) >= _LONGEST:
            raise ValueError(f"a packet of {len(payload)} bytes is longer than 16 MiB")
        packet = len(payload).to_bytes(3, "little") + bytes([self._sequence]) + payload
        self._sequence = (self._sequence + 1) % 256
        yield from self._send_all(packet if self.cipher is None else self.cipher.encrypt(packet))

    def receive(self) -> Steps[bytes]:
        """The next packet; raises ``Malformed``, ``ConnectionError`` when the server has ended, or ``OSError``."""
        header = yield from self._take(4)
        size, expected = int.from_bytes(header[:3], "little"), self._sequence
        if size == _LONGEST:
            raise Malformed("a packet of 16 MiB")
        packet = yield from self._take(size)
        # A server that ends says why with a number of its own.
        if header[3] != expected and packet[:1] != _ERROR:
            raise Malformed("the server's packets are out of order")
        self._sequence = (header[3] + 1) % 256
        return packet

    def start_tls(self, context: ssl.SSLContext, host_name: str) -> Steps[None]:
        """Agree on TLS; what is sent and received from then on is encrypted. Raises ``OSError``."""
        if self._received:
            raise Malformed("the server goes on before TLS was agreed on")  # such words are not to be trusted
        cipher = Cipher(context, host_name)
        has_agreed, reply = cipher.handshake_over(b"")
        while True:
            yield from self._send_all(reply)
            if has_agreed:
                break
            has_agreed, reply = cipher.handshake_over((yield from self._receive_some()))
        self.cipher = cipher

    @property
    def has_more(self) -> bool:
        """Whether there is unread data."""
        return bool(self._received)

    def _take(self, size: int) -> Steps[bytes]:
        while len(self._received) < size:
            some = yield from self._receive_some()
            self._received += some if self.cipher is None else self.cipher.decrypt(some)
        taken = bytes(self._received[:size])
        del self._received[:size]
        return taken

    def _receive_some(self) -> Steps[bytes]:
        while True:
            try:
                some = self.socket.recv(_MOST_AT_ONCE)
            except BlockingIOError:
                yield selectors.EVENT_READ
                continue
            if not some:
                raise ConnectionError("the server closed the connection")
            return some

    def _send_all(self, data: bytes) -> Steps[None]:
        left = memoryview(data)
        while left:
            try:
                left = left[self.socket.send(left) :]
            except BlockingIOError:
                yield selectors.EVENT_WRITE
