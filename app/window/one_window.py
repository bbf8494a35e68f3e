"""One window for a home: a second one brings the first to the front instead of working on the same library.

The first holds a lock file, which a process that died releases, and listens on a local socket whose name comes from
the home. Qt's own classes, so that it is the same on every system.
"""

import hashlib
import logging
from enum import Enum, auto
from pathlib import Path

from PySide6.QtCore import QLockFile, QObject, Signal
from PySide6.QtNetwork import QLocalServer, QLocalSocket

_LOCK_FILE = "window.lock"
_RAISE, _RAISED = b"raise\n", b"raised\n"
_CONNECT_MS = 1_000
_ANSWER_MS = 10_000  # on a busy machine a window that is just being built takes some seconds to answer
_log = logging.getLogger(__name__)


class Claim(Enum):
    """What a starting window found: it is the first, the first was raised, or there is one that does not answer."""

    FIRST = auto()
    RAISED = auto()
    SILENT = auto()


class OneWindow(QObject):
    """``raise_requested`` tells the first window that somebody has started the program again."""

    raise_requested = Signal()

    def __init__(self, home: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._home = home
        self._name = server_name(home)
        self._lock = QLockFile(str(home / _LOCK_FILE))
        self._lock.setStaleLockTime(0)  # a window may be open for weeks: only its process's death ends its lock
        self._server = QLocalServer(self)
        self._server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        self._server.newConnection.connect(self._on_connection)

    def claim(self) -> Claim:
        """Become the home's window, or raise the one that is open; waits some seconds at most."""
        try:
            self._home.mkdir(parents=True, exist_ok=True)
        except OSError:
            return Claim.FIRST  # whatever needs the home says so
        if not self._lock.tryLock(0):
            if self._lock.error() is QLockFile.LockError.LockFailedError:
                return Claim.RAISED if self._raise_first() else Claim.SILENT
            return Claim.FIRST
        QLocalServer.removeServer(self._name)  # that of a window whose process died
        if not self._server.listen(self._name):
            _log.warning("a second window could not raise this one: %s", self._server.errorString())
        return Claim.FIRST

    def close(self) -> None:
        self._server.close()
        self._lock.unlock()

    def _raise_first(self) -> bool:
        socket = QLocalSocket(self)
        socket.connectToServer(self._name)
        if not socket.waitForConnected(_CONNECT_MS):
            return False
        socket.write(_RAISE)
        is_answered = socket.waitForReadyRead(_ANSWER_MS) and bytes(socket.readAll().data()) == _RAISED
        socket.disconnectFromServer()
        return is_answered

    def _on_connection(self) -> None:
        while (socket := self._server.nextPendingConnection()) is not None:
            socket.readyRead.connect(self._on_word)
            socket.disconnected.connect(socket.deleteLater)

    def _on_word(self) -> None:
        socket = self.sender()
        if isinstance(socket, QLocalSocket) and bytes(socket.readAll().data()) == _RAISE:
            self.raise_requested.emit()
            socket.write(_RAISED)
            socket.flush()


def server_name(home: Path) -> str:
    """The name of the socket on which the window of a home listens."""
    return f"spindle-{hashlib.sha256(str(home.resolve()).encode()).hexdigest()[:16]}"
