"""The keeper: a small process that owns a lab's server for as long as an app holds a lease on it.

Apps start it (``python -m engine.lab.keeper FOLDER``) and talk to it over loopback, one JSON object a line: a request
is ``{"token", "command"}``, the replies are any number of ``{"tell"}`` and then one ``{"answer"}``, ``{"error"}`` (a
``UserError``) or ``{"bug"}``. A connection that attached is a lease, until it ends, however it ends: the system closes
it even when the app is killed. After the last lease the server is shut down and the keeper goes. It runs in one thread,
because the server's own end is tied to the thread that started it.
"""

import hmac
import json
import logging
import os
import secrets
import selectors
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from engine.errors import UserError
from engine.lab.folder import FolderLock, KeeperAddress, LabFolder
from engine.lab.lab import Lab
from engine.lab.link import BUSY, READY

_FAILED = 1
_IN_BACKGROUND = "--in-background"
_TICK_SECONDS = 0.5
_FIRST_LEASE_SECONDS = 30.0
_SEND_TIMEOUT_SECONDS = 2.0
_LINE_LIMIT_BYTES = 64 * 1024
_TOKEN_BYTES = 32

_log = logging.getLogger("engine.lab.keeper")


@dataclass(eq=False)
class _Connection:
    """One app's connection, with what it has sent of the next line."""

    socket: socket.socket
    received: bytes = b""
    leased: bool = False

    def send(self, **message: object) -> None:
        """Send a line; an app that is gone or does not read is found out when its connection is read."""
        with suppress(OSError):
            self.socket.sendall(json.dumps(message).encode() + b"\n")


@dataclass(eq=False)
class Keeper:
    """The loop that serves the apps, and the rule by which the server stays or goes."""

    folder: LabFolder
    lab: Lab
    _selector: selectors.BaseSelector = field(default_factory=selectors.DefaultSelector)
    _connections: set[_Connection] = field(default_factory=set)
    _token: str = field(default_factory=lambda: secrets.token_urlsafe(_TOKEN_BYTES), repr=False)
    _started: float = field(default_factory=time.monotonic)
    _had_lease: bool = False
    _kept: bool = False
    _ending: bool = False

    def serve(self, announce: Callable[[int], None]) -> None:
        """Serve until nobody needs the server; ``announce`` is called when apps can connect."""
        with socket.create_server(("127.0.0.1", 0)) as listener:
            self._selector.register(listener, selectors.EVENT_READ)
            self.folder.write_address(KeeperAddress(port=listener.getsockname()[1], token=self._token, pid=os.getpid()))
            announce(READY)
            try:
                while not self._is_done():
                    self._turn(listener)
            finally:
                self.folder.forget_address()
                self.lab.stop()

    def end(self, *_signal: object) -> None:
        """Let the loop end with its next turn: for signals and the stop command."""
        self._ending = True

    @property
    def _leases(self) -> int:
        return sum(connection.leased for connection in self._connections)

    def _is_done(self) -> bool:
        if self._ending:
            return True
        if self._leases or self._kept:
            return False
        return self._had_lease or time.monotonic() - self._started > _FIRST_LEASE_SECONDS

    def _turn(self, listener: socket.socket) -> None:
        for key, _ in self._selector.select(_TICK_SECONDS):
            if key.fileobj is listener:
                self._accept(listener)
            else:
                self._read(key.data)
        self.lab.status()  # collects a server that has died

    def _accept(self, listener: socket.socket) -> None:
        accepted, _ = listener.accept()
        accepted.settimeout(_SEND_TIMEOUT_SECONDS)
        connection = _Connection(accepted)
        self._connections.add(connection)
        self._selector.register(accepted, selectors.EVENT_READ, connection)

    def _read(self, connection: _Connection) -> None:
        try:
            piece = connection.socket.recv(_LINE_LIMIT_BYTES)
        except OSError:
            piece = b""
        connection.received += piece
        if not piece or len(connection.received) > _LINE_LIMIT_BYTES:
            self._close(connection)
            return
        while b"\n" in connection.received and connection in self._connections:
            line, _, connection.received = connection.received.partition(b"\n")
            self._serve_line(connection, line)

    def _serve_line(self, connection: _Connection, line: bytes) -> None:
        try:
            request: dict[str, Any] = json.loads(line)
            token, command = str(request["token"]), str(request["command"])
        except (ValueError, KeyError, TypeError):
            self._close(connection)
            return
        if not hmac.compare_digest(token.encode(), self._token.encode()):
            self._close(connection)
            return
        try:
            self._obey(connection, command)
        except UserError as error:
            connection.send(error=str(error))
        except Exception as error:  # the keeper's door: a bug is told to the app that met it, and the server lives on
            _log.exception("command %s", command)
            connection.send(bug=f"{type(error).__name__}: {error}")

    def _obey(self, connection: _Connection, command: str) -> None:
        match command:
            case "attach":
                self._attach(connection)
            case "start":
                self.lab.ensure_running(lambda text: connection.send(tell=text))
                self._answer_status(connection)
            case "stay":
                self._kept = True
                self._answer_status(connection)
            case "status":
                self._answer_status(connection)
            case "detach":
                self._detach(connection)
            case "stop":
                self.end()
            case _:
                raise UserError(
                    f"the embedded server's keeper knows no command '{command}'; stop it and start it anew."
                )

    def _attach(self, connection: _Connection) -> None:
        connection.leased = self._had_lease = True
        try:
            self.lab.ensure_running(lambda text: connection.send(tell=text))
        except BaseException:
            connection.leased = False
            raise
        self._answer_status(connection)

    def _detach(self, connection: _Connection) -> None:
        connection.leased = False
        # The last one waits on its open connection until this process has ended, and the server with it.
        if not self._is_done():
            self._close(connection)

    def _answer_status(self, connection: _Connection) -> None:
        status = replace(self.lab.status(), keeper_pid=os.getpid(), leases=self._leases, kept=self._kept)
        connection.send(answer=status.to_message())

    def _close(self, connection: _Connection) -> None:
        self._connections.discard(connection)
        self._selector.unregister(connection.socket)
        connection.socket.close()


def main(arguments: list[str]) -> int:
    """Keep the lab's folder named in the arguments, in the background; the caller's process ends when apps can connect.

    Returns ``READY``, ``BUSY`` when another keeper has the folder, or another code when it fails; the log tells why.
    """
    folder = LabFolder(Path(arguments[0]))
    if sys.platform == "win32":
        if _IN_BACKGROUND not in arguments:
            return _launch_detached(folder)
        return _keep(folder, lambda _code: None)
    return _keep(folder, _fork())


def _keep(folder: LabFolder, announce: Callable[[int], None]) -> int:
    logging.basicConfig(level=logging.INFO, format="%(asctime)s [%(process)d] %(message)s")
    os.chdir(folder.root.anchor)
    lock = FolderLock(folder)
    if not lock.acquire():
        announce(BUSY)
        return BUSY
    keeper = Keeper(folder, Lab(folder))
    signal.signal(signal.SIGTERM, keeper.end)
    signal.signal(signal.SIGINT, keeper.end)
    _log.info("keeping %s", folder.root)
    keeper.serve(announce)
    _log.info("ended")
    return READY


if sys.platform == "win32":

    def _launch_detached(folder: LabFolder) -> int:
        """Start the keeper proper without a console and wait for it to listen (untested)."""
        keeper = subprocess.Popen(
            [sys.executable, "-m", "engine.lab.keeper", str(folder.root), _IN_BACKGROUND],
            stdin=subprocess.DEVNULL,
            creationflags=subprocess.DETACHED_PROCESS | subprocess.CREATE_NEW_PROCESS_GROUP,
        )
        while folder.read_address() is None:
            code = keeper.poll()
            if code is not None:
                return code
            time.sleep(0.02)
        return READY

else:

    def _fork() -> Callable[[int], None]:
        """Go on in a child that the app does not have to wait for; our caller's process ends with what it announces."""
        reading, writing = os.pipe()
        if os.fork():
            os.close(writing)
            code = os.read(reading, 1)
            os._exit(code[0] if code else _FAILED)
        os.close(reading)

        def announce(code: int) -> None:
            os.write(writing, bytes([code]))
            os.close(writing)

        return announce


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
