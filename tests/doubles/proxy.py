"""A TCP proxy in front of a real server that can stop forwarding: connections stay open, but no data passes."""

import socket
import threading
from contextlib import suppress
from types import TracebackType
from typing import Self

from engine.target.target import Host

_CHUNK = 65_536
_JOIN_SECONDS = 5.0


class SilentProxy:
    """Listens at an address of this machine and passes everything on to ``server``.

    ``silence`` freezes the connections made so far.
    """

    def __init__(self, server: Host, address: str = "127.0.0.1") -> None:
        self._server = server
        self._listener = socket.create_server((address, 0))
        self.host = Host(address, self._listener.getsockname()[1])
        self._sockets: list[socket.socket] = []
        self._frozen: set[socket.socket] = set()
        self._threads = [threading.Thread(target=self._accept, name="proxy-accept", daemon=True)]

    def silence(self) -> int:
        """Freeze the connections there are; how many. Later ones are served."""
        self._frozen.update(self._sockets)
        return len(self._frozen) // 2

    def __enter__(self) -> Self:
        self._threads[0].start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for each in [self._listener, *self._sockets]:
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
        for thread in tuple(self._threads):
            thread.join(_JOIN_SECONDS)
        for each in [self._listener, *self._sockets]:
            each.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                try:
                    server = socket.create_connection((self._server.name, self._server.port))
                except OSError:
                    client.close()  # as the server refuses who comes to it directly
                    continue
                self._sockets += (client, server)
                for source, drain in ((client, server), (server, client)):
                    pump = threading.Thread(target=self._pump, args=(source, drain), name="proxy-pump", daemon=True)
                    self._threads.append(pump)
                    pump.start()

    def _pump(self, source: socket.socket, drain: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(_CHUNK):
                if source not in self._frozen:
                    drain.sendall(data)
            if source not in self._frozen:
                drain.shutdown(socket.SHUT_WR)
