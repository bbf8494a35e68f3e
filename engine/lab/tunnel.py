"""One connection through a proxy: from a client to a node's server and back, over networks that may be slow.

Only used in the proxies' thread.
"""

import selectors
import socket
import struct
import sys
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Protocol

from engine.lab.configuration import HOST
from engine.lab.network import Route

_MOST_PENDING_BYTES = 1024 * 1024
_ESTABLISHED = 1  # TCP_ESTABLISHED of Linux's tcp_states.h
_RESET_ON_CLOSE = struct.pack("ii", 1, 0)


class Carrier(Protocol):
    """What a tunnel needs of the thread that serves it; ``piece`` is a buffer for one piece on its way."""

    selector: selectors.BaseSelector
    piece: bytearray

    def release_at(self, moment: float, flow: "Flow") -> None:
        """Have the flow send on at a moment."""
        ...


class _End:
    """One of a tunnel's two sockets: the flow that it is read for, and the flow that is written to it."""

    def __init__(self, tunnel: "Tunnel", connection: socket.socket) -> None:
        self.socket = connection
        self.tunnel = tunnel
        self.reads: Flow
        self.writes: Flow
        self._events = 0

    def on_event(self, events: int) -> None:
        if not self.tunnel.is_connected and self.socket.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR):
            self.tunnel.close(reset=True)
        elif events & selectors.EVENT_WRITE:
            self.tunnel.is_connected = True
            self.writes.send_pending()
        if events & selectors.EVENT_READ and not self.tunnel.is_closed:
            self.reads.read()

    def heed(self) -> None:
        """Have the selector watch for what this end can do now."""
        events = 0
        if not self.tunnel.is_silent:
            if self.tunnel.is_connected and self.reads.wants_more:
                events |= selectors.EVENT_READ
            if self.writes.is_due or not (self.tunnel.is_connected or self is self.tunnel.client):
                events |= selectors.EVENT_WRITE
        if events == self._events:
            return
        selector = self.tunnel.loop.selector
        if not self._events:
            selector.register(self.socket, events, self.on_event)
        elif events:
            selector.modify(self.socket, events, self.on_event)
        else:
            selector.unregister(self.socket)
        self._events = events

    def unwatch(self) -> None:
        if self._events:
            self.tunnel.loop.selector.unregister(self.socket)
            self._events = 0


class Flow:
    """The bytes on their way from one end of a tunnel to the other."""

    def __init__(self, tunnel: "Tunnel", source: _End, sink: _End, *, forward: bool) -> None:
        self._tunnel = tunnel
        self._source = source
        self._sink = sink
        self._forward = forward
        self._pending: deque[tuple[float, memoryview]] = deque()
        self._pending_bytes = 0
        self._latest = 0.0
        self._has_ended = False
        self.is_finished = False
        source.reads = sink.writes = self

    @property
    def wants_more(self) -> bool:
        return not self._has_ended and self._pending_bytes < _MOST_PENDING_BYTES

    @property
    def is_due(self) -> bool:
        """Whether something waits for nothing but room in the sink's buffer."""
        return bool(self._pending) and self._pending[0][0] <= time.monotonic()

    def read(self) -> None:
        piece = self._tunnel.loop.piece
        try:
            size = self._source.socket.recv_into(piece)
        except BlockingIOError:
            return
        except OSError:
            self._tunnel.close(reset=True)
            return
        if not size:
            self._has_ended = True
            self._finish()
            self._source.heed()
        elif self._tunnel.is_plain and not self._pending:
            self._pass(memoryview(piece)[:size])
        else:
            self._put_off(bytes(piece[:size]))

    def _pass(self, piece: memoryview) -> None:
        """Send at once; keep what the sink has no room for."""
        try:
            sent = self._sink.socket.send(piece)
        except BlockingIOError:
            sent = 0
        except OSError:
            self._tunnel.close(reset=True)
            return
        if sent < len(piece):
            self._keep(bytes(piece[sent:]), time.monotonic())
            self._sink.heed()
            self._source.heed()

    def _put_off(self, piece: bytes) -> None:
        """Keep a piece until it has come over the networks."""
        arrival = self._tunnel.route.arrival(time.monotonic(), len(piece), forward=self._forward)
        self._keep(piece, max(arrival, self._latest))
        self._tunnel.loop.release_at(self._latest, self)
        self._source.heed()

    def _keep(self, piece: bytes, arrival: float) -> None:
        self._latest = arrival
        self._pending.append((arrival, memoryview(piece)))
        self._pending_bytes += len(piece)

    def send_pending(self) -> None:
        if self._tunnel.is_closed or self._tunnel.is_silent:
            return
        while self.is_due:
            arrival, piece = self._pending[0]
            try:
                sent = self._sink.socket.send(piece)
            except BlockingIOError:
                break
            except OSError:
                self._tunnel.close(reset=True)
                return
            self._pending_bytes -= sent
            if sent < len(piece):
                self._pending[0] = (arrival, piece[sent:])
                break
            self._pending.popleft()
        self._finish()
        if not self._tunnel.is_closed:
            self._sink.heed()
            self._source.heed()

    def _finish(self) -> None:
        """Pass the source's end on when everything before it has been sent."""
        if self._has_ended and not self._pending and not self.is_finished:
            self.is_finished = True
            with suppress(OSError):
                self._sink.socket.shutdown(socket.SHUT_WR)
            self._tunnel.close_when_finished()


class Tunnel:
    """One client's connection, carried to the node and back."""

    def __init__(
        self,
        loop: Carrier,
        route: Route,
        client: socket.socket,
        upstream: int,
        on_close: Callable[["Tunnel"], None],
    ) -> None:
        self.loop = loop
        self.route = route
        self.is_connected = False
        self.is_closed = False
        self.is_silent = route.is_silent
        self.is_plain = route.is_normal
        self._on_close = on_close
        server = socket.socket()
        for each in (client, server):
            each.setblocking(False)
            each.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.client = _End(self, client)
        self._server = _End(self, server)
        self._flows = (
            Flow(self, self.client, self._server, forward=True),
            Flow(self, self._server, self.client, forward=False),
        )
        server.connect_ex((HOST, upstream))  # a refusal shows with the first event, as a reset
        self._server.heed()

    @property
    def has_client(self) -> bool:
        """Whether who opened it is still there, also when nothing comes through (Linux; elsewhere it is taken so)."""
        if sys.platform != "linux":
            return True
        try:
            return self.client.socket.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 1)[0] == _ESTABLISHED
        except OSError:
            return False

    def apply_route(self) -> None:
        """Take over how the networks stand now."""
        self.is_silent = self.route.is_silent
        self.is_plain = self.route.is_normal
        for flow in self._flows:
            flow.send_pending()
        if not self.is_closed:
            self.client.heed()
            self._server.heed()

    def close_when_finished(self) -> None:
        if all(flow.is_finished for flow in self._flows):
            self.close(reset=False)

    def close(self, *, reset: bool) -> None:
        if self.is_closed:
            return
        self.is_closed = True
        self._on_close(self)
        for end in (self.client, self._server):
            end.unwatch()
            if reset:
                break_off(end.socket)
            else:
                end.socket.close()


def break_off(connection: socket.socket) -> None:
    """Close a connection with a reset, so that the other side sees it as aborted."""
    with suppress(OSError):
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET_ON_CLOSE)
    connection.close()
