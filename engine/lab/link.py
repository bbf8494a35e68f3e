"""An app's connection to a lab's keeper: requests out, replies in; and how a keeper is started.

Called by the server's handle. The protocol is described in ``engine.lab.keeper``.
"""

import json
import select
import socket
import subprocess
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Self

import engine
from engine.child_programs import in_own_session
from engine.errors import Remedy, UserError
from engine.lab.events import LabEvent
from engine.lab.folder import FolderLock, LabFolder
from engine.lab.processes import server_environment
from engine.own_program import own_command

READY = 0
BUSY = 75  # EX_TEMPFAIL of sysexits.h: another keeper has the folder
_CONNECT_TIMEOUT_SECONDS = 5.0
_LAUNCH_TIMEOUT_SECONDS = 30.0
_LINE_TIMEOUT_SECONDS = 1.0
_LOG_LIMIT_BYTES = 1024 * 1024


class KeeperEnded(Exception):  # noqa: N818 - often not an error: it ended because nobody needed it
    """The keeper ended, or was ended, before it answered."""


class Link:
    """A connection to a keeper."""

    def __init__(self, connection: socket.socket, token: str) -> None:
        self._socket = connection
        self._token = token
        self._received = b""
        self._news: list[LabEvent] = []

    @classmethod
    def open(cls, folder: LabFolder) -> Self | None:
        """Connect to the folder's keeper; ``None`` when there is none."""
        address = folder.read_address()
        # A killed keeper's address may by now be another program's, but its lock is free.
        if address is None or FolderLock(folder).is_free():
            return None
        try:
            connection = socket.create_connection(("127.0.0.1", address.port), _CONNECT_TIMEOUT_SECONDS)
        except OSError:
            return None
        return cls(connection, address.token)

    def close(self) -> None:
        self._socket.close()

    def send(self, command: str, arguments: Mapping[str, Any] | None = None) -> None:
        """Send a request. Raises ``KeeperEnded``."""
        message = {"token": self._token, "command": command, "arguments": dict(arguments or {})}
        line = json.dumps(message).encode() + b"\n"
        try:
            self._socket.sendall(line)
        except OSError as error:
            raise KeeperEnded from error

    def request(
        self,
        command: str,
        arguments: Mapping[str, Any] | None = None,
        *,
        timeout_seconds: float,
        notify: Callable[[str], None] | None = None,
    ) -> dict[str, Any]:
        """Send a request and return its answer; ``notify`` is called with the keeper's messages meanwhile.

        Raises ``KeeperEnded``, ``TimeoutError``, or the keeper's error: ``UserError``, or ``RuntimeError`` for a bug.
        """
        self.send(command, arguments)
        deadline = time.monotonic() + timeout_seconds
        while True:
            reply: dict[str, Any] = json.loads(self._line(deadline))
            if "answer" in reply:
                answer: dict[str, Any] = reply["answer"]
                return answer
            if "error" in reply:
                raise UserError(reply["error"], remedy=_remedy_of(reply.get("remedy")))
            if "bug" in reply:
                raise RuntimeError(f"the lab's keeper failed: {reply['bug']}")
            if "news" in reply:
                self._news.append(LabEvent.from_message(reply["news"]))
            elif notify is not None:
                # Keepers of earlier versions call it "tell".
                notify(reply["message"] if "message" in reply else reply["tell"])

    def news(self) -> list[LabEvent]:
        """The keeper's events since the last call; never waits. Raises ``KeeperEnded``."""
        while b"\n" in self._received or select.select([self._socket], [], [], 0)[0]:
            reply = json.loads(self._line(time.monotonic() + _LINE_TIMEOUT_SECONDS))
            if "news" in reply:
                self._news.append(LabEvent.from_message(reply["news"]))
        news, self._news = self._news, []
        return news

    def await_end(self, *, timeout_seconds: float) -> None:
        """Wait until the keeper closes the connection. Raises ``TimeoutError``."""
        deadline = time.monotonic() + timeout_seconds
        try:
            while True:
                self._line(deadline)
        except KeeperEnded:
            return

    def _line(self, deadline: float) -> bytes:
        while b"\n" not in self._received:
            self._socket.settimeout(max(deadline - time.monotonic(), 0.001))
            try:
                piece = self._socket.recv(4096)
            except TimeoutError:
                raise
            except OSError as error:
                raise KeeperEnded from error
            if not piece:
                raise KeeperEnded
            self._received += piece
        line, _, self._received = self._received.partition(b"\n")
        return line


def _remedy_of(message: Mapping[str, Any] | None) -> Remedy | None:
    return Remedy.from_message(message) if message else None


def launch_keeper(folder: LabFolder) -> bool:
    """Start a keeper in the background; returns whether it listens; it does not if another has the folder.

    Raises ``RuntimeError`` when it fails, with the name of its log.
    """
    if folder.keeper_log.exists() and folder.keeper_log.stat().st_size > _LOG_LIMIT_BYTES:
        folder.keeper_log.unlink()
    with folder.keeper_log.open("ab") as log:
        launched = subprocess.run(
            own_command("keeper", str(folder.root)),
            cwd=Path(engine.__path__[0]).parent,
            env=server_environment(),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            check=False,
            timeout=_LAUNCH_TIMEOUT_SECONDS,
            **in_own_session(),
        )
    if launched.returncode not in (READY, BUSY):
        raise RuntimeError(f"the lab's keeper did not start; see {folder.keeper_log}")
    return launched.returncode == READY
