"""One window per library: a second start raises the first window instead of working on the same library.

The first holds a lock file in the library's folder, which is released when its process dies, and listens on a local
socket whose name is derived from the folder, for this user alone. Qt's own classes make it the same on every system. A
folder may be shared by several workstations: a window of another one can't be raised, and is said to be there.
"""

import hashlib
import logging
import socket
from enum import Enum, auto
from pathlib import Path

from PySide6.QtCore import QLockFile, QObject, Signal
from PySide6.QtNetwork import QLocalServer, QLocalSocket

_LOCK_FILE = "window.lock"
_RAISE, _RAISED = b"raise\n", b"raised\n"
_CONNECT_MS = 1_000
_ANSWER_MS = 10_000  # on a busy machine a window that is being created takes some seconds to answer
_log = logging.getLogger(__name__)


class Claim(Enum):
    """The result of a claim: this window is the first, the first was raised, or there is one that does not answer."""

    FIRST = auto()
    RAISED = auto()
    SILENT = auto()


class OneWindow(QObject):
    """``raise_requested``: the program was started again, and this window is to be raised."""

    raise_requested = Signal()

    def __init__(self, home: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._home = home
        self._name = server_name(home)
        self._lock = QLockFile(str(home / _LOCK_FILE))
        self._lock.setStaleLockTime(0)  # a window may be open for weeks: the lock must not expire
        self._server = QLocalServer(self)
        self._server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        self._server.newConnection.connect(self._on_connection)

    def claim(self) -> Claim:
        """Become the home's window, or raise the one that is open; waits a few seconds at most."""
        try:
            self._home.mkdir(parents=True, exist_ok=True)
        except OSError:
            return Claim.FIRST  # the error is reported by whatever needs the home
        if not self._lock.tryLock(0):
            if self._lock.error() is QLockFile.LockError.LockFailedError:
                return Claim.RAISED if self._raise_first() else Claim.SILENT
            return Claim.FIRST
        QLocalServer.removeServer(self._name)  # the socket of a window whose process died
        if not self._server.listen(self._name):
            _log.warning("a second window could not raise this one: %s", self._server.errorString())
        return Claim.FIRST

    @property
    def elsewhere(self) -> str:
        """The name of the other workstation whose window holds the lock; empty if it is this one, or nobody."""
        _pid, holder, _program = self._lock.getLockInfo()
        return "" if holder == socket.gethostname() else holder

    @property
    def lock_file(self) -> Path:
        return self._home / _LOCK_FILE

    def close(self) -> None:
        self._server.close()
        self._lock.unlock()

    def _raise_first(self) -> bool:
        if self.elsewhere:
            return False
        connection = QLocalSocket(self)
        connection.connectToServer(self._name)
        if not connection.waitForConnected(_CONNECT_MS):
            return False
        connection.write(_RAISE)
        is_answered = connection.waitForReadyRead(_ANSWER_MS) and bytes(connection.readAll().data()) == _RAISED
        connection.disconnectFromServer()
        return is_answered

    def _on_connection(self) -> None:
        while (connection := self._server.nextPendingConnection()) is not None:
            connection.readyRead.connect(self._on_word)
            connection.disconnected.connect(connection.deleteLater)

    def _on_word(self) -> None:
        connection = self.sender()
        if isinstance(connection, QLocalSocket) and bytes(connection.readAll().data()) == _RAISE:
            self.raise_requested.emit()
            connection.write(_RAISED)
            connection.flush()


def server_name(home: Path) -> str:
    """The name of the socket on which the window of a home listens."""
    return f"spindle-{hashlib.sha256(str(home.resolve()).encode()).hexdigest()[:16]}"
