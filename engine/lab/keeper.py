"""The keeper: a small process that owns a lab's server for as long as an app holds a lease on it.

Apps start it (``own_command("keeper", FOLDER)``) and talk to it over loopback, one JSON object a line: a request
is ``{"token", "command", "arguments"}``, the replies are any number of ``{"message"}`` and then one ``{"answer"}``,
``{"error"}`` (a ``UserError``) or ``{"bug"}``. A connection that has attached is a lease until it is closed, which the
system does even if the app is killed; ``{"news"}`` may be sent to it at any time. After the last lease the servers are
shut down and the keeper exits. Everything but the proxies and the prober runs in the main thread, because the servers'
death signal is tied to the thread that started them.
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
from engine.faults.lab_actions import LabAction
from engine.lab.events import LabEvent
from engine.lab.folder import FolderLock, KeeperAddress, LabFolder
from engine.lab.lab import Lab
from engine.lab.link import BUSY, READY
from engine.lab.shapes import LabShape
from engine.own_program import own_command

if sys.platform != "win32":
    import resource

_FAILED = 1
_IN_BACKGROUND = "--in-background"
_FIRST_LEASE_SECONDS = 30.0
_SEND_TIMEOUT_SECONDS = 2.0
_LINE_LIMIT_BYTES = 64 * 1024
_TOKEN_BYTES = 32
_SWITCH_SECONDS = 0.001

_log = logging.getLogger("engine.lab.keeper")


@dataclass(eq=False)
class _Connection:
    """One app's connection, with what it has sent of the next line."""

    socket: socket.socket
    received: bytes = b""
    leased: bool = False
    who: str = ""

    def send(self, **message: object) -> None:
        """Send a line; an app that is gone or does not read is found out when its connection is read."""
        with suppress(OSError):
            self.socket.sendall(json.dumps(message).encode() + b"\n")


@dataclass(eq=False)
class Keeper:
    """The loop that serves the apps, and the rule by which the server stays or goes."""

    folder: LabFolder
    lab: Lab = field(init=False)
    _selector: selectors.BaseSelector = field(default_factory=selectors.DefaultSelector)
    _connections: set[_Connection] = field(default_factory=set)
    _token: str = field(default_factory=lambda: secrets.token_urlsafe(_TOKEN_BYTES), repr=False)
    _started: float = field(default_factory=time.monotonic)
    _had_lease: bool = False
    _kept: bool = False
    _ending: bool = False
    _is_broken: bool = False

    def __post_init__(self) -> None:
        self._wakened, self._waker = socket.socketpair()
        for end in (self._wakened, self._waker):
            end.setblocking(False)
        self.lab = Lab(self.folder, wake=self.wake, news=self._spread)

    def serve(self, announce: Callable[[int], None]) -> None:
        """Serve until nobody needs the server; ``announce`` is called when apps can connect."""
        with socket.create_server(("127.0.0.1", 0)) as listener:
            self._selector.register(listener, selectors.EVENT_READ)
            self._selector.register(self._wakened, selectors.EVENT_READ)
            _wake_at_a_childs_end(self._waker)
            self.folder.write_address(KeeperAddress(port=listener.getsockname()[1], token=self._token, pid=os.getpid()))
            announce(READY)
            try:
                while not self._is_done():
                    self._turn(listener)
            finally:
                self.folder.forget_address()
                self.lab.stop()

    def wake(self) -> None:
        """Have the loop turn now; any thread may call."""
        with suppress(BlockingIOError):  # it is full of calls to wake already
            self._waker.send(b"!")

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
        for key, _ in self._selector.select(self.lab.tick_seconds):
            if key.fileobj is listener:
                self._accept(listener)
            elif key.fileobj is self._wakened:
                self._wakened.recv(4096)
            else:
                self._read(key.data)
        self._tend()

    def _tend(self) -> None:
        try:
            self.lab.supervise()
        except Exception:  # the supervisor's door: a bug in it must not end the servers
            if not self._is_broken:
                _log.exception("supervising")
            self._is_broken = True
        else:
            self._is_broken = False

    def _spread(self, news: LabEvent) -> None:
        """Send what happened to everybody who holds the lab."""
        _log.info("%s: %s", news.kind, news.text)
        for connection in self._connections:
            if connection.leased:
                connection.send(news=news.to_message())

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
            arguments = dict(request.get("arguments", {}))
        except (ValueError, KeyError, TypeError):
            self._close(connection)
            return
        if not hmac.compare_digest(token.encode(), self._token.encode()):
            self._close(connection)
            return
        try:
            self._run_calls(connection, command, arguments)
        except UserError as error:
            connection.send(error=error.cause, remedy=error.remedy.to_message() if error.remedy else None)
        except Exception as error:  # a bug is reported to the app that met it, and the server continues
            _log.exception("command %s", command)
            connection.send(bug=f"{type(error).__name__}: {error}")

    def _run_calls(self, connection: _Connection, command: str, arguments: dict[str, Any]) -> None:
        match command:
            case "attach":
                self._attach(connection, arguments)
            case "start":
                self._ensure_running(connection, arguments)
                self._answer_status(connection)
            case "do":
                self._do(connection, arguments)
            case "keep":
                self._kept = bool(arguments["keep"])
                self._answer_status(connection)
            case "status":
                self._answer_status(connection)
            case "detach":
                self._detach(connection)
            case "stop":
                self.end()
            case _:
                raise UserError(f"the embedded server's keeper does not know command '{command}'; stop and restart it.")

    def _attach(self, connection: _Connection, arguments: dict[str, Any]) -> None:
        connection.leased = self._had_lease = True
        connection.who = str(arguments.get("who") or "another program")
        try:
            self._ensure_running(connection, arguments)
        except BaseException:
            connection.leased = False
            raise
        self._answer_status(connection)

    def _ensure_running(self, connection: _Connection, arguments: dict[str, Any]) -> None:
        shape = LabShape.from_message(arguments["shape"]) if arguments.get("shape") else None
        keep = bool(arguments.get("keep"))
        others = self._leases - connection.leased
        self.lab.ensure_running(
            shape,
            lambda text: connection.send(message=text),
            may_reshape=others == 0 and (keep or not self._kept),
        )
        self._kept = self._kept or keep

    def _do(self, connection: _Connection, arguments: dict[str, Any]) -> None:
        done = self.lab.do(
            LabAction(arguments["action"]),
            node=arguments["node"],
            value=arguments["value"],
            notify=lambda text: connection.send(message=text),
        )
        connection.send(answer={"done": done})

    def _detach(self, connection: _Connection) -> None:
        connection.leased = False
        # The last one waits on its open connection until this process has ended, and the server with it.
        if not self._is_done():
            self._close(connection)

    def _answer_status(self, connection: _Connection) -> None:
        holders = sorted(each.who for each in self._connections if each.leased)
        status = replace(
            self.lab.status(),
            keeper_pid=os.getpid(),
            leases=self._leases,
            kept=self._kept,
            holders=tuple(holders),
        )
        connection.send(answer=status.to_message())

    def _close(self, connection: _Connection) -> None:
        self._connections.discard(connection)
        self._selector.unregister(connection.socket)
        connection.socket.close()


def main(arguments: list[str]) -> int:
    """Keep the lab's folder named in the arguments, in the background; the caller's process ends when apps can connect.

    Returns ``READY``, ``BUSY`` when another keeper has the folder, or another code on failure; the log has the reason.
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
    # A proxy needs two descriptors for each user.
    _raise_descriptor_limit()
    sys.setswitchinterval(_SWITCH_SECONDS)
    keeper = Keeper(folder)
    signal.signal(signal.SIGTERM, keeper.end)
    signal.signal(signal.SIGINT, keeper.end)
    _log.info("keeping %s", folder.root)
    keeper.serve(announce)
    _log.info("ended")
    return READY


def _wake_at_a_childs_end(waker: socket.socket) -> None:
    """Turn the loop as soon as a server ends. (On Windows it is found with the next tick.)"""
    if sys.platform != "win32":
        signal.set_wakeup_fd(waker.fileno(), warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)


def _raise_descriptor_limit() -> None:
    if sys.platform != "win32":
        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        with suppress(ValueError, OSError):  # macOS may refuse its own "unlimited": the proxies carry fewer users then
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


if sys.platform == "win32":

    def _launch_detached(folder: LabFolder) -> int:
        """Start the keeper proper without a console and wait for it to listen (untested)."""
        keeper = subprocess.Popen(
            own_command("keeper", str(folder.root), _IN_BACKGROUND),
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
